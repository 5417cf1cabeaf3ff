# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Layer normalisation, with the sum of a residual branch fused in.

    python examples/layer_norm.py
    tritonflow compile examples/layer_norm.py:layer_norm --arg 'f32[b,384]' \\
        --arg 'f32[384]' --arg 'f32[384]' --target cpu -o layer_norm.vmfb
"""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import triton
import triton.language as tl

import tritonflow


@triton.jit
def layer_norm_kernel(
    x, weight, bias, residual, y, columns, epsilon, BLOCK: tl.constexpr
):
    at = tl.arange(0, BLOCK)
    inside = at < columns
    start = tl.program_id(0).to(tl.int64) * columns
    row = tl.load(x + start + at, inside, other=0.0).to(tl.float32)
    if residual is not None:
        row += tl.load(residual + start + at, inside, other=0.0).to(tl.float32)
    mean = tl.sum(row, axis=0) / columns
    # Lanes past the end must not count as values at a distance of `mean`.
    centred = tl.where(inside, row - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / columns
    normal = centred * tl.rsqrt(variance + epsilon)
    scale = tl.load(weight + at, inside, other=0.0).to(tl.float32)
    shift = tl.load(bias + at, inside, other=0.0).to(tl.float32)
    tl.store(y + start + at, (normal * scale + shift).to(y.dtype.element_ty), inside)


def layer_norm(
    x: jax.Array,
    weight: jax.Array,
    bias: jax.Array,
    residual: jax.Array | None = None,
    *,
    epsilon: float = 1e-5,
) -> jax.Array:
    """Gives `normalise(x + residual) * weight + bias` over the last axis.

    Args:
        x: shape [..., columns], any float dtype; leading dimensions may be symbolic.
        weight: shape [columns], as is `bias`.
        residual: of the shape of `x`; None leaves the sum out.
    """
    columns = x.shape[-1]
    block = triton.next_power_of_2(columns)
    return tritonflow.triton_call(
        x,
        weight,
        bias,
        residual,
        kernel=layer_norm_kernel,
        out_type=jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=(math.prod(x.shape[:-1]),),
        columns=columns,
        epsilon=epsilon,
        BLOCK=block,
        num_warps=min(8, max(1, block // 512)),
    )


def layer_norm_reference(
    x: jax.Array,
    weight: jax.Array,
    bias: jax.Array,
    residual: jax.Array | None = None,
    *,
    epsilon: float = 1e-5,
) -> jax.Array:
    """Gives the same in `jax.numpy`, with float32 sums."""
    row = x.astype(jnp.float32)
    if residual is not None:
        row += residual.astype(jnp.float32)
    centred = row - row.mean(axis=-1, keepdims=True)
    variance = jnp.square(centred).mean(axis=-1, keepdims=True)
    return (centred * jax.lax.rsqrt(variance + epsilon) * weight + bias).astype(x.dtype)


def main() -> None:
    """Compares with plain JAX, with a residual, on a mean far from zero."""
    import numpy as np
    from comparison import check

    rng = np.random.default_rng(0)
    x, residual = rng.standard_normal((2, 1151, 1000), np.float32) + 3
    weight, bias = rng.standard_normal((2, 1000), np.float32)
    check(layer_norm, layer_norm_reference, x, weight, bias, residual, tolerance=1e-5)


if __name__ == "__main__":
    main()
