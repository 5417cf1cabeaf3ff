# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Loops, conditionals, early returns, calls: against plain Python."""

from __future__ import annotations

import numpy as np
import triton
import triton.language as tl

from .harness import Launch, run

RNG = np.random.default_rng(0)


@triton.jit
def loops(x, out, start, stop, step, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    count = 0
    last = -1
    for k in range(start, stop, step):
        total += tl.load(x + i) * k
        count += 1
        last = k
    tl.store(out + i, total + count)
    tl.store(out + BLOCK, last.to(tl.float32))


def test_trip_counts() -> None:
    launches = []
    for bounds in ((0, 5, 1), (0, 0, 1), (5, 0, 1), (-3, 4, 2), (10, 11, 7)):
        x, out = RNG.standard_normal(64).astype(np.float32), np.zeros(65, np.float32)
        launches.append(Launch(loops, [x, out, *bounds], (1,), {"BLOCK": 64}))
    run(*launches)
    for launch in launches:
        x, out, *bounds = launch.arguments
        trips = list(range(*bounds))
        expected = x * sum(trips) + len(trips)
        np.testing.assert_allclose(out[:-1], expected, 1e-5, 1e-5)
        assert out[-1] == (trips[-1] if trips else -1)


@triton.jit
def downwards(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i)
    for k in range(n, 0, -1):
        value = value * 0.5 + k
    tl.store(out + i, value)


@triton.jit
def pointers(x, out, rows, stride, BLOCK: tl.constexpr):
    p = x + tl.arange(0, BLOCK)
    q = out + tl.arange(0, BLOCK)
    offsets = tl.arange(0, BLOCK)
    row = x
    for _ in range(rows):
        tl.store(q, tl.load(p) + tl.load(x + offsets) + tl.load(row))
        p += stride
        q += BLOCK
        offsets += stride
        row += stride


@triton.jit
def uneven_pointers(x, out, rows, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    p = x + i
    total = tl.zeros((BLOCK,), tl.float32)
    for _ in range(rows):
        total += tl.load(p)
        p += i
    tl.store(out + i, total)


def test_loops_that_carry_pointers() -> None:
    x = RNG.standard_normal(4000).astype(np.float32)
    outs = [np.zeros(64, np.float32), np.zeros((5, 64), np.float32), np.zeros(64, "f4")]
    run(
        Launch(downwards, [x, outs[0], 4], (1,), {"BLOCK": 64}),
        Launch(pointers, [x, outs[1], 5, 100], (1,), {"BLOCK": 64}),
        Launch(uneven_pointers, [x, outs[2], 6], (1,), {"BLOCK": 64}),
    )
    value = x[:64]
    for k in range(4, 0, -1):
        value = value * np.float32(0.5) + np.float32(k)
    np.testing.assert_allclose(outs[0], value, 1e-6)
    rows = np.array([x[100 * k : 100 * k + 64] for k in range(5)])
    np.testing.assert_allclose(outs[1], 2 * rows + rows[:, :1], 1e-6)
    i = np.arange(64)
    expected = sum(x[i * (k + 1)] for k in range(6))
    np.testing.assert_allclose(outs[2], expected, 1e-5, 1e-5)


@triton.jit
def fibonacci(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = a * 2 + 1
    for _ in range(n):
        a, b = b, a + b
    tl.store(out + i, a)
    tl.store(out + BLOCK + i, b)


@triton.jit
def rotate(x, out, n, R: tl.constexpr):
    where = tl.arange(0, R)[:, None] * R + tl.arange(0, R)[None, :]
    a = tl.load(x + where)
    b = a + 1
    for _ in range(n):
        a, b = tl.trans(b), a
    tl.store(out + where, a)
    tl.store(out + R * R + where, b)


@triton.jit
def nested(x, out, n, m, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for k in range(n):
        inner = tl.load(x + i) + k
        for j in range(m):
            inner = inner * 0.5 + j
            total += inner
        total += tl.sum(inner, axis=0)
    tl.store(out + i, total)


@triton.jit
def carried_flags(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    seen = i < 0
    for k in range(n):
        seen = seen | (tl.load(x + k) == i)
    tl.store(out + i, seen)


def test_loops_that_carry_blocks() -> None:
    x = RNG.integers(-9, 9, 64).astype(np.int64)
    pair = np.zeros((2, 64), np.int64)
    square = RNG.standard_normal((32, 32)).astype(np.float32)
    turned = np.zeros((2, 32, 32), np.float32)
    y = RNG.standard_normal(64).astype(np.float32)
    total = np.zeros(64, np.float32)
    members = RNG.integers(0, 64, 10).astype(np.int32)
    flags = np.zeros(64, np.bool_)
    run(
        Launch(fibonacci, [x, pair, 7], (1,), {"BLOCK": 64}),
        Launch(rotate, [square, turned, 3], (1,), {"R": 32}),
        Launch(nested, [y, total, 3, 2], (1,), {"BLOCK": 64}),
        Launch(carried_flags, [members, flags, 10], (1,), {"BLOCK": 64}),
    )
    a, b = x, x * 2 + 1
    for _ in range(7):
        a, b = b, a + b
    np.testing.assert_array_equal(pair, [a, b])
    a, b = square, square + 1
    for _ in range(3):
        a, b = b.T, a
    np.testing.assert_array_equal(turned, [a, b])
    expected = np.zeros(64)
    for k in range(3):
        inner = y.astype(np.float64) + k
        for j in range(2):
            inner = inner * 0.5 + j
            expected = expected + inner
        expected = expected + inner.sum()
    np.testing.assert_allclose(total, expected, 1e-4)
    np.testing.assert_array_equal(flags, np.isin(np.arange(64), members))


@triton.jit
def branches(x, out, flag, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    scale = 1.0
    if flag > 2:
        b = a * 2
        scale = 3.0
    elif flag > 1:
        b = tl.exp(a)
    else:
        b = a - tl.sum(a, axis=0)
    if flag == 0:
        tl.store(out + BLOCK + i, a)
    tl.store(out + i, b * scale)


@triton.jit
def returns(x, out, n, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    if p >= n:
        return
    a = tl.load(x + p * BLOCK + i)
    if p == 1:
        tl.store(out + p * BLOCK + i, a * 10)
        return
    if p == 2:
        if n > 100:
            return
        a = a + 1
    tl.store(out + p * BLOCK + i, a)


@triton.jit
def early_with_value(x, out, n, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    a = tl.load(x + p * BLOCK + i)
    count = 1
    if p > 0:
        if p > 2:
            tl.store(out + p * BLOCK + i, a * 0 - 1)
            return
        a = a * 2
        count = n
    tl.store(out + p * BLOCK + i, a + count)


def test_branches_and_returns() -> None:
    x = RNG.standard_normal(64).astype(np.float32)
    launches = [
        Launch(branches, [x, np.zeros(128, np.float32), flag], (1,), {"BLOCK": 64})
        for flag in range(4)
    ]
    rows = RNG.standard_normal((5, 32)).astype(np.float32)
    outs = [np.zeros_like(rows) for _ in range(2)]
    launches.append(Launch(returns, [rows, outs[0], 4], (5,), {"BLOCK": 32}))
    launches.append(Launch(early_with_value, [rows, outs[1], 7], (5,), {"BLOCK": 32}))
    run(*launches)
    expected = [x - x.sum(), x - x.sum(), np.exp(x), x * 6]
    for flag in range(4):
        out = launches[flag].arguments[1]
        np.testing.assert_allclose(out[:64], expected[flag], 1e-5, 1e-5)
        np.testing.assert_array_equal(out[64:], x if flag == 0 else 0 * x)
    wanted = rows.copy()
    wanted[1] *= 10
    wanted[2] += 1
    wanted[4] = 0
    np.testing.assert_allclose(outs[0], wanted, 1e-6)
    wanted = rows + 1
    wanted[1:3] = rows[1:3] * 2 + 7
    wanted[3:] = -1
    np.testing.assert_allclose(outs[1], wanted, 1e-6)


@triton.jit(noinline=True)
def square_and_add(a, b):
    if a > 0:
        b = b + 1
    return a * a + b, b


@triton.jit(noinline=True)
def write_twice(x, out, scale, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, a * scale)
    tl.store(out + BLOCK + i, tl.load(x + i) + 1)


@triton.jit
def calls(x, out, n, BLOCK: tl.constexpr):
    first, _ = square_and_add(tl.load(x), n * 1.0)
    write_twice(x, out, first, BLOCK)
    for k in range(n):
        second, rest = square_and_add(k * 1.0, first)
        write_twice(out, out + 2 * BLOCK, second + rest, BLOCK)


def test_functions_that_are_not_inlined() -> None:
    x, out = RNG.standard_normal(64).astype(np.float32), np.zeros((4, 64), np.float32)
    run(Launch(calls, [x, out, 3], (1,), {"BLOCK": 64}))
    first = x[0] * x[0] + 3 + (x[0] > 0)
    second, rest = 4 + first + 1, first + 1
    expected = [x * first, x + 1, x * first * (second + rest), x * first + 1]
    np.testing.assert_allclose(out, expected, 1e-5)


@triton.jit
def hints(x, out, n, BLOCK: tl.constexpr):
    tl.assume(n > 0)
    i = tl.max_contiguous(tl.multiple_of(tl.arange(0, BLOCK), BLOCK), BLOCK)
    tl.debug_barrier()
    tl.store(
        out + i, tl.load(x + i, mask=i < n, eviction_policy="evict_last"), mask=i < n
    )


def test_hints_are_dropped() -> None:
    x, out = RNG.standard_normal(64).astype(np.float32), np.zeros(64, np.float32)
    run(Launch(hints, [x, out, 60], (1,), {"BLOCK": 64}))
    np.testing.assert_array_equal(out, np.where(np.arange(64) < 60, x, 0))


@triton.jit
def collatz(x, out):
    p = tl.program_id(0)
    value = tl.load(x + p)
    count = 0
    while value != 1:
        value = tl.where(value % 2 == 0, value // 2, 3 * value + 1)
        count += 1
    tl.store(out + p, count)


@triton.jit
def halve_until_small(x, out, step, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i)
    other = value * 0
    p = out + i
    while tl.max(tl.abs(value), axis=0) > 1:
        value, other = value * 0.5, value + other
        tl.store(p, other)
        p += step
    tl.store(p, value)


def test_while() -> None:
    x = np.arange(1, 20, dtype=np.int32)
    counts = np.zeros(19, np.int32)
    y = np.linspace(-5, 5, 32, dtype=np.float32)
    rows = np.zeros((4, 32), np.float32)
    run(
        Launch(collatz, [x, counts], (19,)),
        Launch(halve_until_small, [y, rows, 32], (1,), {"BLOCK": 32}),
    )
    for start, count in zip(x, counts, strict=True):
        value, expected = int(start), 0
        while value != 1:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            expected += 1
        assert count == expected
    np.testing.assert_allclose(rows, [y, 1.5 * y, 1.75 * y, y / 8], 1e-6)
