# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Conversions between all number types, against NumPy."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import triton
import triton.language as tl

from .harness import Launch, run

SIZE = 300

INTEGERS = [np.int8, np.int16, np.int32, np.int64]
UNSIGNED = [np.uint8, np.uint16, np.uint32, np.uint64]
FLOATS = [np.float16, ml_dtypes.bfloat16, np.float32, np.float64]


@triton.jit
def cast(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i, mask=i < n)
    tl.store(out + i, a.to(out.dtype.element_ty), mask=i < n)


def _cast_cases() -> list[tuple[np.ndarray, np.dtype]]:
    rng = np.random.default_rng(6)
    number_types = [
        np.bool_,
        *INTEGERS,
        *UNSIGNED,
        *FLOATS,
        ml_dtypes.float8_e4m3fn,
        ml_dtypes.float8_e5m2,
    ]
    small = [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2]
    cases = []
    for source in number_types:
        for target in number_types:
            if source == target or (source in small and target in small):
                continue
            # Values that fit: what does not fit has no meaning of its own in Triton.
            both = {source, target}
            low = 0 if both & {np.bool_, *UNSIGNED} else -100
            high = 1.99 if np.bool_ in both else 100
            values = rng.uniform(low, high, SIZE).astype(source)
            cases.append((values, np.dtype(target)))
    return cases


@pytest.mark.parametrize("every", [9, pytest.param(1, marks=pytest.mark.slow)])
def test_casts_of_values_that_fit(every: int) -> None:
    cases = [
        (x, target)
        for x, target in _cast_cases()
        if not (_is_small(x.dtype) and not _is_float(target))
        and not (_is_small(target) and not _is_float(x.dtype))
    ][::every]
    launches = [
        Launch(cast, [x, np.zeros(SIZE, target), SIZE], (2,), {"BLOCK": 256})
        for x, target in cases
    ]
    run(*launches)
    for launch, (x, target) in zip(launches, cases, strict=True):
        expected = _numpy_cast(x, target)
        np.testing.assert_array_equal(
            launch.arguments[1].view(_raw_type(target)),
            expected.view(_raw_type(target)),
            f"{x.dtype} to {target}",
        )


def _numpy_cast(x: np.ndarray, target: np.dtype) -> np.ndarray:
    if target == np.bool_:
        return x.astype(np.float64) != 0
    if _is_float(x.dtype) and not _is_float(target):
        return np.trunc(x.astype(np.float64)).astype(target)
    if _is_float(x.dtype) or x.dtype == np.bool_:
        # bfloat16 and the small types round from f32; f64 goes straight there.
        return x.astype(np.float32 if x.dtype != np.float64 else x.dtype).astype(target)
    return (
        x.astype(np.float64).astype(target) if _is_float(target) else x.astype(target)
    )


def _is_float(dtype: np.dtype) -> bool:
    return dtype.kind in "fV" or "float" in dtype.name


def _is_small(dtype: np.dtype) -> bool:
    return _is_float(dtype) and dtype.itemsize == 1


def _raw_type(dtype: np.dtype) -> str:
    return f"uint{dtype.itemsize * 8}"


def test_narrowing_of_special_floats() -> None:
    rng = np.random.default_rng(7)
    launches = []
    wide = np.concatenate(
        [
            rng.standard_normal(200) * np.exp2(rng.integers(-20, 20, 200)),
            [0.0, -0.0, np.inf, -np.inf, np.nan, 65504, 65519, 65520, 3.39e38, 448.0],
        ]
    )
    for source in (np.float32, np.float64):
        for target in (np.float16, ml_dtypes.bfloat16, np.float32):
            x = wide.astype(source)
            out = np.zeros(len(x), target)
            launches.append(Launch(cast, [x, out, len(x)], (1,), {"BLOCK": 256}))
    run(*launches)
    for launch in launches:
        x, out, _ = launch.arguments
        with np.errstate(over="ignore"):
            expected = x.astype(out.dtype).astype(np.float64)
        name = f"{x.dtype} to {out.dtype}"
        np.testing.assert_array_equal(out.astype(np.float64), expected, name)


@triton.jit
def bits(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i).to(out.dtype.element_ty, bitcast=True))


def test_bitcasts() -> None:
    rng = np.random.default_rng(8)
    launches = []
    for float_type, integer in (
        (np.float32, np.int32),
        (np.float64, np.int64),
        (np.float16, np.int16),
        (ml_dtypes.bfloat16, np.int16),
    ):
        x = rng.standard_normal(64).astype(float_type)
        launches.append(Launch(bits, [x, np.zeros(64, integer)], (1,), {"BLOCK": 64}))
        launches.append(
            Launch(
                bits, [x.view(integer), np.zeros(64, float_type)], (1,), {"BLOCK": 64}
            )
        )
    run(*launches)
    for launch in launches:
        x, out = launch.arguments
        np.testing.assert_array_equal(out.view(x.dtype), x)


@triton.jit
def round_to_zero(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, a.to(out.dtype.element_ty, fp_downcast_rounding="rtz"))


def test_rounding_towards_zero() -> None:
    x = np.random.default_rng(9).standard_normal(64).astype(np.float32)
    halves, brains = np.zeros(64, np.float16), np.zeros(64, ml_dtypes.bfloat16)
    run(
        Launch(round_to_zero, [x, halves], (1,), {"BLOCK": 64}),
        Launch(round_to_zero, [x, brains], (1,), {"BLOCK": 64}),
    )
    for out, mantissa in ((halves, 10), (brains, 7)):
        mask = np.uint32((0xFFFFFFFF << (23 - mantissa)) & 0xFFFFFFFF)
        expected = (x.view(np.uint32) & mask).view(np.float32)
        np.testing.assert_array_equal(out.astype(np.float32), expected)
