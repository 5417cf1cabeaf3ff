# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Adds two arrays: the smallest program with a Triton kernel in it.

    python examples/vector_add.py
    tritonflow compile examples/vector_add.py:vector_add \\
        --arg 'f32[n]' --arg 'f32[n]' --target cpu -o vector_add.vmfb
"""

from __future__ import annotations

import jax
import triton
import triton.language as tl

import tritonflow

BLOCK = 1024


@triton.jit
def add_kernel(x, y, total, count, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    tl.store(total + at, tl.load(x + at, inside) + tl.load(y + at, inside), inside)


def vector_add(x: jax.Array, y: jax.Array) -> jax.Array:
    """Gives `x + y` for two arrays of one shape, of any rank and size, and dtype."""
    return tritonflow.triton_call(
        x,
        y,
        kernel=add_kernel,
        out_type=jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=lambda meta: (triton.cdiv(x.size, meta["BLOCK"]),),
        count=x.size,
        BLOCK=BLOCK,
    )


def main() -> None:
    """Compares with plain JAX on a size that no block divides."""
    import numpy as np
    from comparison import check

    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 98_432 + 7), np.float32)
    check(vector_add, lambda x, y: x + y, x, y, tolerance=0)


if __name__ == "__main__":
    main()
