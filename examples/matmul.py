# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Matrix product with bias and GELU in the epilogue.

    python examples/matmul.py
    tritonflow compile examples/matmul.py:matmul --arg 'f32[m,384]' \\
        --arg 'f32[384,1536]' --arg 'f32[1536]' --target cpu -o matmul.vmfb
"""

from __future__ import annotations

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
import triton
import triton.language as tl

import tritonflow


class Tile(NamedTuple):
    """How a product is cut: block sizes, rows of blocks in a band, launch options."""

    BM: int = 64
    BN: int = 64
    BK: int = 32
    BAND: int = 8
    num_warps: int = 4
    num_stages: int = 3


@triton.jit
def gelu(x):
    return 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))


@triton.jit
def matmul_kernel(
    a, b, bias, c, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, BAND: tl.constexpr,
    EVEN_N: tl.constexpr, EVEN_K: tl.constexpr, GELU: tl.constexpr,
):  # fmt: skip
    # Programs walk down the rows of a band before they turn to its next column, so
    # that those running at one time share blocks of `a` and `b` in the cache.
    columns = tl.cdiv(N, BN)
    band = tl.program_id(0) // (BAND * columns)
    within = tl.program_id(0) % (BAND * columns)
    height = min(tl.cdiv(M, BM) - band * BAND, BAND)
    top = (band * BAND + within % height) * BM
    row = tl.arange(0, BM)
    m = top + row
    n = within // height * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)

    # Only the block's first row needs 64 bits; the offsets within are small.
    a_block = a + top.to(tl.int64) * K + row[:, None] * K + k[None, :]
    b_block = b + k[:, None] * N + n[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        a_inside = m[:, None] < M
        if not EVEN_K:
            a_inside = a_inside & (k[None, :] < K - start)
        left = tl.load(a_block, a_inside, other=0.0)
        if EVEN_K and EVEN_N:
            right = tl.load(b_block)
        else:
            inside = (k[:, None] < K - start) & (n[None, :] < N)
            right = tl.load(b_block, inside, other=0.0)
        total = tl.dot(left, right, total, input_precision="ieee")
        a_block += BK
        b_block += BK * N
    if bias is not None:
        total += tl.load(bias + n, n < N, other=0.0)[None, :].to(tl.float32)
    if GELU:
        total = gelu(total)
    c_block = c + top.to(tl.int64) * N + row[:, None] * N + n[None, :]
    c_inside = m[:, None] < M
    if not EVEN_N:
        c_inside = c_inside & (n[None, :] < N)
    tl.store(c_block, total.to(c.dtype.element_ty), c_inside)


def matmul(
    a: jax.Array,
    b: jax.Array,
    bias: jax.Array | None = None,
    *,
    activation: str | None = None,
    tile: Tile | None = None,
) -> jax.Array:
    """Gives `activation(a @ b + bias)`, sums in float32, the result as `a`'s dtype.

    Args:
        a: shape [..., k], any float dtype; leading dimensions may be symbolic.
        b: shape [k, n].
        bias: shape [n]; None adds nothing.
        activation: None or `gelu` (the exact one, with erf).
        tile: None is a shape that suits most sizes and devices.
    """
    if activation not in (None, "gelu"):
        raise ValueError(f"activation: got {activation!r}, expected None or 'gelu'")
    tile = tile or Tile()
    rows, (k, n) = math.prod(a.shape[:-1]), b.shape
    return tritonflow.triton_call(
        a,
        b,
        bias,
        kernel=matmul_kernel,
        out_type=jax.ShapeDtypeStruct((*a.shape[:-1], n), a.dtype),
        grid=lambda meta: (triton.cdiv(rows, meta["BM"]) * triton.cdiv(n, meta["BN"]),),
        M=rows,
        N=n,
        K=k,
        EVEN_N=n % tile.BN == 0,
        EVEN_K=k % tile.BK == 0,
        GELU=activation == "gelu",
        **tile._asdict(),
    )


def matmul_reference(
    a: jax.Array,
    b: jax.Array,
    bias: jax.Array | None = None,
    *,
    activation: str | None = None,
) -> jax.Array:
    """Gives the same in `jax.numpy`."""
    total = jnp.matmul(a, b, precision="highest", preferred_element_type=jnp.float32)
    if bias is not None:
        total += bias
    if activation == "gelu":
        total = jax.nn.gelu(total, approximate=False)
    return total.astype(a.dtype)


def main() -> None:
    """Compares with plain JAX, epilogue included, on sizes that no block divides."""
    from functools import partial

    import numpy as np
    from comparison import check

    rng = np.random.default_rng(0)
    a = rng.standard_normal((517, 300), np.float32)
    b = rng.standard_normal((300, 411), np.float32) / 16
    bias = rng.standard_normal(411, np.float32)
    check(matmul, matmul_reference, a, b, tolerance=1e-5)
    fused = partial(matmul, activation="gelu")
    fused.__name__ = "matmul_bias_gelu"  # type: ignore[attr-defined]
    reference = partial(matmul_reference, activation="gelu")
    check(fused, reference, a, b, bias, tolerance=1e-5)


if __name__ == "__main__":
    main()
