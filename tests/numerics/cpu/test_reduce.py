# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Reductions along every axis, with every kind of combination, against NumPy."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import triton
import triton.language as tl

from .harness import Launch, run

RNG = np.random.default_rng(0)


@triton.jit
def multiply(a, b):
    return a * b


@triton.jit
def all_kinds(x, out, BLOCK: tl.constexpr):
    a = tl.load(x + tl.arange(0, BLOCK))
    tl.store(out + 0, tl.sum(a, axis=0))
    tl.store(out + 1, tl.max(a, axis=0))
    tl.store(out + 2, tl.min(a, axis=0))
    tl.store(out + 3, tl.argmax(a, axis=0).to(a.dtype))
    tl.store(out + 4, tl.argmin(a, axis=0).to(a.dtype))
    tl.store(out + 5, tl.reduce(a, 0, multiply))


def test_rank_one_of_every_size_and_type() -> None:
    launches = []
    for dtype in (np.int16, np.int32, np.int64, np.float32, np.float64):
        for size in (1, 2, 64, 1024) if dtype != np.int16 else (16, 128):
            x = RNG.integers(-100, 100, size).astype(dtype)
            if np.dtype(dtype).kind == "f":
                x = RNG.standard_normal(size).astype(dtype)
            out = np.zeros(6, dtype)
            launches.append(Launch(all_kinds, [x, out], (1,), {"BLOCK": size}))
    run(*launches)
    for launch in launches:
        x, out = launch.arguments
        with np.errstate(over="ignore"):
            expected = [x.sum(), x.max(), x.min(), x.argmax(), x.argmin(), x.prod()]
        wanted = np.array(expected).astype(x.dtype)
        if x.dtype.kind == "f":
            tolerance = 1e-4 if x.dtype == np.float32 else 1e-10
            np.testing.assert_allclose(out, wanted, tolerance, tolerance)
        else:
            np.testing.assert_array_equal(out, wanted, f"{x.dtype} {len(x)}")


@triton.jit
def bits(x, out, BLOCK: tl.constexpr):
    a = tl.load(x + tl.arange(0, BLOCK))
    tl.store(out + 0, tl.xor_sum(a, axis=0))
    tl.store(out + 1, tl.reduce_or(a, axis=0))
    tl.store(out + 2, tl.max(a, axis=0))
    tl.store(out + 3, tl.min(a, axis=0))


def test_bit_operations_and_unsigned_extrema() -> None:
    launches = []
    for dtype in (np.uint8, np.uint32, np.int64):
        limits = np.iinfo(dtype)
        x = RNG.integers(limits.min, limits.max, 128).astype(dtype)
        launches.append(Launch(bits, [x, np.zeros(4, dtype)], (1,), {"BLOCK": 128}))
    run(*launches)
    for launch in launches:
        x, out = launch.arguments
        xor, union = np.bitwise_xor.reduce(x), np.bitwise_or.reduce(x)
        np.testing.assert_array_equal(out, [xor, union, x.max(), x.min()])


@triton.jit
def rank_two(
    x, sums, maxima, places, AXIS: tl.constexpr, R: tl.constexpr, C: tl.constexpr
):
    r, c = tl.arange(0, R)[:, None], tl.arange(0, C)[None, :]
    a = tl.load(x + r * C + c)
    left: tl.constexpr = C if AXIS == 0 else R
    i = tl.arange(0, left)
    tl.store(sums + i, tl.sum(a, axis=AXIS))
    tl.store(maxima + i, tl.max(a, axis=AXIS))
    tl.store(places + i, tl.argmin(a, axis=AXIS))


@pytest.mark.parametrize("axis", [0, 1])
def test_rank_two(axis: int) -> None:
    launches = []
    for shape in ((1, 64), (64, 1), (4, 4), (32, 128), (128, 2), (2, 512)):
        x = RNG.standard_normal(shape).astype(np.float32)
        left = shape[1 - axis]
        outs = [np.zeros(left, np.float32) for _ in range(2)]
        places = np.zeros(left, np.int32)
        constants = {"AXIS": axis, "R": shape[0], "C": shape[1]}
        launches.append(Launch(rank_two, [x, *outs, places], (1,), constants))
    run(*launches)
    for launch in launches:
        x, sums, maxima, places = launch.arguments
        np.testing.assert_allclose(sums, x.sum(axis), 1e-4, 1e-5)
        np.testing.assert_array_equal(maxima, x.max(axis))
        np.testing.assert_array_equal(places, x.argmin(axis))


@triton.jit
def rank_three(
    x, out, AXIS: tl.constexpr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr
):
    a = tl.arange(0, A)[:, None, None]
    b = tl.arange(0, B)[None, :, None]
    c = tl.arange(0, C)[None, None, :]
    value = tl.load(x + (a * B + b) * C + c)
    total = tl.sum(value, axis=AXIS)
    if AXIS == 0:
        where = tl.arange(0, B)[:, None] * C + tl.arange(0, C)[None, :]
    elif AXIS == 1:
        where = tl.arange(0, A)[:, None] * C + tl.arange(0, C)[None, :]
    else:
        where = tl.arange(0, A)[:, None] * B + tl.arange(0, B)[None, :]
    tl.store(out + where, total)


def test_rank_three() -> None:
    launches = []
    for axis in range(3):
        x = RNG.integers(-9, 9, (4, 8, 16)).astype(np.int32)
        out = np.zeros_like(x.sum(axis, dtype=np.int32))
        constants = {"AXIS": axis, "A": 4, "B": 8, "C": 16}
        launches.append(Launch(rank_three, [x, out], (1,), constants))
    run(*launches)
    for axis, launch in enumerate(launches):
        np.testing.assert_array_equal(
            launch.arguments[1], launch.arguments[0].sum(axis)
        )


@triton.jit
def nan_extrema(x, out, BLOCK: tl.constexpr):
    a = tl.load(x + tl.arange(0, BLOCK))
    tl.store(out + 0, tl.max(a, axis=0))
    tl.store(out + 1, tl.min(a, axis=0))
    tl.store(out + 2, tl.sum(a, axis=0))


def test_nan_and_infinity() -> None:
    rows = np.zeros((5, 128), np.float32) + RNG.standard_normal((5, 128)).astype("f4")
    rows[0, 3] = np.nan
    rows[1, :] = np.nan
    rows[2, 5] = np.inf
    rows[3, :] = -np.inf
    rows[4, :] = -0.0
    launches = [
        Launch(nan_extrema, [row.copy(), np.zeros(3, np.float32)], (1,), {"BLOCK": 128})
        for row in rows
    ]
    run(*launches)
    for launch in launches:
        x, out = launch.arguments
        with np.errstate(invalid="ignore"):
            expected = [
                np.fmax.reduce(x),
                np.fmin.reduce(x),
                x.astype(np.float64).sum(),
            ]
        np.testing.assert_allclose(out, expected, 1e-4, 1e-5)


@triton.jit
def welford_combine(mean_a, m2_a, weight_a, mean_b, m2_b, weight_b):
    delta = mean_b - mean_a
    weight = weight_a + weight_b
    share = weight_b / weight
    mean = mean_a + delta * share
    return mean, m2_a + m2_b + delta * delta * weight_a * share, weight


@triton.jit
def welford(x, out, R: tl.constexpr, C: tl.constexpr):
    r, c = tl.arange(0, R)[:, None], tl.arange(0, C)[None, :]
    a = tl.load(x + r * C + c)
    zeros = tl.zeros((R, C), tl.float32)
    mean, m2, _ = tl.reduce((a, zeros, zeros + 1.0), 1, welford_combine)
    tl.store(out + tl.arange(0, R), mean)
    tl.store(out + R + tl.arange(0, R), m2 / C)


def test_combination_of_three_values() -> None:
    x, out = RNG.standard_normal((16, 256)).astype(np.float32), np.zeros((2, 16), "f4")
    run(Launch(welford, [x, out], (1,), {"R": 16, "C": 256}))
    wide = x.astype(np.float64)
    np.testing.assert_allclose(out, [wide.mean(1), wide.var(1)], 1e-4, 1e-5)


@triton.jit
def twice(a, b):
    return a + b + 1


@triton.jit
def with_constant(x, out, BLOCK: tl.constexpr):
    tl.store(out, tl.reduce(tl.load(x + tl.arange(0, BLOCK)), 0, twice))


def test_constants_in_the_combination() -> None:
    x, out = RNG.integers(0, 9, 256).astype(np.int32), np.zeros(1, np.int32)
    run(Launch(with_constant, [x, out], (1,), {"BLOCK": 256}))
    assert out[0] == x.sum() + 255


@triton.jit
def masked_mean(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    a = tl.load(x + row * n + i, mask=i < n, other=0.0).to(tl.float32)
    mean = tl.sum(a, axis=0) / n
    centred = tl.where(i < n, a - mean, 0.0)
    tl.store(out + row, tl.sum(centred * centred, axis=0) / n)


def test_masked_rows_of_short_floats() -> None:
    launches = []
    for dtype in (np.float16, ml_dtypes.bfloat16, np.float32):
        x = RNG.standard_normal((7, 333)).astype(dtype)
        out = np.zeros(7, np.float32)
        launches.append(Launch(masked_mean, [x, out, 333], (7,), {"BLOCK": 512}))
    run(*launches)
    for launch in launches:
        x, out, _ = launch.arguments
        np.testing.assert_allclose(out, x.astype(np.float64).var(1), 1e-4, 1e-5)


@triton.jit
def any_positive(x, out, BLOCK: tl.constexpr):
    a = tl.load(x + tl.arange(0, BLOCK))
    tl.store(out, tl.reduce_or((a > 0).to(tl.int1), axis=0))


def test_reduction_of_booleans() -> None:
    launches = [
        Launch(any_positive, [x, np.zeros(1, np.bool_)], (1,), {"BLOCK": 128})
        for x in (-np.ones(128, np.float32), np.eye(1, 128, 77, np.float32)[0])
    ]
    run(*launches)
    assert [bool(launch.arguments[1][0]) for launch in launches] == [False, True]
