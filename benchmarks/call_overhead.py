# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What one call of a program costs beyond IREE's own invocation of its function.

    python benchmarks/call_overhead.py [--device cpu] [--target cpu] [--json]

A kernel adds two arrays of 256 floats that lie on the device already. Beside
`program(x, y)` stands a bare invocation of the same function on the same device: the
lists of arguments and results made, and the function invoked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import reporting


def main() -> None:
    """Prints one table."""
    parser = reporting.options(__doc__, rounds=25)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--target", default="cpu", help="such as cuda:sm_90")
    arguments = parser.parse_args()
    if arguments.device == "cpu":
        # With workers, the time to wake them hides the rest.
        reporting.use_cpus(1)
    rows = measure(arguments.target, arguments.device, arguments.rounds)
    title = f"One call of a tiny program on {arguments.device}"
    reporting.show(title, rows, as_json=arguments.json)


def measure(target: str, device: str, rounds: int) -> list[dict[str, Any]]:
    """Gives medians in microseconds: a program, the bare invocation, plain JAX."""
    import tempfile
    from pathlib import Path

    import jax
    import numpy as np
    import vector_add
    from timing import medians_ms

    import tritonflow

    x = np.arange(256, dtype=np.float32)
    program = tritonflow.compile(vector_add.vector_add, x, x, target=target, name="add")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "add.vmfb")
        program.save(path)
        program = tritonflow.load(path, device=device)
        bare = _bare_invocation(path.read_bytes(), device, x)
    on_device = program(x, np.zeros_like(x))
    jitted, plain = jax.jit(lambda x, y: x + y), jax.device_put(x)
    times = medians_ms(
        {
            "program(x, y), device arrays": lambda: program(on_device, on_device),
            "program(x, y), NumPy arrays": lambda: program(x, x),
            "bare invocation": bare,
            "jax.jit": lambda: jax.block_until_ready(jitted(plain, plain)),
        },
        rounds=rounds,
        repeats=500,
    )
    base = times["bare invocation"]
    return [
        {
            "call": name,
            "us": round(ms * 1e3, 2),
            "over bare": round((ms - base) * 1e3, 2),
        }
        for name, ms in times.items()
    ]


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
