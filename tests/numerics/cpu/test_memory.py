# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Loads and stores: masks, strides, wraps, gathers, overlaps, the ends of buffers."""

from __future__ import annotations

import ctypes
import mmap

import ml_dtypes
import numpy as np
import triton
import triton.language as tl

from .harness import Launch, run

RNG = np.random.default_rng(0)

TYPES = [
    np.bool_,
    np.int8,
    np.int16,
    np.int32,
    np.int64,
    np.float16,
    ml_dtypes.bfloat16,
    np.float32,
    np.float64,
    ml_dtypes.float8_e4m3fn,
    ml_dtypes.float8_e5m2,
]


def _values(count: int, dtype: type) -> np.ndarray:
    return (RNG.standard_normal(count) * 3).astype(dtype)


@triton.jit
def copy(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def copy_all(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i))


def test_every_type_with_and_without_mask() -> None:
    launches, expected = [], []
    for dtype in TYPES:
        x = _values(1000, dtype)
        launches.append(Launch(copy, [x, np.zeros_like(x), 999], (4,), {"BLOCK": 256}))
        expected.append(np.where(np.arange(1000) < 999, x, np.zeros(1, dtype)))
        y = _values(512, dtype)
        launches.append(Launch(copy_all, [y, np.zeros_like(y)], (2,), {"BLOCK": 256}))
        expected.append(y)
    run(*launches)
    for launch, values in zip(launches, expected, strict=True):
        out = launch.arguments[1]
        raw = f"uint{out.dtype.itemsize * 8}"
        np.testing.assert_array_equal(out.view(raw), values.astype(out.dtype).view(raw))


@triton.jit
def tiny(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) * 2)


def test_blocks_of_every_size() -> None:
    launches = []
    for size in (1, 2, 4, 8, 16, 64, 128, 2048):
        x = _values(size, np.float32)
        launches.append(Launch(tiny, [x, np.zeros_like(x)], (1,), {"BLOCK": size}))
    run(*launches)
    for launch in launches:
        x, out = launch.arguments
        np.testing.assert_array_equal(out, x * 2)


@triton.jit
def others(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n, other=7.0))
    tl.store(
        out + BLOCK + i, tl.load(x + i, mask=(i % 3 == 0) & (i < n), other=i * 1.0)
    )


def test_other_of_masked_loads() -> None:
    x, out = _values(200, np.float32), np.zeros((2, 256), np.float32)
    run(Launch(others, [x, out, 150], (1,), {"BLOCK": 256}))
    i = np.arange(256)
    padded = np.resize(x, 256)
    np.testing.assert_array_equal(out[0], np.where(i < 150, padded, 7))
    np.testing.assert_array_equal(out[1], np.where((i % 3 == 0) & (i < 150), padded, i))


@triton.jit
def matrix(x, out, rows, columns, xr, xc, outr, outc, R: tl.constexpr, C: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.program_id(1) * C + tl.arange(0, C)
    inside = (r[:, None] < rows) & (c[None, :] < columns)
    a = tl.load(x + r[:, None] * xr + c[None, :] * xc, mask=inside)
    tl.store(out + r[:, None] * outr + c[None, :] * outc, a + 1, mask=inside)


def test_strides_known_only_at_run_time() -> None:
    launches = []
    rows, columns = 37, 83
    for xr, xc, outr, outc in (
        (83, 1, 83, 1),
        (1, 37, 83, 1),
        (83, 1, 1, 37),
        (1, 37, 1, 37),
        (3 * 83, 3, 2 * 83, 2),
    ):
        x = _values(rows * columns * 3, np.float32)
        out = np.zeros(rows * columns * 2, np.float32)
        arguments = [x, out, rows, columns, xr, xc, outr, outc]
        blocks = {"R": 16, "C": 64}
        launches.append(Launch(matrix, arguments, (3, 2), blocks))
    run(*launches)
    for launch in launches:
        x, out, _, _, xr, xc, outr, outc = launch.arguments
        r, c = np.mgrid[:rows, :columns]
        expected = np.zeros_like(out)
        expected[r * outr + c * outc] = x[r * xr + c * xc] + 1
        np.testing.assert_array_equal(out, expected)


@triton.jit
def constant_strides(x, out, R: tl.constexpr, C: tl.constexpr):
    r = tl.arange(0, R)
    c = tl.arange(0, C)
    a = tl.load(x + r[:, None] + c[None, :] * R)
    tl.store(out + r[:, None] * C + c[None, :], a)


def test_load_whose_rows_are_columns_in_memory() -> None:
    x, out = _values(32 * 64, np.float32), np.zeros((32, 64), np.float32)
    run(Launch(constant_strides, [x, out], (1,), {"R": 32, "C": 64}))
    np.testing.assert_array_equal(out, x.reshape(64, 32).T)


@triton.jit
def wrapped(x, out, n, start, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + (start + i) % n))
    tl.store(out + BLOCK + i, tl.load(x + i // 2))
    tl.store(out + 2 * BLOCK + i, tl.load(x + (BLOCK - 1 - i)))
    tl.store(out + 3 * BLOCK + i, tl.load(x + tl.where(i < 100, i, 0)))


def test_wraps_repeats_and_reversals() -> None:
    x, out = _values(256, np.float32), np.zeros((4, 256), np.float32)
    run(Launch(wrapped, [x, out, 101, 90], (1,), {"BLOCK": 256}))
    i = np.arange(256)
    np.testing.assert_array_equal(out[0], x[(90 + i) % 101])
    np.testing.assert_array_equal(out[1], x[i // 2])
    np.testing.assert_array_equal(out[2], x[::-1])
    np.testing.assert_array_equal(out[3], x[np.where(i < 100, i, 0)])


@triton.jit
def gather_rows(table, index, out, n, W: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c = tl.arange(0, W)
    rows = tl.load(index + i, mask=i < n, other=-(2**30))
    inside = (i < n)[:, None]
    a = tl.load(table + rows[:, None] * W + c[None, :], mask=inside)
    tl.store(out + i[:, None] * W + c[None, :], a, mask=inside)


@triton.jit
def scatter(x, index, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + tl.load(index + i), tl.load(x + i), mask=i != 5)


def test_gather_and_scatter() -> None:
    launches, expected = [], []
    for dtype in (np.float32, np.float16, np.int8, np.int64):
        table = _values(50 * 32, dtype)
        index = RNG.integers(0, 50, 40).astype(np.int64)
        out = np.zeros((40, 32), dtype)
        blocks = {"W": 32, "BLOCK": 16}
        launches.append(Launch(gather_rows, [table, index, out, 40], (3,), blocks))
        expected.append(table.reshape(50, 32)[index])
        x, places = _values(64, dtype), RNG.permutation(64).astype(np.int32)
        out = np.zeros(64, dtype)
        launches.append(Launch(scatter, [x, places, out], (1,), {"BLOCK": 64}))
        wanted = np.zeros(64, dtype)
        wanted[np.delete(places, 5)] = np.delete(x, 5)
        expected.append(wanted)
    run(*launches)
    for launch, values in zip(launches, expected, strict=True):
        np.testing.assert_array_equal(launch.arguments[2], values)


@triton.jit
def reverse_in_place(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + (BLOCK - 1 - i), tl.load(x + i))


@triton.jit
def shift_in_place(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i + 1, tl.load(x + i))


@triton.jit
def transpose_in_place(x, N: tl.constexpr):
    r = tl.arange(0, N)[:, None]
    c = tl.arange(0, N)[None, :]
    tl.store(x + c * N + r, tl.load(x + r * N + c))


@triton.jit
def swap(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(x + i, b)
    tl.store(y + i, a)


@triton.jit
def read_then_overwrite(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(x + i, a * 0)
    b = tl.load(x + i)
    tl.store(out + i, a + b)
    first = tl.load(x)
    tl.store(x, 5.0)
    tl.store(out + BLOCK, first + tl.load(x))


@triton.jit
def store_in_loop(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    for k in range(n):
        tl.store(x + i, a + k)
    tl.store(out + i, a)


def test_a_block_is_read_before_it_is_written() -> None:
    x = [_values(n, np.float32) for n in (256, 257, 64 * 64, 256, 256, 256, 256)]
    old = [a.copy() for a in x]
    outs = [np.zeros(257, np.float32), np.zeros(256, np.float32)]
    run(
        Launch(reverse_in_place, [x[0]], (1,), {"BLOCK": 256}),
        Launch(shift_in_place, [x[1]], (1,), {"BLOCK": 256}),
        Launch(transpose_in_place, [x[2]], (1,), {"N": 64}),
        Launch(swap, [x[3], x[4]], (1,), {"BLOCK": 256}),
        Launch(read_then_overwrite, [x[5], outs[0]], (1,), {"BLOCK": 256}),
        Launch(store_in_loop, [x[6], outs[1], 3], (1,), {"BLOCK": 256}),
    )
    np.testing.assert_array_equal(x[0], old[0][::-1])
    np.testing.assert_array_equal(x[1][1:], old[1][:-1])
    np.testing.assert_array_equal(x[2].reshape(64, 64), old[2].reshape(64, 64).T)
    np.testing.assert_array_equal(x[3], old[4])
    np.testing.assert_array_equal(x[4], old[3])
    np.testing.assert_array_equal(outs[0][:-1], old[5])
    assert outs[0][-1] == 5
    np.testing.assert_array_equal(x[6], old[6] + 2)
    np.testing.assert_array_equal(outs[1], old[6])


@triton.jit
def choose(x, y, out, flag, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    source = x if flag > 0 else y
    pointers = tl.where(i % 2 == 0, x + i, y + i)
    tl.store(out + i, tl.load(source + i))
    tl.store(out + BLOCK + i, tl.load(pointers))


@triton.jit
def through_integers(addresses, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    base = tl.load(addresses + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    tl.store(
        out + tl.program_id(0) * BLOCK + i, tl.load(base + i, mask=i < 50, other=0.0)
    )


@triton.jit
def other_width(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    halves = x.to(tl.pointer_type(tl.int16), bitcast=True)
    words = x.to(tl.pointer_type(tl.int64), bitcast=True)
    tl.store(out + i, tl.load(halves + i).to(tl.int64))
    tl.store(out + BLOCK + i, tl.load(words + i, mask=i < BLOCK // 4, other=0))


def test_pointers_that_are_chosen_or_cast() -> None:
    x, y = _values(64, np.float32), _values(64, np.float32)
    outs = [np.zeros((2, 64), np.float32) for _ in range(2)]
    addresses = np.array([x.ctypes.data, y.ctypes.data], np.int64)
    far = np.zeros((2, 64), np.float32)
    raw = RNG.integers(-(2**31), 2**31 - 1, 32).astype(np.int32)
    wide = np.zeros((2, 64), np.int64)
    run(
        Launch(choose, [x, y, outs[0], 1], (1,), {"BLOCK": 64}),
        Launch(choose, [x, y, outs[1], -1], (1,), {"BLOCK": 64}),
        Launch(through_integers, [addresses, far], (2,), {"BLOCK": 64}),
        Launch(other_width, [raw, wide], (1,), {"BLOCK": 64}),
    )
    i = np.arange(64)
    np.testing.assert_array_equal(outs[0][0], x)
    np.testing.assert_array_equal(outs[1][0], y)
    np.testing.assert_array_equal(outs[0][1], np.where(i % 2 == 0, x, y))
    np.testing.assert_array_equal(far, np.where(i < 50, [x, y], 0))
    np.testing.assert_array_equal(wide[0], raw.view(np.int16))
    np.testing.assert_array_equal(wide[1, :16], raw.view(np.int64))


def test_masked_lanes_touch_no_memory() -> None:
    """The block ends past the last page that may be read."""
    page = mmap.PAGESIZE
    area = mmap.mmap(-1, 2 * page)
    address = ctypes.addressof(ctypes.c_char.from_buffer(area))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.mprotect(ctypes.c_void_p(address + page), page, 0) == 0
    try:
        addresses = np.array([address + page - 200, address + page - 200], np.int64)
        ctypes.memset(address, 0, page)
        out = np.ones((2, 64), np.float32)
        run(Launch(through_integers, [addresses, out], (2,), {"BLOCK": 64}))
        np.testing.assert_array_equal(out, 0)
    finally:
        libc.mprotect(ctypes.c_void_p(address + page), page, 3)


@triton.jit
def far_away(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK).to(tl.int64)
    near = i < n
    where = i + (1 - near.to(tl.int64)) * 1099511627776
    tl.store(out + i, tl.load(x + where, mask=near, other=-1.0))
    strided = i * 1099511627776
    tl.store(out + BLOCK + i, tl.load(x + strided, mask=i < 1, other=-2.0))
    tl.store(out + where, tl.load(x + i, mask=near) * 2, mask=near)


def test_addresses_of_masked_lanes_may_be_anything() -> None:
    x, out = _values(64, np.float32), np.zeros((2, 64), np.float32)
    run(Launch(far_away, [x, out, 40], (1,), {"BLOCK": 64}))
    i = np.arange(64)
    np.testing.assert_array_equal(out[0], np.where(i < 40, x * 2, -1))
    np.testing.assert_array_equal(out[1], np.where(i < 1, x, -2))
