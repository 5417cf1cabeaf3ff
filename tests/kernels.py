# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels that tests of different parts call."""

from __future__ import annotations

import jax
import triton
import triton.language as tl

import tritonflow


@triton.jit
def _negate_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, -tl.load(x + at, at < n), at < n)


def negate(x: jax.Array) -> jax.Array:
    """Gives `-x` by way of a kernel that is compiled for aligned pointers."""
    return tritonflow.triton_call(
        x,
        n=x.size,
        kernel=_negate_kernel,
        out_type=x,
        grid=(triton.cdiv(x.size, 1024),),
        BLOCK=1024,
    )
