# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels on one CPU thread, each beside XLA, the product also beside OpenBLAS.

    python benchmarks/cpu_kernels.py [--json] [--rounds 25]

All run in one process on one CPU, in turn; a time is the median of its rounds and
includes the call from Python.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import reporting

SIZE = 512


def main() -> None:
    """Prints one row a kernel."""
    parser = reporting.options(__doc__, rounds=25)
    parser.add_argument("--only", help="the first letters of a kernel's name")
    arguments = parser.parse_args()
    reporting.use_cpus(1)
    rows = [
        _measure(name, *case, rounds=arguments.rounds)
        for name, case in _cases().items()
        if name.startswith(arguments.only or "")
    ]
    reporting.show("One CPU thread, ms", rows, as_json=arguments.json)


def _cases() -> dict[str, tuple[Any, ...]]:
    """Gives for each kernel: ours, plain JAX, inputs, and NumPy or None."""
    import jax
    import layer_norm
    import matmul
    import numpy as np
    import softmax
    from elementwise import chain, chain_plainly

    rng = np.random.default_rng(0)

    def normal(*shape: int) -> Any:
        return rng.standard_normal(shape, np.float32)

    a, b = normal(SIZE, SIZE), normal(SIZE, SIZE)
    rows, weight, bias = normal(4096, 1024), normal(1024), normal(1024)
    product = partial(matmul.matmul, tile=matmul.Tile(128, 64, 128))
    return {
        f"matmul {SIZE}³": (product, matmul.matmul_reference, (a, b), np.matmul),
        "softmax 1000x1000": (
            softmax.softmax, jax.nn.softmax, (normal(1000, 1000),), None,
        ),
        "layer norm 4096x1024": (
            layer_norm.layer_norm, layer_norm.layer_norm_reference,
            (rows, weight, bias), None,
        ),
        "9 operations, 1 Mi": (chain, chain_plainly, (normal(1 << 20),), None),
    }  # fmt: skip


def _measure(
    name: str, ours: Any, plain: Any, inputs: Any, library: Any, *, rounds: int
) -> dict[str, Any]:
    import jax
    import numpy as np
    from timing import medians_ms

    import tritonflow

    program = tritonflow.compile(ours, *inputs, target="cpu", name="program")
    jitted = jax.jit(plain)
    device_inputs = jax.device_put(inputs)
    found, expected = np.asarray(program(*inputs)), np.asarray(jitted(*inputs))
    candidates = {
        "tritonflow": lambda: program(*device_inputs),
        "XLA": lambda: jax.block_until_ready(jitted(*device_inputs)),
    }
    if library is not None:
        candidates["OpenBLAS"] = lambda: library(*inputs)
    times = medians_ms(candidates, rounds=rounds, repeats=10)
    ours_ms, library_ms = times["tritonflow"], times.get("OpenBLAS")
    return {
        "kernel": name,
        "tritonflow": round(ours_ms, 4),
        "XLA": round(times["XLA"], 4),
        "OpenBLAS": library_ms and round(library_ms, 4),
        "time / XLA": round(ours_ms / times["XLA"], 3),
        "speed / OpenBLAS": library_ms and round(library_ms / ours_ms, 3),
        "difference": float(np.max(np.abs(found - expected))),
    }


if __name__ == "__main__":
    main()
