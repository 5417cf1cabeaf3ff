# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Dots on scratch and in place, of every element type, against NumPy in float64."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from tests.numerics.cpu.dispatch import Dispatch, run_dispatches, scratch

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


@dataclass(frozen=True)
class Case:
    """One dot: `c + a @ b` for random factors."""

    shape: tuple[int, int, int]
    factor: str = "float32"
    sums: str = "float32"
    tolerance: float = 1e-6
    left: str = "in_place"
    right: str = "rows"
    cpu: CpuFeatures = HOST

    def dispatch(self) -> Dispatch:
        m, n, _ = self.shape
        a, b = self.factors()
        c = random((m, n), np.dtype(self.sums), 3)
        stored_a = a.T if self.left == "transposed" else a
        stored_b = b.T if self.right == "columns" else b
        return Dispatch(self.emit, [stored_a, stored_b, c])

    def factors(self):
        m, n, k = self.shape
        dtype = np.dtype(self.factor)
        return random((m, k), dtype, 1), random((k, n), dtype, 2)

    def emit(self, buffers):
        m, n, k = self.shape
        types = [ir.MemRefType(buffer.type).element_type for buffer in buffers]
        method = choose_method(self.shape, *types, self.cpu)
        emit_dot(
            left_operand(self.left, buffers[0], m, k, method),
            right_operand(self.right, buffers[1], n, k, method),
            Matrix(buffers[2], n),
            self.shape,
            method,
            allocate=scratch,
        )

    def verify(self, got):
        m, n, _ = self.shape
        c = random((m, n), np.dtype(self.sums), 3)
        wide = np.int64 if np.issubdtype(c.dtype, np.integer) else np.float64
        a, b = (factor.astype(wide) for factor in self.factors())
        error = np.abs(got.astype(wide) - (c.astype(wide) + a @ b))
        assert (error / (1 + np.abs(a) @ np.abs(b))).max() <= self.tolerance, self


def check(cases):
    results = run_dispatches([case.dispatch() for case in cases])
    for case, result in zip(cases, results, strict=True):
        case.verify(result)


SHAPES = [
    (16, 16, 16), (64, 32, 64), (16, 128, 8), (128, 16, 32), (1, 64, 16), (2, 2, 1),
    (4, 256, 2), (24, 40, 12), (8, 96, 5),
]  # fmt: skip

NEEDS_AVX2 = pytest.mark.skipif(not HOST.has("avx2"), reason="this CPU has no AVX2")

CPUS = pytest.mark.parametrize(
    "cpu",
    [
        pytest.param(HOST, id="host"),
        pytest.param(AVX2, id="avx2", marks=[pytest.mark.slow, NEEDS_AVX2]),
        pytest.param(PLAIN, id="plain", marks=pytest.mark.slow),
    ],
)


@CPUS
def test_any_shape(cpu):
    check([Case(shape, cpu=cpu) for shape in SHAPES])


@pytest.mark.parametrize(
    ("factor", "sums", "tolerance"),
    [
        ("float32", "float32", 1e-6),
        ("bfloat16", "float32", 1e-5),
        ("int8", "int32", 0),
    ],
)
def test_every_way_to_read_factors(factor, sums, tolerance):
    lefts = ["in_place", "scratch", "transposed"]
    if factor == "float32":
        lefts.append("k_major")
    check(
        [
            Case((32, 64, 32), factor, sums, tolerance, left, right)
            for left in lefts
            for right in ("rows", "scratch", "columns")
        ]
    )


TYPES = [
    ("float64", "float64", 1e-15),
    ("float16", "float32", 1e-6),
    ("float16", "float16", 1e-3),
    ("bfloat16", "float32", 1e-6),
    ("bfloat16", "bfloat16", 1e-2),
    ("float8_e4m3fn", "float32", 1e-6),
    ("int8", "int32", 0),
    ("int32", "int32", 0),
]


@CPUS
def test_every_element_type(cpu):
    check([Case((16, 32, 32), *types, cpu=cpu) for types in TYPES])
