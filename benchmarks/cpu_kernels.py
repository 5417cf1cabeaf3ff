# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels on one CPU thread, each beside XLA, the product also beside OpenBLAS.

    python benchmarks/cpu_kernels.py [--json] [--rounds 25]

All run in one process on one CPU, in turn; a time is the median of its rounds and
includes the call from Python.
"""

from __future__ import annotations

import os
import sys
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
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
        if name in os.environ:
            print(f"{name} is set: OpenBLAS may be slower for it", file=sys.stderr)
    rows = [
        _measure(name, *case, rounds=arguments.rounds)
        for name, case in _cases().items()
        if name.startswith(arguments.only or "")
    ]
    reporting.show("One CPU thread, ms", rows, as_json=arguments.json)


def _cases() -> dict[str, tuple[Any, ...]]:
    """Gives for each kernel: ours, plain JAX, inputs, and NumPy or None."""
    import flash_attention
    import jax
    import layer_norm
    import matmul
    import ml_dtypes
    import numpy as np
    import softmax
    from elementwise import chain, chain_plainly

    rng = np.random.default_rng(0)

    def normal(*shape: int) -> Any:
        return rng.standard_normal(shape, np.float32)

    a, b = normal(SIZE, SIZE), normal(SIZE, SIZE)
    rows, weight, bias = normal(4096, 1024), normal(1024), normal(1024)
    product = partial(matmul.matmul, tile=matmul.Tile(128, 64, 128))
    reference = matmul.matmul_reference
    gelu, plain_gelu = (partial(f, activation="gelu") for f in (product, reference))
    tokens, wide, wide_bias = normal(1024, 384), normal(384, 1536), normal(1536)
    attention = partial(
        flash_attention.flash_attention, tile=flash_attention.Tile(128, 64)
    )
    heads = [normal(8, 128, 12, 32) for _ in range(3)]
    return {
        f"matmul {SIZE}³": (product, reference, (a, b), np.matmul),
        "matmul 1000³": (
            product, reference, (normal(1000, 1000), normal(1000, 1000)), np.matmul,
        ),
        **{
            f"matmul {SIZE}³ {dtype.__name__}": (
                product, _in_its_dtype, (a.astype(dtype), b.astype(dtype)), None,
            )
            for dtype in (np.float16, ml_dtypes.bfloat16)
        },
        "matmul 1024x384x1536, bias, GELU": (
            gelu, plain_gelu, (tokens, wide, wide_bias), None,
        ),
        "attention 8x128x12x32": (
            attention, flash_attention.attention_reference, heads, None,
        ),
        "softmax 1000x1000": (
            softmax.softmax, jax.nn.softmax, (normal(1000, 1000),), None,
        ),
        "layer norm 4096x1024": (
            layer_norm.layer_norm, layer_norm.layer_norm_reference,
            (rows, weight, bias), None,
        ),
        "9 operations, 1 Mi": (chain, chain_plainly, (normal(1 << 20),), None),
    }  # fmt: skip


def _in_its_dtype(a: Any, b: Any) -> Any:
    """Gives the product as XLA likes it best, without a wish for its precision."""
    return a @ b


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
        "difference": float(
            np.max(np.abs(found.astype(np.float32) - expected.astype(np.float32)))
        ),
    }


if __name__ == "__main__":
    main()
