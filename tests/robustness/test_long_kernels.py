# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels with unrolled loops: far more operations than calls may be nested."""

from __future__ import annotations

import jax
import numpy as np
import triton
import triton.language as tl

import tritonflow


@triton.jit
def _steps_kernel(x, y, count, BLOCK: tl.constexpr, STEPS: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, at < count)
    other = value * 0.25
    for _ in tl.static_range(STEPS):
        value, other = value * 0.8 + other * 0.6, other * 0.8 - value * 0.6
    tl.store(y + at, value + other, at < count)


def test_hundreds_of_operations_in_a_row() -> None:
    def steps(x: jax.Array) -> jax.Array:
        return tritonflow.triton_call(
            x,
            count=x.size,
            kernel=_steps_kernel,
            out_type=x,
            grid=(triton.cdiv(x.size, 256),),
            BLOCK=256,
            STEPS=300,
        )

    x = np.random.default_rng(0).normal(size=300).astype(np.float32)
    value, other = x.astype(np.float64), x * 0.25
    for _ in range(300):
        value, other = value * 0.8 + other * 0.6, other * 0.8 - value * 0.6
    found = np.asarray(tritonflow.compile(steps, x, target="cpu")(x))
    # Each step turns a point on its circle.
    np.testing.assert_allclose(found, value + other, atol=1e-4)
