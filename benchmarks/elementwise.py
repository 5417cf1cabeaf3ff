# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""A chain of nine operations on each element, with a division and an exponential."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import triton
import triton.language as tl

import tritonflow


@triton.jit
def chain_kernel(x, y, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    a = tl.load(x + at, inside, other=0.0)
    b = a * a + 1.0
    c = a / b
    d = tl.exp(c) - 0.5
    e = tl.maximum(d, a * 0.1)
    tl.store(y + at, tl.abs(e) + c, inside)


def chain(x: jax.Array, *, block: int = 1024) -> jax.Array:
    """Gives the chain of each element of a float array."""
    return tritonflow.triton_call(
        x,
        kernel=chain_kernel,
        out_type=jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=(triton.cdiv(x.size, block),),
        count=x.size,
        BLOCK=block,
    )


def chain_plainly(a: jax.Array) -> jax.Array:
    """Gives the same in `jax.numpy`."""
    c = a / (a * a + 1.0)
    return jnp.abs(jnp.maximum(jnp.exp(c) - 0.5, a * 0.1)) + c
