# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The same encoder in plain `jax.numpy`: what the kernels are compared with."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp

from .encoder import Config, embed_tokens, pool


def encode_plainly(
    params: Any, tokens: jax.Array, mask: jax.Array, *, config: Config
) -> jax.Array:
    """Gives what `encode` gives, from the same parameters."""
    x = _norm(embed_tokens(params["embeddings"], tokens), params["embeddings"]["norm"])
    for layer in params["layers"]:
        x = _norm(x + _attention(x, layer, mask, config), layer["mix_norm"])
        wide = jax.nn.gelu(_product(x, layer["up"]), approximate=False)
        x = _norm(x + _product(wide, layer["down"]), layer["norm"])
    return pool(x, mask)


def _attention(x: jax.Array, layer: Any, mask: jax.Array, config: Config) -> jax.Array:
    qkv = _product(x, layer["qkv"])
    heads = (*x.shape[:2], config.heads, config.hidden // config.heads)
    q, k, v = (part.reshape(heads) for part in jnp.split(qkv, 3, axis=-1))
    score = jnp.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(heads[-1])
    score = jnp.where(mask[:, None, None, :] != 0, score, jnp.finfo(score.dtype).min)
    share = jax.nn.softmax(score, axis=-1)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", share, v)
    return _product(mixed.reshape(x.shape), layer["mix"])


def _product(x: jax.Array, dense: Any) -> jax.Array:
    return x @ dense["weight"] + dense["bias"]


def _norm(x: jax.Array, norm: Any, epsilon: float = 1e-12) -> jax.Array:
    row = x.astype(jnp.float32)
    centred = row - row.mean(axis=-1, keepdims=True)
    variance = jnp.square(centred).mean(axis=-1, keepdims=True)
    normal = centred * jax.lax.rsqrt(variance + epsilon)
    return (normal * norm["weight"] + norm["bias"]).astype(x.dtype)
