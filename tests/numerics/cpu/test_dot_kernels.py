# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Dots on scratch and in place, of every element type, against NumPy in float64."""

from __future__ import annotations

import numpy as np
import pytest
from tests.numerics.cpu.dispatch import run_dispatch, scratch

from tritonflow.cpu.dot_kernels import (
    LeftInPlace,
    LeftScratch,
    Matrix,
    RightColumns,
    RightRows,
    RightScratch,
    choose_method,
    emit_dot,
)
from tritonflow.cpu.features import CpuFeatures, host_features
from tritonflow.cpu.transpose_kernels import (
    emit_copy,
    emit_transposing_copy,
    index_constant,
)
from tritonflow.mlir import arith, ir, vector

HOST = host_features()
PLAIN = CpuFeatures(128)
AVX2 = CpuFeatures(256, frozenset({"avx2", "fma"}))


def random(shape, dtype, seed):
    generator = np.random.default_rng(seed)
    if np.issubdtype(dtype, np.integer):
        return generator.integers(-128, 128, shape).astype(dtype)
    return generator.standard_normal(shape).astype(dtype)


def strips(buffer, row_stride):
    """Strips of a matrix in a flat buffer."""
    element = ir.MemRefType(buffer.type).element_type

    def load(row, column, width):
        start = arith.addi(arith.muli(row, index_constant(row_stride)), column)
        return vector.load(ir.VectorType.get([width], element), buffer, [start])

    return element, load


def left_operand(kind, buffer, m, k, method):
    element, load = strips(buffer, k)
    if kind == "transposed":
        left = LeftInPlace(buffer, lambda i: (i, index_constant(m)))
    else:
        left = LeftInPlace(
            buffer,
            lambda i: (arith.muli(i, index_constant(k)), index_constant(1)),
            has_pairs=True,
        )
    if kind == "k_major":
        target = Matrix(scratch(k * m, method.acc), m)
        emit_transposing_copy(load, target, k)
        return LeftScratch(target, is_k_major=True)
    if kind == "scratch" or method.wants_packed_left(element, has_pairs=left.has_pairs):
        target = Matrix(scratch(m * k, method.left_element), k)
        if kind == "transposed":
            emit_transposing_copy(strips(buffer, m)[1], target, m)
        else:
            emit_copy(load, target, m)
        return LeftScratch(target)
    return left


def right_operand(kind, buffer, n, k, method):
    element, load = strips(buffer, k if kind == "columns" else n)
    if kind == "columns":
        return RightColumns(element, load)
    if kind == "rows":
        return RightRows(element, load)
    target = Matrix(scratch(k * n, element), n)
    emit_copy(load, target, k)
    return RightScratch(target)


def dot(a, b, c, *, left="in_place", right="rows", cpu=HOST, **options):
    """Runs one dot; gives `c + a @ b` as the CPU has it."""
    m, k = a.shape
    n = b.shape[1]

    def emit(buffers):
        types = [ir.MemRefType(buffer.type).element_type for buffer in buffers]
        method = choose_method((m, n, k), *types, cpu)
        emit_dot(
            left_operand(left, buffers[0], m, k, method),
            right_operand(right, buffers[1], n, k, method),
            Matrix(buffers[2], n),
            (m, n, k),
            method,
            allocate=scratch,
            **options,
        )

    stored_a = a.T if left == "transposed" else a
    stored_b = b.T if right == "columns" else b
    return run_dispatch(emit, [stored_a, stored_b], c)


def check(a, b, c, tolerance, **options):
    got = dot(a, b, c, **options)
    wide = np.int64 if np.issubdtype(c.dtype, np.integer) else np.float64
    want = c.astype(wide) + a.astype(wide) @ b.astype(wide)
    scale = 1 + np.abs(a.astype(wide)) @ np.abs(b.astype(wide))
    error = np.abs(got.astype(wide) - want) / scale
    assert error.max() <= tolerance


SHAPES = [
    (16, 16, 16),
    (64, 32, 64),
    (16, 128, 8),
    (128, 16, 32),
    (1, 64, 16),
    (2, 2, 1),
    (4, 256, 2),
    (24, 40, 12),
    (8, 96, 5),
]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("cpu", [HOST, AVX2, PLAIN], ids=["avx512", "avx2", "plain"])
def test_f32_of_any_shape(shape, cpu):
    m, n, k = shape
    a, b = random((m, k), np.float32, 1), random((k, n), np.float32, 2)
    check(a, b, random((m, n), np.float32, 3), 1e-6, cpu=cpu)


@pytest.mark.parametrize("left", ["in_place", "scratch", "transposed", "k_major"])
@pytest.mark.parametrize("right", ["rows", "scratch", "columns"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int8"])
def test_every_way_to_read_factors(left, right, dtype):
    if left == "k_major" and dtype != "float32":
        pytest.skip("pairs lie along k")
    m, n, k = 32, 64, 32
    a, b = random((m, k), np.dtype(dtype), 1), random((k, n), np.dtype(dtype), 2)
    sums = np.dtype(np.int32 if dtype == "int8" else np.float32)
    tolerance = {"float32": 1e-6, "bfloat16": 1e-5, "int8": 0}[dtype]
    check(a, b, random((m, n), sums, 3), tolerance, left=left, right=right)


TYPES = [
    ("float64", "float64", 1e-15),
    ("float32", "float32", 1e-6),
    ("float16", "float32", 1e-6),
    ("float16", "float16", 1e-3),
    ("bfloat16", "float32", 1e-6),
    ("bfloat16", "bfloat16", 1e-2),
    ("float8_e4m3fn", "float32", 1e-6),
    ("int8", "int32", 0),
    ("int32", "int32", 0),
]


@pytest.mark.parametrize("cpu", [HOST, AVX2, PLAIN], ids=["avx512", "avx2", "plain"])
@pytest.mark.parametrize(("factor", "sums", "tolerance"), TYPES)
def test_every_element_type(factor, sums, tolerance, cpu):
    a, b = random((16, 32), np.dtype(factor), 1), random((32, 32), np.dtype(factor), 2)
    check(a, b, random((16, 32), np.dtype(sums), 3), tolerance, cpu=cpu)
