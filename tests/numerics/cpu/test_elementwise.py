# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Arithmetic, comparisons, functions and casts of every type, against NumPy."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import scipy.special
import triton
import triton.language as tl

from .harness import Launch, run

SIZE = 300
BLOCK = 256

INTEGERS = [np.int8, np.int16, np.int32, np.int64]
UNSIGNED = [np.uint8, np.uint16, np.uint32, np.uint64]
FLOATS = [np.float16, ml_dtypes.bfloat16, np.float32, np.float64]


@triton.jit
def integers(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    a = tl.load(x + i, mask=inside)
    b = tl.load(y + i, mask=inside)
    tl.store(out + 0 * n + i, a + b, mask=inside)
    tl.store(out + 1 * n + i, a - b, mask=inside)
    tl.store(out + 2 * n + i, a * b, mask=inside)
    tl.store(out + 3 * n + i, a // b, mask=inside)
    tl.store(out + 4 * n + i, a % b, mask=inside)
    tl.store(out + 5 * n + i, a & b, mask=inside)
    tl.store(out + 6 * n + i, a | b, mask=inside)
    tl.store(out + 7 * n + i, a ^ b, mask=inside)
    tl.store(out + 8 * n + i, a << (b & 7), mask=inside)
    tl.store(out + 9 * n + i, a >> (b & 7), mask=inside)
    tl.store(out + 10 * n + i, tl.minimum(a, b), mask=inside)
    tl.store(out + 11 * n + i, tl.maximum(a, b), mask=inside)
    tl.store(out + 12 * n + i, tl.where(a < b, a, b + 1), mask=inside)
    tl.store(out + 13 * n + i, (a <= b).to(a.dtype), mask=inside)
    tl.store(out + 14 * n + i, (a == b).to(a.dtype), mask=inside)
    tl.store(out + 15 * n + i, ~a, mask=inside)
    tl.store(out + 16 * n + i, -a, mask=inside)


def _integers(a: np.ndarray, b: np.ndarray) -> list[np.ndarray]:
    shift = b & a.dtype.type(7)
    wide = [int(x) for x in a], [int(y) for y in b]
    divided = [
        abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        for x, y in zip(*wide, strict=True)
    ]
    remainder = [x - y * q for x, y, q in zip(*wide, divided, strict=True)]
    bits = a.dtype.itemsize * 8

    def wrap(values: list[int]) -> np.ndarray:
        raw = np.array([v & ((1 << bits) - 1) for v in values], np.uint64)
        return raw.astype(f"uint{bits}").view(a.dtype)

    return [
        a + b,
        a - b,
        a * b,
        wrap(divided),
        wrap(remainder),
        a & b,
        a | b,
        a ^ b,
        a << shift,
        a >> shift,
        np.minimum(a, b),
        np.maximum(a, b),
        np.where(a < b, a, b + a.dtype.type(1)),
        (a <= b).astype(a.dtype),
        (a == b).astype(a.dtype),
        ~a,
        (0 - a).astype(a.dtype),
    ]


def test_integer_arithmetic() -> None:
    launches, expected = [], []
    rng = np.random.default_rng(1)
    for dtype in INTEGERS + UNSIGNED:
        limits = np.iinfo(dtype)
        a = rng.integers(limits.min, limits.max, SIZE, dtype, endpoint=True)
        b = rng.integers(limits.min, limits.max, SIZE, dtype, endpoint=True)
        a[:4] = [limits.min, limits.max, 0, 1]
        b[b == 0] = 3
        b[::5] = rng.integers(1, 6, len(b[::5]))
        a[7:9], b[7:9] = limits.min, limits.max
        with np.errstate(over="ignore"):
            expected.append(_integers(a, b))
        out = np.zeros((17, SIZE), dtype)
        launches.append(Launch(integers, [a, b, out, SIZE], (2,), {"BLOCK": BLOCK}))
    run(*launches)
    for launch, rows in zip(launches, expected, strict=True):
        out = launch.arguments[2]
        for number, row in enumerate(rows):
            np.testing.assert_array_equal(out[number], row, f"{out.dtype} row {number}")


@triton.jit
def divide(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, tl.where(b == 0, -1, a // b))
    tl.store(out + BLOCK + i, tl.where(b == 0, -1, a % b))


def test_division_by_zero_and_overflow_do_not_trap() -> None:
    x = np.array([1, -(2**31), 5, -(2**31)] * 8, np.int32)
    y = np.array([0, -1, 0, 3] * 8, np.int32)
    out = np.zeros((2, 32), np.int32)
    run(Launch(divide, [x, y, out], (1,), {"BLOCK": 32}))
    np.testing.assert_array_equal(out[0, 2:4], [-1, -715827882])
    np.testing.assert_array_equal(out[1, 0], -1)


@triton.jit
def high_product(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.umulhi(tl.load(x + i), tl.load(y + i)))


def test_high_half_of_products() -> None:
    rng = np.random.default_rng(2)
    launches = []
    for dtype in (np.int32, np.int64):
        limits = np.iinfo(dtype)
        a, b = (rng.integers(limits.min, limits.max, 64, dtype) for _ in range(2))
        launches.append(Launch(high_product, [a, b, a.copy()], (1,), {"BLOCK": 64}))
    run(*launches)
    for launch in launches:
        a, b, out = launch.arguments
        bits = a.dtype.itemsize * 8
        mask = (1 << bits) - 1
        expected = [
            ((int(p) & mask) * (int(q) & mask)) >> bits
            for p, q in zip(a, b, strict=True)
        ]
        np.testing.assert_array_equal(out.view(f"uint{bits}"), expected)


@triton.jit
def floats(x, y, out, flags, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    a = tl.load(x + i, mask=inside)
    b = tl.load(y + i, mask=inside)
    tl.store(out + 0 * n + i, a + b, mask=inside)
    tl.store(out + 1 * n + i, a - b, mask=inside)
    tl.store(out + 2 * n + i, a * b, mask=inside)
    tl.store(out + 3 * n + i, (a / b).to(a.dtype), mask=inside)
    tl.store(out + 4 * n + i, -a, mask=inside)
    tl.store(out + 5 * n + i, tl.minimum(a, b), mask=inside)
    tl.store(out + 6 * n + i, tl.maximum(a, b), mask=inside)
    nan_all: tl.constexpr = tl.PropagateNan.ALL
    tl.store(out + 7 * n + i, tl.minimum(a, b, propagate_nan=nan_all), mask=inside)
    tl.store(out + 8 * n + i, tl.maximum(a, b, propagate_nan=nan_all), mask=inside)
    tl.store(out + 9 * n + i, tl.abs(a), mask=inside)
    tl.store(flags + 0 * n + i, a < b, mask=inside)
    tl.store(flags + 1 * n + i, a >= b, mask=inside)
    tl.store(flags + 2 * n + i, a == b, mask=inside)
    tl.store(flags + 3 * n + i, a != b, mask=inside)


def _with_specials(values: np.ndarray, seed: int) -> np.ndarray:
    specials = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0]
    rng = np.random.default_rng(seed)
    where = rng.permutation(len(values))[: 7 * len(specials)]
    values[where] = np.resize(np.array(specials, values.dtype), len(where))
    return values


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_float_arithmetic() -> None:
    launches = []
    rng = np.random.default_rng(3)
    for dtype in FLOATS:
        a, b = (
            _with_specials(rng.standard_normal(SIZE).astype(dtype), seed)
            for seed in (1, 2)
        )
        out, flags = np.zeros((10, SIZE), dtype), np.zeros((4, SIZE), np.bool_)
        launches.append(
            Launch(floats, [a, b, out, flags, SIZE], (2,), {"BLOCK": BLOCK})
        )
    run(*launches)
    for launch in launches:
        a, b, out, flags, _ = launch.arguments
        wide = np.float64 if a.dtype == np.float64 else np.float32
        p, q = a.astype(wide), b.astype(wide)
        expected = [
            p + q,
            p - q,
            p * q,
            p / q,
            -p,
            np.fmin(p, q),
            np.fmax(p, q),
            np.minimum(p, q),
            np.maximum(p, q),
            np.abs(p),
        ]
        for number, row in enumerate(expected):
            np.testing.assert_array_equal(
                out[number], row.astype(a.dtype), f"{a.dtype} row {number}"
            )
        np.testing.assert_array_equal(flags, [p < q, p >= q, p == q, p != q])


@triton.jit
def clamps(x, out, low, high, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, tl.clamp(a, low, high))
    nan_all: tl.constexpr = tl.PropagateNan.ALL
    tl.store(out + BLOCK + i, tl.clamp(a, low, high, propagate_nan=nan_all))
    tl.store(out + 2 * BLOCK + i, tl.fma(a, a, a))


def test_clamp_and_fma() -> None:
    x = _with_specials(
        np.random.default_rng(4).standard_normal(64).astype(np.float32), 1
    )
    out = np.zeros((3, 64), np.float32)
    run(Launch(clamps, [x, out, -0.5, 0.75], (1,), {"BLOCK": 64}))
    np.testing.assert_array_equal(out[0], np.fmin(np.fmax(x, -0.5), 0.75))
    np.testing.assert_array_equal(out[1], np.clip(x, -0.5, 0.75))
    with np.errstate(invalid="ignore"):
        wide = x.astype(np.float64)
        np.testing.assert_allclose(out[2], wide * wide + wide, rtol=1e-6)


@triton.jit
def functions(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    a = tl.load(x + i, mask=inside)
    tl.store(out + 0 * n + i, tl.exp(a), mask=inside)
    tl.store(out + 1 * n + i, tl.exp2(a), mask=inside)
    tl.store(out + 2 * n + i, tl.log(a), mask=inside)
    tl.store(out + 3 * n + i, tl.log2(a), mask=inside)
    tl.store(out + 4 * n + i, tl.sin(a), mask=inside)
    tl.store(out + 5 * n + i, tl.cos(a), mask=inside)
    tl.store(out + 6 * n + i, tl.sqrt(a), mask=inside)
    tl.store(out + 7 * n + i, tl.rsqrt(a), mask=inside)
    tl.store(out + 8 * n + i, tl.erf(a), mask=inside)
    tl.store(out + 9 * n + i, tl.floor(a), mask=inside)
    tl.store(out + 10 * n + i, tl.ceil(a), mask=inside)


@triton.jit
def scalar_functions(x, out, n):
    i = tl.program_id(0)
    a = tl.load(x + i)
    tl.store(out + 0 * n + i, tl.exp(a))
    tl.store(out + 1 * n + i, tl.exp2(a))
    tl.store(out + 2 * n + i, tl.log(a))
    tl.store(out + 3 * n + i, tl.log2(a))
    tl.store(out + 4 * n + i, tl.sin(a))
    tl.store(out + 5 * n + i, tl.cos(a))
    tl.store(out + 6 * n + i, tl.sqrt(a))
    tl.store(out + 7 * n + i, tl.rsqrt(a))
    tl.store(out + 8 * n + i, tl.erf(a))
    tl.store(out + 9 * n + i, tl.floor(a))
    tl.store(out + 10 * n + i, tl.ceil(a))


_FUNCTIONS = [
    np.exp,
    np.exp2,
    np.log,
    np.log2,
    np.sin,
    np.cos,
    np.sqrt,
    lambda x: 1 / np.sqrt(x),
    scipy.special.erf,
    np.floor,
    np.ceil,
]


def _points(dtype: type) -> np.ndarray:
    rng = np.random.default_rng(5)
    edges = [
        0.0,
        -0.0,
        np.inf,
        -np.inf,
        np.nan,
        88.72,
        88.73,
        89.5,
        -86.9,
        127.5,
        128.0,
    ]
    edges += [-104.5, -200.0, 709.7, 709.8, 1024.0, 1023.5, -1022.0, 1.0, 0.5, 1e9, 3e4]
    return np.concatenate(
        [
            rng.standard_normal(400),
            rng.uniform(-90, 90, 400),
            np.exp(rng.uniform(-60, 60, 400)),
            rng.uniform(-3e4, 3e4, 200),
            edges,
        ]
    ).astype(dtype)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_functions_within_four_ulp() -> None:
    launches = []
    for dtype in (np.float32, np.float64):
        x = _points(dtype)
        out = np.zeros((11, len(x)), dtype)
        grid = (triton.cdiv(len(x), 256),)
        launches += [
            Launch(functions, [x, out, len(x)], grid, {"BLOCK": 256}),
            Launch(scalar_functions, [x, out.copy(), len(x)], (len(x),)),
        ]
    run(*launches)
    for launch in launches:
        x, out, _ = launch.arguments
        for number, function in enumerate(_FUNCTIONS):
            is_angle = function in (np.sin, np.cos)
            usable = (not is_angle) | ~(np.abs(x) > 1e9)
            exact = function(x.astype(np.float64))[usable]
            _assert_close(out[number][usable], exact, f"{x.dtype} row {number}")


def _assert_close(got: np.ndarray, exact: np.ndarray, name: str) -> None:
    """Compares within 4 ulp. IREE flushes numbers below the smallest normal to zero."""
    rounded = exact.astype(got.dtype)
    tiny = np.finfo(got.dtype).tiny
    is_normal = np.isfinite(rounded) & (np.abs(rounded) > tiny)
    spacing = np.spacing(np.abs(rounded[is_normal]).astype(got.dtype)).astype(float)
    if not is_normal.any():
        return
    error = np.abs(got[is_normal].astype(float) - exact[is_normal]) / spacing
    assert error.max() <= 4, f"{name}: {error.max()} ulp"
    rest = ~is_normal
    expected = np.where(np.abs(rounded[rest]) <= tiny, 0, rounded[rest])
    found = np.where(np.abs(got[rest]) <= tiny, 0, got[rest])
    np.testing.assert_array_equal(found, expected, name)


@triton.jit
def scalars(out, a, b, c, d, e, f):
    tl.store(out + 0, a.to(tl.float64))
    tl.store(out + 1, b.to(tl.float64))
    tl.store(out + 2, c.to(tl.float64))
    tl.store(out + 3, d.to(tl.float64))
    tl.store(out + 4, e.to(tl.float64))
    tl.store(out + 5, f.to(tl.float64))


def test_scalar_arguments_of_every_width() -> None:
    out = np.zeros(6)
    values = [
        np.bool_(True),
        np.int8(-5),
        np.int16(-300),
        np.int32(70000),
        np.int64(-(2**40)),
        np.float32(1.5),
    ]
    run(Launch(scalars, [out, *values]))
    np.testing.assert_array_equal(out, [1, -5, -300, 70000, -(2**40), 1.5])
