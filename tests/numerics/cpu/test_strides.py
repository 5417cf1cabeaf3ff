# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Elements at constant distances, and indices that are taken apart by division."""

from __future__ import annotations

import numpy as np
import pytest
import triton
import triton.language as tl

from .harness import Launch, run

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(0)


@triton.jit
def every_nth(x, out, n, S: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + S * i + 1, mask=i < n, other=-1)
    tl.store(out + S * i, a)
    tl.store(out + S * BLOCK + S * i + 1, a, mask=(i < n) & (i % 3 != 0))


def test_constant_distances() -> None:
    launches, size = [], 128
    for dtype in (np.int8, np.float16, np.int32, np.float64):
        for stride in (2, 3, 4, 5):
            x = RNG.integers(0, 99, size * stride + 1).astype(dtype)
            out = np.full(2 * size * stride + 1, 7, dtype)
            constants = {"S": stride, "BLOCK": size}
            launches.append(Launch(every_nth, [x, out, 100], (1,), constants))
    run(*launches)
    i = np.arange(size)
    for launch in launches:
        x, out, _ = launch.arguments
        stride = launch.constants["S"]
        values = np.where(i < 100, x[stride * i + 1], np.array(-1, x.dtype))
        expected = np.full_like(out, 7)
        expected[stride * i] = values
        chosen = (i < 100) & (i % 3 != 0)
        expected[(stride * size + stride * i + 1)[chosen]] = values[chosen]
        np.testing.assert_array_equal(out, expected)


@triton.jit
def by_rows(x, out, places, rows, columns, stride, start, BLOCK: tl.constexpr):
    i = start + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    r, c = i // columns, i % columns
    inside = (i >= 0) & (r < rows)
    a = tl.load(x + r * stride + c, mask=inside, other=0)
    tl.store(out + i, a + r, mask=inside)
    tl.store(places + i, c, mask=inside)


def test_flat_indices_taken_apart() -> None:
    launches = []
    for columns in (1, 7, 64, 100, 1000):
        rows = 1 + 1500 // columns
        stride = columns + 3
        x = RNG.integers(0, 9999, rows * stride).astype(np.int32)
        out, places = (np.zeros(rows * columns, np.int32) for _ in range(2))
        arguments = [x, out, places, rows, columns, stride, -5]
        grid = (triton.cdiv(rows * columns + 5, 256),)
        launches.append(Launch(by_rows, arguments, grid, {"BLOCK": 256}))
    run(*launches)
    for launch in launches:
        x, out, places, rows, columns, stride, _ = launch.arguments
        r, c = np.divmod(np.arange(rows * columns), columns)
        np.testing.assert_array_equal(out, x[r * stride + c] + r)
        np.testing.assert_array_equal(places, c)
