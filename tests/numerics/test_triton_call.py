# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Every form of argument that `triton_call` takes, run on the CPU against NumPy."""

from __future__ import annotations

import typing

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import triton
import triton.language as tl

import tritonflow
from tritonflow.jax.descriptor import TensorDescriptor


@triton.jit
def pair_kernel(pair, out_ptr, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(pair[0] + index, index < n) * pair[1][0] + pair[1][1]
    tl.store(out_ptr + index, value, index < n)


@triton.jit
def optional_kernel(x_ptr, bias_ptr, out_ptr, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x_ptr + index, index < n)
    if bias_ptr is not None:
        value += tl.load(bias_ptr + index, index < n)
    tl.store(out_ptr + index, value, index < n)


@triton.jit
def update_kernel(x_ptr, total_ptr, third_ptr, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x_ptr + index, index < n)
    total = tl.load(total_ptr + index, index < n)
    tl.store(total_ptr + index, total + value, index < n)
    # Only some elements are written: the others are as zeroed as they started.
    tl.store(third_ptr + index, index, (index < n) & (index % 3 == 0))


@triton.jit
def transpose_kernel(desc, out_ptr, rows, columns, BLOCK: tl.constexpr):
    tile = desc.load([tl.program_id(0) * BLOCK, 0])
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[:, None]
    column = tl.arange(0, BLOCK)[None, :]
    inside = (row < rows) & (column < columns)
    tl.store(out_ptr + column * rows + row, tile, inside)


@triton.jit
def counted_kernel(x_ptr, count: tl.int64, step_ptr, out_ptr, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x_ptr + index, index < count) + tl.load(step_ptr)
    tl.store(out_ptr + index, value, index < count)


N = 133
X = np.random.default_rng(0).standard_normal(N).astype(np.float32)


def like(x):
    return jax.ShapeDtypeStruct(x.shape, x.dtype)


def blocks(meta):
    return (triton.cdiv(meta["n"], meta["BLOCK"]),)


class Affine(typing.NamedTuple):
    array: typing.Any
    numbers: typing.Any


def on_cpu(fn, *args):
    return tritonflow.compile(fn, *args, target="cpu")(*args)


@pytest.mark.parametrize("make", [lambda a, b: (a, b), Affine])
def test_tuples(make):
    def fn(x):
        pair = make(x, (2.5, -1))
        return tritonflow.triton_call(
            pair, kernel=pair_kernel, out_type=like(x), grid=blocks, n=N, BLOCK=64
        )

    np.testing.assert_allclose(np.asarray(on_cpu(fn, X)), X * 2.5 - 1, rtol=1e-6)


def test_none_and_its_absence():
    def call(x, bias):
        return tritonflow.triton_call(
            x,
            bias,
            kernel=optional_kernel,
            out_type=like(x),
            grid=blocks,
            n=N,
            BLOCK=32,
        )

    found = on_cpu(lambda x: {"with": call(x, x), "without": call(x, None)}, X)
    np.testing.assert_array_equal(np.asarray(found["with"]), X + X)
    np.testing.assert_array_equal(np.asarray(found["without"]), X)


def test_aliases_and_zeroed_outputs_leave_inputs_alone():
    def fn(x, total):
        def update(total):
            return tritonflow.triton_call(
                x,
                total,
                kernel=update_kernel,
                out_type=(like(total), jax.ShapeDtypeStruct((N,), jnp.int32)),
                input_output_aliases={1: 0},
                zeroed_outputs=(1,),
                grid=blocks,
                n=N,
                BLOCK=32,
            )

        once, first = update(total)
        twice, second = update(once)
        return total, once, twice, first + second

    total = np.ones(N, np.float32)
    before, once, twice, thirds = on_cpu(fn, X, total)
    np.testing.assert_array_equal(np.asarray(before), 1)
    np.testing.assert_array_equal(total, 1)
    np.testing.assert_allclose(np.asarray(once), 1 + X, rtol=1e-6)
    np.testing.assert_allclose(np.asarray(twice), 1 + X + X, rtol=1e-6)
    index = np.arange(N)
    np.testing.assert_array_equal(np.asarray(thirds), 2 * index * (index % 3 == 0))


def test_descriptors():
    x = np.arange(19 * 12, dtype=np.float32).reshape(19, 12)

    def fn(x):
        rows, columns = x.shape
        return tritonflow.triton_call(
            TensorDescriptor.from_array(x, (16, 16)),
            kernel=transpose_kernel,
            out_type=jax.ShapeDtypeStruct((columns, rows), x.dtype),
            grid=2,
            rows=rows,
            columns=columns,
            BLOCK=16,
        )

    np.testing.assert_array_equal(np.asarray(on_cpu(fn, x)), x.T)


def test_sizes_and_zero_dimensional_arrays_in_one_artifact():
    (b,) = jax.export.symbolic_shape("b")

    def fn(x, step):
        count = jnp.asarray(x.shape[0])
        return tritonflow.triton_call(
            x,
            count,
            step,
            kernel=counted_kernel,
            out_type=like(x),
            grid=(count + 31) // 32,
            BLOCK=32,
        )

    program = tritonflow.compile(
        fn,
        jax.ShapeDtypeStruct((b,), jnp.float32),
        jax.ShapeDtypeStruct((), jnp.float32),
        target="cpu",
    )
    for size in (0, 1, 32, 133):
        found = np.asarray(program(X[:size], np.float32(0.5)))
        np.testing.assert_array_equal(found, X[:size] + np.float32(0.5))


@pytest.mark.parametrize("dtype", ["float32", "uint32", "bool", "bfloat16"])
def test_an_argument_may_be_updated_and_returned(dtype):
    """IREE would return the updated buffer for the argument itself."""

    def fn(x, total):
        def update(total):
            updated, _ = tritonflow.triton_call(
                x,
                total,
                kernel=update_kernel,
                out_type=(like(total), jax.ShapeDtypeStruct((N,), jnp.int32)),
                input_output_aliases={1: 0},
                grid=blocks,
                n=N,
                BLOCK=32,
            )
            return updated

        once = update(total)
        return total, total.reshape(7, 19), total[1:], once, update(once)

    x = np.arange(N).astype(jnp.dtype(dtype))
    total = np.ones(N, jnp.dtype(dtype))
    same, shaped, part, once, twice = map(np.asarray, on_cpu(fn, x, total))
    assert (same == total).all()
    assert (shaped == total.reshape(7, 19)).all()
    assert (part == total[1:]).all()
    expected = (total ^ x, total) if dtype == "bool" else (total + x, total + x + x)
    assert (once == expected[0]).all()
    assert (twice == expected[1]).all()
