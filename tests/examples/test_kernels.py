# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The examples' kernels under Triton's interpreter against NumPy in float64."""

from __future__ import annotations

from math import erf

import flash_attention as fa
import layer_norm as ln
import matmul as mm
import numpy as np
import pytest
import softmax as sm
import vector_add as va

pytestmark = pytest.mark.usefixtures("interpreter")
rng = np.random.default_rng(7)


def normal(*shape: int, dtype: str = "float32") -> np.ndarray:
    return rng.standard_normal(shape).astype(np.dtype(dtype))


def softmax64(x: np.ndarray) -> np.ndarray:
    power = np.exp(x - x.max(-1, keepdims=True))
    return power / power.sum(-1, keepdims=True)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32"])
def test_vector_add(dtype: str) -> None:
    x, y = (normal(3, 701) * 100).astype(dtype), (normal(3, 701) * 100).astype(dtype)
    np.testing.assert_array_equal(va.vector_add(x, y), x + y)


@pytest.mark.parametrize(("shape", "scale"), [((5, 781), 30), ((2, 3, 1), 1)])
def test_softmax(shape: tuple[int, ...], scale: float) -> None:
    x = normal(*shape) * scale
    expected = softmax64(x.astype(np.float64))
    np.testing.assert_allclose(sm.softmax(x), expected, atol=1e-6)


@pytest.mark.parametrize("with_residual", [False, True])
def test_layer_norm(with_residual: bool) -> None:
    x, weight, bias = normal(2, 5, 100) + 50, normal(100), normal(100)
    residual = normal(2, 5, 100) if with_residual else None
    row = x.astype(np.float64) + (0 if residual is None else residual)
    expected = (row - row.mean(-1, keepdims=True)) / np.sqrt(
        row.var(-1, keepdims=True) + 1e-5
    ) * weight + bias
    found = ln.layer_norm(x, weight, bias, residual)
    np.testing.assert_allclose(found, expected, atol=2e-4)
    reference = ln.layer_norm_reference(x, weight, bias, residual)
    np.testing.assert_allclose(reference, expected, atol=2e-4)


@pytest.mark.parametrize(
    ("m", "k", "n", "dtype", "atol"),
    [
        (70, 40, 50, "float32", 1e-4),
        (1, 16, 16, "float32", 1e-4),
        (300, 64, 32, "float32", 1e-4),
        (33, 48, 96, "float16", 5e-2),
    ],
)
def test_matmul(m: int, k: int, n: int, dtype: str, atol: float) -> None:
    a, b, bias = normal(m, k, dtype=dtype), normal(k, n, dtype=dtype), normal(n)
    tile = mm.Tile(32, 16, 16, BAND=3)
    product = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(mm.matmul(a, b, tile=tile), product, atol=atol)
    sums = product + bias
    expected = sums * 0.5 * (1 + np.vectorize(erf)(sums / np.sqrt(2)))
    found = mm.matmul(a, b, bias, activation="gelu", tile=tile)
    np.testing.assert_allclose(found, expected, atol=atol)
    reference = mm.matmul_reference(a, b, bias, activation="gelu")
    np.testing.assert_allclose(reference, expected, atol=atol)


def test_matmul_refuses_an_unknown_activation() -> None:
    with pytest.raises(ValueError, match="'relu', expected None or 'gelu'"):
        mm.matmul(normal(16, 16), normal(16, 16), activation="relu")


def attention64(q, k, v, visible):
    score = np.einsum("bqhd,bkhd->bhqk", *(a.astype(np.float64) for a in (q, k)))
    score = np.where(visible, score / np.sqrt(q.shape[-1]), -np.inf)
    blind = ~np.broadcast_to(visible, score.shape).any(-1, keepdims=True)
    share = np.where(blind, 0, softmax64(np.where(blind, 0, score)))
    return np.einsum("bhqk,bkhd->bqhd", share, v.astype(np.float64))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dim", [32, 20])
def test_flash_attention(causal: bool, dim: int) -> None:
    q, k, v = (normal(2, 41, 3, dim) for _ in range(3))
    visible = np.tril(np.ones((41, 41), bool)) if causal else np.ones((41, 41), bool)
    tile = fa.Tile(16, 16)
    found = fa.flash_attention(q, k, v, causal=causal, tile=tile)
    expected = attention64(q, k, v, visible)
    np.testing.assert_allclose(found, expected, atol=2e-6)
    reference = fa.attention_reference(q, k, v, causal=causal)
    np.testing.assert_allclose(reference, expected, atol=2e-6)


@pytest.mark.parametrize("mask_dtype", ["int32", "bool"])
def test_attention_with_padding(mask_dtype: str) -> None:
    q, k, v = normal(3, 17, 2, 16), normal(3, 35, 2, 16), normal(3, 35, 2, 16)
    mask = (np.arange(35) < np.array([[35], [9], [0]])).astype(mask_dtype)
    found = fa.flash_attention(q, k, v, mask, tile=fa.Tile(16, 16))
    expected = attention64(q, k, v, (mask != 0)[:, None, None, :])
    np.testing.assert_allclose(found, expected, atol=2e-6)
    assert not found[2].any(), "a query that sees no key gives zeros"
    reference = fa.attention_reference(q, k, v, mask)
    np.testing.assert_allclose(reference, expected, atol=2e-6)


def test_packed_attention_is_attention_of_its_parts() -> None:
    qkv, mask = normal(2, 23, 3 * 4 * 16), np.arange(23) < np.array([[23], [5]])
    q, k, v = (part.reshape(2, 23, 4, 16) for part in np.split(qkv, 3, axis=-1))
    found = fa.packed_attention(qkv, 4, mask, tile=fa.Tile(16, 16))
    expected = attention64(q, k, v, mask[:, None, None, :])
    np.testing.assert_allclose(found.reshape(expected.shape), expected, atol=2e-6)
