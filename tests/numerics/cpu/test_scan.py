# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Scans along every axis, in both directions, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import triton
import triton.language as tl

from .harness import Launch, run

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(0)


@triton.jit
def cumulative(
    x, out, R: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr
):
    where = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    a = tl.load(x + where)
    tl.store(out + where, tl.cumsum(a, axis=AXIS, reverse=REVERSE))
    tl.store(out + R * C + where, tl.cumprod(a, axis=AXIS, reverse=REVERSE))


@triton.jit
def cumulative_row(x, out, N: tl.constexpr, REVERSE: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(out + i, tl.cumsum(a, axis=0, reverse=REVERSE))
    tl.store(out + N + i, tl.cumsum(a * a, axis=0, reverse=REVERSE))


def _flipped(x: np.ndarray, axis: int, reverse: bool) -> np.ndarray:
    return np.flip(x, axis) if reverse else x


def test_sums_and_products() -> None:
    launches = []
    for shape in ((1, 64), (64, 1), (4, 4), (16, 128), (128, 2)):
        for axis in (0, 1):
            for reverse in (False, True):
                x = RNG.integers(-3, 3, shape).astype(np.int32)
                out = np.zeros((2, *shape), np.int32)
                constants = {"R": shape[0], "C": shape[1], "AXIS": axis}
                constants["REVERSE"] = reverse
                launches.append(Launch(cumulative, [x, out], (1,), constants))
    run(*launches)
    for launch in launches:
        x, out = launch.arguments
        axis, reverse = launch.constants["AXIS"], launch.constants["REVERSE"]
        for number, function in enumerate((np.cumsum, np.cumprod)):
            ordered = _flipped(x, axis, reverse)
            expected = _flipped(function(ordered, axis, np.int32), axis, reverse)
            np.testing.assert_array_equal(out[number], expected)


def test_rank_one() -> None:
    launches = []
    for size in (1, 2, 32, 64, 1024):
        for reverse in (False, True):
            x, out = RNG.standard_normal(size), np.zeros((2, size))
            constants = {"N": size, "REVERSE": reverse}
            launches.append(Launch(cumulative_row, [x, out], (1,), constants))
    run(*launches)
    for launch in launches:
        x, out = launch.arguments
        reverse = launch.constants["REVERSE"]
        for row, values in zip(out, (x, x * x), strict=True):
            expected = _flipped(np.cumsum(_flipped(values, 0, reverse)), 0, reverse)
            np.testing.assert_allclose(row, expected, 1e-9, 1e-9)


@triton.jit
def affine(scale_a, shift_a, scale_b, shift_b):
    return scale_a * scale_b, shift_a * scale_b + shift_b


@triton.jit
def recurrence(scale, shift, out, N: tl.constexpr, REVERSE: tl.constexpr):
    i = tl.arange(0, N)
    pair = tl.load(scale + i), tl.load(shift + i)
    _, state = tl.associative_scan(pair, 0, affine, reverse=REVERSE)
    tl.store(out + i, state)


def test_combination_that_does_not_commute() -> None:
    scale, shift = (RNG.integers(-2, 3, 256).astype(np.int32) for _ in range(2))
    outs = [np.zeros(256, np.int32) for _ in range(2)]
    run(
        *(
            Launch(
                recurrence, [scale, shift, out], (1,), {"N": 256, "REVERSE": reverse}
            )
            for out, reverse in zip(outs, (False, True), strict=True)
        )
    )
    for out, order in zip(outs, (range(256), range(255, -1, -1)), strict=True):
        state = np.int32(0)
        with np.errstate(over="ignore"):
            for i in order:
                state = state * scale[i] + shift[i]
                assert out[i] == state
