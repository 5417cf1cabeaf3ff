# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Large arrays from JAX to a program and its result back to JAX, through DLPack."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import vector_add as va
from timing import medians_ms

from . import device

COUNT = 1 << 26


def measure(rounds: int) -> list[dict[str, Any]]:
    """Gives the time of a round trip beside that of one copy to the host."""
    x = jnp.arange(COUNT, dtype=jnp.float32)
    with tempfile.TemporaryDirectory() as folder:
        shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
        path = Path(folder, "add.vmfb")
        program = device.compile_and_load(
            va.vector_add, (shape, shape), path, device.target()
        )

    def round_trip() -> jax.Array:
        y = jax.dlpack.from_dlpack(program(x, x))
        return (y + 1).block_until_ready()

    result = program(x, x)
    shared = jax.dlpack.from_dlpack(result)
    again = program(shared, x)
    right = bool((round_trip() == 2 * x + 1).all())
    right &= bool((jax.dlpack.from_dlpack(again) == 3 * x).all())
    times = medians_ms(
        {"trip": round_trip, "copy": lambda: np.array(x + 0, copy=True)},
        rounds=rounds,
    )
    return [
        {
            "exchange": f"{COUNT * 4 >> 20} MiB, JAX to program to JAX",
            "round trip ms": round(times["trip"], 3),
            "one copy to the host ms": round(times["copy"], 3),
            "on one device": str(next(iter(shared.devices()))),
            "right": right,
            "passed": right and times["trip"] < 0.5 * times["copy"],
        }
    ]
