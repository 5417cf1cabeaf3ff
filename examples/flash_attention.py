# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Attention without its matrix of scores: a block of queries walks over the keys.

    python examples/flash_attention.py
    tritonflow compile examples/flash_attention.py:flash_attention \\
        --arg 'f32[b,128,12,32]' --arg 'f32[b,128,12,32]' --arg 'f32[b,128,12,32]' \\
        --target cpu -o flash_attention.vmfb
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
    """Queries and keys of a block, and launch options."""

    BM: int = 64
    BN: int = 64
    num_warps: int = 4
    num_stages: int = 3


@triton.jit
def attention_kernel(
    q, k, v, key_mask, out, queries, keys, heads, q_row, kv_row, k_start, v_start,
    scale,
    BM: tl.constexpr, BN: tl.constexpr, DIM: tl.constexpr, WIDTH: tl.constexpr,
    CAUSAL: tl.constexpr,
):  # fmt: skip
    # Arrays are [batch, position, head, dim]; `q_row` and `kv_row` are the distances
    # between positions, so heads need no transpose and may lie in one packed array.
    blocks = tl.cdiv(queries, BM)
    block = tl.program_id(0) % blocks
    head = tl.program_id(0) // blocks % heads
    batch = (tl.program_id(0) // (blocks * heads)).to(tl.int64)
    m = block * BM + tl.arange(0, BM)
    n = tl.arange(0, BN)
    d = tl.arange(0, WIDTH)

    q_base = q + batch * queries * q_row + head * DIM
    k_base = k + batch * keys * kv_row + head * DIM + k_start
    v_base = v + batch * keys * kv_row + head * DIM + v_start
    q_inside = (m[:, None] < queries) & (d[None, :] < DIM)
    query = tl.load(q_base + m[:, None] * q_row + d[None, :], q_inside, other=0.0)

    # Powers of two are what machines have; the scale carries the change of base. The
    # start is finite, so that a row with no key yet never computes inf - inf.
    factor = scale * 1.4426950408889634
    highest = tl.full((BM,), -1.0e30, tl.float32)
    weight = tl.zeros((BM,), tl.float32)
    total = tl.zeros((BM, WIDTH), tl.float32)
    end = keys
    if CAUSAL:
        end = min(keys, (block + 1) * BM)
    for start in range(0, end, BN):
        at = start + n
        kv_inside = (at[:, None] < keys) & (d[None, :] < DIM)
        offset = at[:, None] * kv_row + d[None, :]
        key = tl.load(k_base + offset, kv_inside, other=0.0)
        score = tl.dot(query, tl.trans(key), input_precision="ieee") * factor
        visible = at < keys
        if key_mask is not None:
            visible = visible & (tl.load(key_mask + batch * keys + at, visible, 0) != 0)
        score = tl.where(visible[None, :], score, float("-inf"))
        if CAUSAL:
            score = tl.where(at[None, :] <= m[:, None], score, float("-inf"))
        above = tl.maximum(highest, tl.max(score, axis=1))
        power = tl.exp2(score - above[:, None])
        shrink = tl.exp2(highest - above)
        weight = weight * shrink + tl.sum(power, axis=1)
        value = tl.load(v_base + offset, kv_inside, other=0.0)
        total = total * shrink[:, None]
        total = tl.dot(power.to(value.dtype), value, total, input_precision="ieee")
        highest = above
    total = total / tl.where(weight == 0.0, 1.0, weight)[:, None]
    o_base = out + (batch * queries * heads + head) * DIM
    o_block = o_base + m[:, None] * (heads * DIM) + d[None, :]
    tl.store(o_block, total.to(out.dtype.element_ty), q_inside)


def flash_attention(
    q: jax.Array,
    k: jax.Array,
    v: jax.Array,
    key_mask: jax.Array | None = None,
    *,
    causal: bool = False,
    tile: Tile | None = None,
) -> jax.Array:
    """Gives `softmax(q kᵀ / sqrt(dim)) v` for each batch entry and head.

    Args:
        q: shape [batch, queries, heads, dim], any float dtype; batch and queries may
            be symbolic. The result has the same shape.
        k: shape [batch, keys, heads, dim], as has `v`.
        key_mask: shape [batch, keys], bool or integer: keys with 0 are not seen. A
            query that sees none gives zeros. None: all are seen.
        causal: position i sees the keys up to i.
        tile: None is a shape that suits most sizes and devices.
    """
    heads, dim = q.shape[2:]
    return _call(
        q, k, v, key_mask, heads=heads, dim=dim, keys=k.shape[1], causal=causal,
        tile=tile,
    )  # fmt: skip


def packed_attention(
    qkv: jax.Array,
    heads: int,
    key_mask: jax.Array | None = None,
    *,
    causal: bool = False,
    tile: Tile | None = None,
) -> jax.Array:
    """Gives attention for queries, keys and values that one product made.

    Args:
        qkv: shape [batch, length, 3 * heads * dim]: all queries of a position, then its
            keys, then its values. The result has shape [batch, length, heads * dim].
        key_mask: as in `flash_attention`.
    """
    size = qkv.shape[2] // 3
    return _call(
        qkv, qkv, qkv, key_mask, heads=heads, dim=size // heads, keys=qkv.shape[1],
        causal=causal, tile=tile, row=3 * size, k_start=size, v_start=2 * size,
        out_shape=(*qkv.shape[:2], size),
    )  # fmt: skip


def _call(
    q, k, v, key_mask, *, heads, dim, keys, causal, tile, row=None, k_start=0,
    v_start=0, out_shape=None,
):  # fmt: skip
    tile = tile or Tile()
    batch, queries = q.shape[:2]
    row = row or heads * dim
    return tritonflow.triton_call(
        q,
        k,
        v,
        key_mask,
        kernel=attention_kernel,
        out_type=jax.ShapeDtypeStruct(out_shape or q.shape, q.dtype),
        grid=lambda meta: (triton.cdiv(queries, meta["BM"]) * heads * batch,),
        queries=queries,
        keys=keys,
        heads=heads,
        q_row=row,
        kv_row=row,
        k_start=k_start,
        v_start=v_start,
        scale=1.0 / math.sqrt(dim),
        DIM=dim,
        WIDTH=max(16, triton.next_power_of_2(dim)),
        CAUSAL=causal,
        **tile._asdict(),
    )


def attention_reference(
    q: jax.Array,
    k: jax.Array,
    v: jax.Array,
    key_mask: jax.Array | None = None,
    *,
    causal: bool = False,
) -> jax.Array:
    """Gives the same in `jax.numpy`, with the whole matrix of scores in float32."""
    score = jnp.einsum(
        "bqhd,bkhd->bhqk", q, k, precision="highest", preferred_element_type=jnp.float32
    ) / math.sqrt(q.shape[-1])
    visible = jnp.ones(score.shape[-2:], bool)
    if causal:
        visible = jnp.tril(visible)
    if key_mask is not None:
        visible = visible & (key_mask != 0)[:, None, None, :]
    share = jax.nn.softmax(score, axis=-1, where=visible)
    share = jnp.where(visible.any(-1, keepdims=True), share, 0.0)
    return jnp.einsum(
        "bhqk,bkhd->bqhd", share.astype(v.dtype), v, precision="highest"
    ).astype(q.dtype)


def main() -> None:
    """Compares with plain JAX: padded keys, then causal, on odd lengths."""
    from functools import partial

    import numpy as np
    from comparison import check

    rng = np.random.default_rng(0)
    q, k, v = rng.standard_normal((3, 2, 201, 4, 32), np.float32)
    key_mask = (np.arange(201) < [[201], [77]]).astype(np.int32)
    check(flash_attention, attention_reference, q, k, v, key_mask, tolerance=1e-5)
    causal = partial(flash_attention, causal=True)
    causal.__name__ = "causal_flash_attention"  # type: ignore[attr-defined]
    check(causal, partial(attention_reference, causal=True), q, k, v, tolerance=1e-5)


if __name__ == "__main__":
    main()
