# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""join, split, cat, gather, histogram, sort: against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import triton
import triton.language as tl

from .harness import Launch, run

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(0)


@triton.jit
def pairs(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + tl.arange(0, 2 * N), tl.interleave(a, b))
    first, second = tl.split(tl.reshape(a * 2, (N // 2, 2)))
    j = tl.arange(0, N // 2)
    tl.store(out + 2 * N + j, first)
    tl.store(out + 2 * N + N // 2 + j, second)
    both = tl.join(a > 0, b > 0)
    tl.store(out + 3 * N + i, tl.sum(both.to(tl.int32), axis=1).to(a.dtype))
    tl.store(out + 4 * N + tl.arange(0, 2 * N), tl.cat(a, b, can_reorder=True))


def test_pairs() -> None:
    launches = []
    for size in (2, 16, 128):
        for dtype in (np.float32, np.int8, np.float16):
            x, y = ((RNG.standard_normal(size) * 9).astype(dtype) for _ in range(2))
            launches.append(
                Launch(pairs, [x, y, np.zeros(6 * size, dtype)], (1,), {"N": size})
            )
    run(*launches)
    for launch in launches:
        x, y, out = launch.arguments
        n = len(x)
        np.testing.assert_array_equal(out[: 2 * n], np.stack([x, y], 1).ravel())
        np.testing.assert_array_equal(out[2 * n : 2 * n + n // 2], (x * 2)[::2])
        np.testing.assert_array_equal(out[2 * n + n // 2 : 3 * n], (x * 2)[1::2])
        both = (x > 0).astype(int) + (y > 0)
        np.testing.assert_array_equal(out[3 * n : 4 * n], both)
        np.testing.assert_array_equal(
            np.sort(out[4 * n :]), np.sort(np.concatenate([x, y]))
        )


@triton.jit
def take(x, index, out, R: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr):
    where = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    a = tl.load(x + where) + 1
    tl.store(out + where, tl.gather(a, tl.load(index + where), axis=AXIS))


def test_gather_within_a_block() -> None:
    launches = []
    for axis in (0, 1):
        x = RNG.standard_normal((16, 32)).astype(np.float32)
        index = RNG.integers(0, x.shape[axis], x.shape).astype(np.int32)
        constants = {"R": 16, "C": 32, "AXIS": axis}
        arguments = [x, index, np.zeros_like(x)]
        launches.append(Launch(take, arguments, (1,), constants))
    run(*launches)
    for axis, launch in enumerate(launches):
        x, index, out = launch.arguments
        np.testing.assert_array_equal(out, np.take_along_axis(x + 1, index, axis))


@triton.jit
def count(x, out, N: tl.constexpr, BINS: tl.constexpr):
    a = tl.load(x + tl.arange(0, N))
    tl.store(out + tl.arange(0, BINS), tl.histogram(a, BINS))
    tl.store(out + BINS + tl.arange(0, BINS), tl.histogram(a, BINS, mask=a % 2 == 0))


def test_histogram() -> None:
    x, out = RNG.integers(-2, 20, 256).astype(np.int32), np.zeros((2, 16), np.int32)
    run(Launch(count, [x, out], (1,), {"N": 256, "BINS": 16}))
    inside = x[(x >= 0) & (x < 16)]
    np.testing.assert_array_equal(out[0], np.bincount(inside, minlength=16))
    even = inside[inside % 2 == 0]
    np.testing.assert_array_equal(out[1], np.bincount(even, minlength=16))


@triton.jit
def sort_and_flip(x, out, R: tl.constexpr, C: tl.constexpr):
    where = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    a = tl.load(x + where)
    tl.store(out + where, tl.sort(a, dim=1))
    tl.store(out + R * C + where, tl.sort(a, dim=1, descending=True))
    tl.store(out + 2 * R * C + where, tl.flip(a, dim=1))


def test_sort_and_flip() -> None:
    x, out = RNG.standard_normal((4, 32)).astype(np.float32), np.zeros((3, 4, 32), "f4")
    run(Launch(sort_and_flip, [x, out], (1,), {"R": 4, "C": 32}))
    ordered = np.sort(x, 1)
    np.testing.assert_array_equal(out, [ordered, ordered[:, ::-1], x[:, ::-1]])
