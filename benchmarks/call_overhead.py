# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What one call of a program costs beyond IREE's own invocation of its function.

    python benchmarks/call_overhead.py [--device cpu] [--target cpu] [--json]

A kernel adds two arrays of 256 floats that lie on the device already. Beside
`program(x, y)` stands a bare invocation of the same function on the same device: the
lists of arguments and results made, and the function invoked.

The first rows are of a process that loads the artifact and nothing else, as one does
where a program is deployed. The others are of a process that runs JAX as well, which
sets up the device to its own liking.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import reporting

SIZE = 256
REPEATS = 500


def main() -> None:
    """Prints one table, or with `--artifact` measures in a process without JAX."""
    parser = reporting.options(__doc__, rounds=25)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--target", default="cpu", help="such as cuda:sm_90")
    parser.add_argument("--artifact", type=Path, help="measure this one alone")
    arguments = parser.parse_args()
    if arguments.device == "cpu":
        # With workers, the time to wake them hides the rest.
        reporting.use_cpus(1)
    if arguments.artifact:
        from timing import medians_ms

        calls = _calls(arguments.artifact, arguments.device)
        assert "jax" not in sys.modules
        times = medians_ms(calls, rounds=arguments.rounds, repeats=REPEATS)
        print(json.dumps(times))
        return
    rows = measure(arguments.target, arguments.device, arguments.rounds)
    title = f"One call of a tiny program on {arguments.device}"
    reporting.show(title, rows, as_json=arguments.json)


def measure(target: str, device: str, rounds: int) -> list[dict[str, Any]]:
    """Gives medians in microseconds, first without JAX in the process, then with it."""
    import numpy as np
    import vector_add
    from timing import medians_ms

    import tritonflow

    x = np.arange(SIZE, dtype=np.float32)
    program = tritonflow.compile(vector_add.vector_add, x, x, target=target, name="add")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "add.vmfb")
        program.save(path)
        alone = _measure_alone(path, device, rounds)
        calls = _calls(path, device)
    import jax

    jitted, plain = jax.jit(lambda x, y: x + y), jax.device_put(x)
    calls["jax.jit"] = lambda: jax.block_until_ready(jitted(plain, plain))
    beside_jax = medians_ms(calls, rounds=rounds, repeats=REPEATS)
    return [*_rows(alone, jax="no"), *_rows(beside_jax, jax="yes")]


def _measure_alone(artifact: Path, device: str, rounds: int) -> dict[str, float]:
    """Gives the times of a process that loads `artifact` and does nothing else."""
    words = ["--artifact", str(artifact), "--device", device, "--rounds", str(rounds)]
    done = subprocess.run(
        [sys.executable, __file__, *words], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def _rows(times_ms: dict[str, float], *, jax: str) -> list[dict[str, Any]]:
    base = times_ms["bare invocation"]
    return [
        {
            "call": name,
            "JAX in the process": jax,
            "us": round(ms * 1e3, 2),
            "over bare": round((ms - base) * 1e3, 2),
        }
        for name, ms in times_ms.items()
    ]


def _calls(artifact: Path, device: str) -> dict[str, Callable[[], Any]]:
    """Gives calls of the loaded artifact, and of its function through IREE alone."""
    import numpy as np

    import tritonflow

    x = np.arange(SIZE, dtype=np.float32)
    program = tritonflow.load(artifact, device=device)
    on_device = program(x, np.zeros_like(x))
    return {
        "program(x, y), device arrays": lambda: program(on_device, on_device),
        "program(x, y), NumPy arrays": lambda: program(x, x),
        "bare invocation": _bare_invocation(artifact.read_bytes(), device, x),
    }


def _bare_invocation(module: bytes, device: str, x: Any) -> Callable[[], None]:
    """Gives a call of the module's function through IREE's bindings alone."""
    from iree import runtime as rt

    from tritonflow.iree.devices import open_device
    from tritonflow.iree.module import ENTRY

    hal = open_device(device).hal
    instance = rt.VmInstance()
    code = rt.VmModule.copy_buffer(instance, module)
    context = rt.VmContext(instance, [rt.create_hal_module(instance, hal), code])
    function = code.lookup_function(ENTRY)
    view = hal.allocator.allocate_buffer_copy(
        memory_type=rt.MemoryType.DEVICE_LOCAL,
        allowed_usage=rt.BufferUsage.DEFAULT,
        device=hal,
        buffer=x,
        element_type=rt.HalElementType.FLOAT_32,
    )

    def call() -> None:
        arguments, results = rt.VmVariantList(2), rt.VmVariantList(1)
        arguments.push_ref(view)
        arguments.push_ref(view)
        context.invoke(function, arguments, results)

    return call


if __name__ == "__main__":
    main()
