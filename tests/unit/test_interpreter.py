# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The interpreter as a reference agrees with NumPy where the arithmetic is exact."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import triton
import triton.language as tl
from tests.interpreter import (
    Descriptor,
    InterpreterError,
    Run,
    interpret,
    interpret_all,
)


@triton.jit
def scale_kernel(x, y, n, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, (tl.load(x + at, at < n) * factor).to(y.dtype.element_ty), at < n)


@triton.jit
def pair_kernel(pair, total, n, BLOCK: tl.constexpr, TYPE: tl.constexpr = tl.int32):
    at = tl.arange(0, BLOCK)
    both = tl.load(pair[0] + at, at < n, 0) + tl.load(pair[1] + at, at < n, 0)
    tl.atomic_add(total, tl.sum(both.to(TYPE)))


@triton.heuristics({"BLOCK": lambda given: triton.next_power_of_2(given["n"])})
@triton.jit
def reverse_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(y + n - 1 - at, tl.load(x + at, at < n), at < n)


@triton.jit
def tile_kernel(source, y, M: tl.constexpr, N: tl.constexpr):
    tile = source.load([tl.program_id(0) * M, 0])
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(y + tl.program_id(0) * M * N + at, tile)


@triton.jit
def broken_kernel(x):
    tl.static_assert(False, "never fine")


def test_many_runs_in_one_child() -> None:
    rng = np.random.default_rng(0)
    runs, expected = [], []
    for dtype in ("int8", "int64", "float16", "float32", "float64", "bfloat16"):
        x = rng.integers(-8, 8, 77).astype(np.dtype(dtype))
        y = np.full(80, 5, x.dtype)
        runs.append(Run(scale_kernel, (3,), (x, y, 77), {"factor": 2, "BLOCK": 32}))
        expected.append(np.concatenate([2 * x, y[77:]]))
    for (x, y), run, want in zip(interpret_all(runs), runs, expected, strict=True):
        np.testing.assert_array_equal(x, run.arguments[0])
        np.testing.assert_array_equal(y, want)
        assert y.dtype == want.dtype


def test_tuples_atomics_and_type_constants() -> None:
    a, b = np.arange(10, dtype=np.int16), np.arange(10, 20, dtype=np.int16)
    total = np.zeros((), np.int32)
    after = interpret(pair_kernel, (3,), (a, b), total, 10, BLOCK=16, TYPE=tl.int32)
    assert after[2] == 3 * (a.sum() + b.sum())


def test_heuristics_and_descriptors() -> None:
    x = np.arange(13, dtype=np.float32)
    np.testing.assert_array_equal(
        interpret(reverse_kernel, (1,), x, np.zeros_like(x), 13)[1], x[::-1]
    )
    source = np.arange(6 * 4, dtype=np.float32).reshape(6, 4)
    _, y = interpret(
        tile_kernel, (2,), Descriptor(source, (4, 4)), np.ones((8, 4), np.float32),
        M=4, N=4,
    )  # fmt: skip
    np.testing.assert_array_equal(y, np.pad(source, ((0, 2), (0, 0))))


def test_values_that_cannot_travel_and_failing_kernels() -> None:
    with pytest.raises(InterpreterError, match="never fine"):
        interpret(broken_kernel, (1,), np.zeros(4, ml_dtypes.bfloat16))
    with pytest.raises(TypeError, match="cannot pass"):
        interpret(scale_kernel, (1,), object())
