# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""A BERT encoder for sentences whose products, norms and attention are Triton kernels.

The parameters are a tree of dictionaries, as `weights.py` makes it: matrices are stored
as [inputs, outputs], so that kernels read their rows in order, and the matrices of
queries, keys and values are one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import flash_attention
import jax
import jax.numpy as jnp
import matmul
from layer_norm import layer_norm


@dataclass(frozen=True)
class Config:
    """Sizes of a model; the defaults are those of all-MiniLM-L6-v2."""

    layers: int = 6
    hidden: int = 384
    heads: int = 12
    feed_forward: int = 1536
    vocabulary: int = 30522
    positions: int = 512
    epsilon: float = 1e-12


@dataclass(frozen=True)
class Tiles:
    """How the kernels cut their work: a choice of the user's, for each device."""

    product: matmul.Tile | None = None
    attention: flash_attention.Tile | None = None


def tiles_for(target: str) -> Tiles:
    """Gives tiles that suit a device kind, whose name `target` starts with."""
    if target.startswith("cpu"):
        return Tiles(matmul.Tile(128, 64, 128), flash_attention.Tile(128, 64))
    return Tiles(matmul.Tile(64, 64, 32), flash_attention.Tile(64, 64))


def encode(
    params: Any,
    tokens: jax.Array,
    mask: jax.Array,
    *,
    config: Config,
    tiles: Tiles | None = None,
) -> jax.Array:
    """Gives one vector of length 1 for each sentence: shape [batch, hidden].

    Args:
        params: tree of weights; their dtype is that of the computation.
        tokens: token numbers, shape [batch, length], int32; batch may be symbolic.
        mask: 1 for tokens, 0 for padding, shape [batch, length], int32.
    """
    tiles = tiles or Tiles()
    x = embed_tokens(params["embeddings"], tokens)
    x = _norm(x, params["embeddings"]["norm"], None, config)
    for layer in params["layers"]:
        qkv = _product(x, layer["qkv"], tiles)
        mixed = flash_attention.packed_attention(
            qkv, config.heads, mask, tile=tiles.attention
        )
        branch = _product(mixed, layer["mix"], tiles)
        x = _norm(branch, layer["mix_norm"], x, config)
        wide = _product(x, layer["up"], tiles, activation="gelu")
        x = _norm(_product(wide, layer["down"], tiles), layer["norm"], x, config)
    return pool(x, mask)


def embed_tokens(params: Any, tokens: jax.Array) -> jax.Array:
    """Gives the sum of word, position and type vectors: [batch, length, hidden]."""
    return (
        params["word"][tokens]
        + params["position"][: tokens.shape[1]]
        + params["type"][0]
    )


def pool(x: jax.Array, mask: jax.Array) -> jax.Array:
    """Gives the mean over each sentence's tokens, scaled to length 1, in float32."""
    weight = mask.astype(jnp.float32)[..., None]
    mean = (x * weight).sum(axis=1) / jnp.maximum(weight.sum(axis=1), 1e-9)
    return mean / jnp.linalg.norm(mean, axis=-1, keepdims=True)


def _product(
    x: jax.Array, dense: Any, tiles: Tiles, activation: str | None = None
) -> jax.Array:
    return matmul.matmul(
        x, dense["weight"], dense["bias"], activation=activation, tile=tiles.product
    )


def _norm(
    x: jax.Array, norm: Any, residual: jax.Array | None, config: Config
) -> jax.Array:
    weight, bias = norm["weight"], norm["bias"]
    return layer_norm(x, weight, bias, residual, epsilon=config.epsilon)
