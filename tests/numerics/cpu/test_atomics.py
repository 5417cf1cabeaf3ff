# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Atomics of scalars and blocks."""

from __future__ import annotations

import numpy as np
import pytest
import triton
import triton.language as tl

from .harness import Launch, run

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(0)


@triton.jit
def histogram(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    bins = tl.load(x + i, mask=i < n, other=0)
    tl.atomic_add(out + bins, 1, mask=i < n)


@triton.jit
def sums(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + tl.program_id(0) * BLOCK + i)
    tl.atomic_add(out, tl.sum(a, axis=0))
    tl.atomic_max(out + 1, tl.max(a, axis=0))
    tl.atomic_min(out + 2, tl.min(a, axis=0))
    tl.atomic_add(out + 3 + i, a)


@triton.jit
def bits(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.atomic_and(out + 0 + i * 0, a)
    tl.atomic_or(out + 1 + i * 0, a)
    tl.atomic_xor(out + 2 + i * 0, a)


@triton.jit
def old_values(out, taken, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    ticket = tl.atomic_add(out, 1)
    tl.store(taken + p, ticket)
    previous = tl.atomic_xchg(out + 1, p)
    tl.store(taken + 8 + p, previous)
    found = tl.atomic_cas(out + 2, p, p + 1)
    tl.store(taken + 16 + p, found)
    i = tl.arange(0, BLOCK)
    seen = tl.atomic_add(out + 3 + i, i, mask=i % 2 == 0)
    tl.store(taken + 24 + p * BLOCK + i, seen, mask=i % 2 == 0)


def test_atomics() -> None:
    x = RNG.integers(0, 10, 500).astype(np.int32)
    counts = np.zeros(10, np.int32)
    launches = [Launch(histogram, [x, counts, 490], (2,), {"BLOCK": 256})]
    numbers = []
    for dtype in (np.float32, np.float64, np.int32, np.int64):
        values = (RNG.standard_normal((5, 64)) * 100).astype(dtype)
        numbers.append((values, np.zeros(67, dtype)))
        launches.append(Launch(sums, list(numbers[-1]), (5,), {"BLOCK": 64}))
    y = RNG.integers(0, 2**31 - 1, 64).astype(np.int32)
    masks = np.array([-1, 0, 0], np.int32)
    launches.append(Launch(bits, [y, masks], (1,), {"BLOCK": 64}))
    out, taken = np.zeros(3 + 16, np.int32), np.full(24 + 4 * 16, -1, np.int32)
    launches.append(Launch(old_values, [out, taken], (4,), {"BLOCK": 16}))
    run(*launches)
    np.testing.assert_array_equal(counts, np.bincount(x[:490], minlength=10))
    for values, result in numbers:
        wide = values.astype(np.float64)
        np.testing.assert_allclose(result[0], wide.sum(), 1e-4, 1e-2)
        np.testing.assert_allclose(result[1:3], [values.max(), values.min()])
        np.testing.assert_allclose(result[3:], wide.sum(0), 1e-4, 1e-3)
    reduced = [op.reduce(y) for op in (np.bitwise_and, np.bitwise_or, np.bitwise_xor)]
    np.testing.assert_array_equal(masks, reduced)
    np.testing.assert_array_equal(np.sort(taken[:4]), range(4))
    assert out[0] == 4
    np.testing.assert_array_equal(taken[8:12], [0, 0, 1, 2])
    np.testing.assert_array_equal(taken[16:20], range(4))
    even = np.arange(0, 16, 2)
    np.testing.assert_array_equal(out[3:][::2], 4 * even)
    seen = taken[24:].reshape(4, 16)
    np.testing.assert_array_equal(seen[:, ::2], np.arange(4)[:, None] * even)
    assert (seen[:, 1::2] == -1).all()
