# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""JAX functions exported with symbolic shapes give what JAX gives, for every size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.unit.passes.programs import Lowered, lower

SIZES = ((1, 5), (3, 16), (8, 4), (0, 3))
"""Values of the symbols `b` and `s`."""


def export(fn: Callable[..., Any], shapes: Sequence[str], dtypes: Sequence[Any]):
    """`fn` lowered for arguments with shapes such as `b, s, 32`."""
    arguments = []
    scope = jax.export.SymbolicScope()
    for shape, dtype in zip(shapes, dtypes, strict=True):
        dims = jax.export.symbolic_shape(shape, scope=scope)
        arguments.append(jax.ShapeDtypeStruct(dims, dtype))
    exported = jax.export.export(jax.jit(fn, keep_unused=True), platforms=["iree"])
    return lower(exported(*arguments).mlir_module())


def check(
    program: Lowered,
    fn: Callable[..., Any],
    shapes: Sequence[str],
    dtypes: Sequence[Any],
    sizes: Sequence[tuple[int, int]] = SIZES,
    tolerance: float = 1e-4,
) -> None:
    random = np.random.default_rng(0)
    for b, s in sizes:
        arguments = []
        for shape, dtype in zip(shapes, dtypes, strict=True):
            named = {"b": b, "s": s}
            parts = shape.replace(" ", "").split(",")
            dims = [named[part] if part in named else int(part) for part in parts]
            if np.issubdtype(dtype, np.integer):
                arguments.append(random.integers(0, 100, dims).astype(dtype))
            else:
                arguments.append(random.standard_normal(dims).astype(dtype))
        expected = jax.tree.leaves(fn(*map(jnp.asarray, arguments)))
        for got, want in zip(program(*arguments), expected, strict=True):
            assert got.shape == want.shape
            np.testing.assert_allclose(
                got.astype(np.float64),
                np.asarray(want, np.float64),
                rtol=tolerance,
                atol=tolerance,
            )


def softmax(x):
    return jax.nn.softmax(x, axis=-1)


def layer_norm(x, gain, bias):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * gain + bias


def mlp(x, w1, bias, w2):
    return jax.nn.gelu(x @ w1 + bias) @ w2


def attention(x, w, mask):
    batch, tokens, width = x.shape
    heads, size = 4, width // 4
    q = (x @ w).reshape(batch, tokens, heads, size)
    k = (x @ w.T).reshape(batch, tokens, heads, size)
    v = x.reshape(batch, tokens, heads, size)
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(size)
    scores = jnp.where(mask[:, None, None, :] > 0, scores, -1e9)
    weights = jax.nn.softmax(scores, -1)
    return jnp.einsum("bhqk,bkhd->bqhd", weights, v).reshape(batch, tokens, width)


def pieces(x):
    return (
        x[:, 1:-1],
        x[:, -1],
        x[::-1],
        jnp.pad(x, ((0, 1), (2, 0)), constant_values=3.0),
        jnp.concatenate([x, x], 0),
        x.reshape(-1),
        jnp.take_along_axis(x, (x > 0).astype(jnp.int32), -1),
        x.at[:, 1].set(2.0),
        x.sum(),
        jnp.argmax(x, axis=-1),
    )


def embedding(table, ids):
    positions = jnp.arange(ids.shape[1], dtype=jnp.float32)
    return table[ids] + positions[None, :, None], table[ids[:, 0]]


def updates(x, row, start):
    return (
        jax.lax.dynamic_update_slice(x, row, (start[0], 1)),
        jax.lax.dynamic_update_slice(x, row, (x.shape[0] - 1, 0)),
        jax.lax.dynamic_slice(x, (start[0], 0), (1, 3)),
    )


F32, I32, U8 = np.float32, np.int32, np.uint8

CASES = {
    "softmax": (softmax, ["b, 781"], [F32]),
    "layer_norm": (layer_norm, ["b, s", "s", "s"], [F32] * 3),
    "mlp": (mlp, ["b, s, 32", "32, 64", "64", "64, 32"], [F32] * 4),
    "attention": (attention, ["b, s, 32", "32, 32", "b, s"], [F32] * 3),
    "pieces": (pieces, ["b, s"], [F32]),
    "updates": (updates, ["b, 8", "1, 3", "2"], [F32, F32, I32]),
    "embedding": (embedding, ["100, 16", "b, s"], [F32, I32]),
}


SLOW = ("attention", "layer_norm", "mlp", "pieces")


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in CASES],
)
def test_against_jax(name: str):
    fn, shapes, dtypes = CASES[name]
    sizes = [s for s in SIZES if min(s) > 0 or name != "updates"]
    check(export(fn, shapes, dtypes), fn, shapes, dtypes, sizes)


@pytest.mark.slow
def test_unsigned_and_narrow_types():
    def fn(x, y, z):
        return (
            x[:, None] * jnp.ones((1, 3), x.dtype),
            jnp.where(x > 200, x, 0)[::-1],
            jnp.einsum("bsk,kn->bsn", y, z),
            jnp.einsum("bsk,kn->bsn", y, z, preferred_element_type=jnp.float32),
        )

    shapes, dtypes = ["b", "b, s, 8", "8, 4"], [U8, jnp.float16, jnp.float16]
    check(export(fn, shapes, dtypes), fn, shapes, dtypes, tolerance=5e-3)


@pytest.mark.slow
def test_a_dot_of_integers_and_in_bf16():
    def fn(x, y, z):
        return (
            jnp.einsum("bsk,kn->bsn", x, y, preferred_element_type=jnp.int32),
            jnp.einsum("bsk,nk->bsn", z, z[0]).astype(jnp.float32),
        )

    shapes = ["b, s, 8", "8, 4", "b, s, 8"]
    dtypes = [np.int8, np.int8, jnp.bfloat16]
    sizes = [(1, 5), (3, 16)]
    check(export(fn, shapes, dtypes), fn, shapes, dtypes, sizes, tolerance=2e-2)


def test_shapes_of_every_kind_of_arithmetic():
    """Sizes of results are folded to the host: each against Python's own arithmetic."""

    def sizes(b: Any, s: Any) -> list[Any]:
        return [
            (b + 127) // 128,
            b % 3,
            jax.core.max_dim(b, 4) if hasattr(b, "scope") else max(b, 4),
            jax.core.min_dim(b, s) if hasattr(b, "scope") else min(b, s),
            2 * b * s + 1,
            (3 * s) // 2 + b,
            b * b,
        ]

    def fn(x):
        return [jnp.ones((size,), jnp.int8) for size in sizes(*x.shape)]

    program = export(fn, ["b, s"], [F32])
    for b, s in (*SIZES, (128, 1), (129, 2)):
        results = program(np.zeros((b, s), np.float32))
        assert [r.shape[0] for r in results] == sizes(b, s)
        assert all((r == 1).all() for r in results)
