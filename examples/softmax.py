# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Softmax over the last axis: one program a row, which it reads and writes once.

    python examples/softmax.py
    tritonflow compile examples/softmax.py:softmax --arg 'f32[b,781]' \\
        --target cpu -o softmax.vmfb
"""

from __future__ import annotations

import math

import jax
import triton
import triton.language as tl

import tritonflow


@triton.jit
def softmax_kernel(x, y, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    inside = at < columns
    start = tl.program_id(0).to(tl.int64) * columns
    row = tl.load(x + start + at, inside, other=float("-inf")).to(tl.float32)
    powers = tl.exp(row - tl.max(row, axis=0))
    share = powers / tl.sum(powers, axis=0)
    tl.store(y + start + at, share.to(y.dtype.element_ty), inside)


def softmax(x: jax.Array) -> jax.Array:
    """Gives the softmax of each row of `x`, shape [..., columns], any float dtype.

    The leading dimensions may be symbolic. The sums are in float32.
    """
    block = triton.next_power_of_2(x.shape[-1])
    return tritonflow.triton_call(
        x,
        kernel=softmax_kernel,
        out_type=jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=(math.prod(x.shape[:-1]),),
        columns=x.shape[-1],
        BLOCK=block,
        num_warps=warps_for_row(block),
    )


def warps_for_row(block: int) -> int:
    """Gives how many warps share a row of `block` values: 16 values for each thread."""
    return min(8, max(1, block // 512))


def main() -> None:
    """Compares with plain JAX on rows whose length is no power of two."""
    import numpy as np
    from comparison import check

    x = np.random.default_rng(0).standard_normal((1823, 781), np.float32) * 4
    check(softmax, lambda x: jax.nn.softmax(x, axis=-1), x, tolerance=1e-6)


if __name__ == "__main__":
    main()
