# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Blocks with other axes: broadcast, trans, reshape; constants; mixed evaluation."""

from __future__ import annotations

import numpy as np
import triton
import triton.language as tl

from .harness import Launch, run

RNG = np.random.default_rng(0)


@triton.jit
def transposes(x, out, R: tl.constexpr, C: tl.constexpr):
    r, c = tl.arange(0, R), tl.arange(0, C)
    a = tl.load(x + r[:, None] * C + c[None, :])
    tl.store(out + c[:, None] * R + r[None, :], tl.trans(tl.exp(a)))
    both = tl.trans(a) + tl.trans(a * 2)
    tl.store(out + R * C + c[:, None] * R + r[None, :], both)
    tl.store(out + 2 * R * C + r[:, None] * C + c[None, :], tl.trans(tl.trans(a)))


def test_transposes() -> None:
    launches = []
    for shape in ((16, 16), (64, 32), (8, 128), (2, 4), (1, 32), (32, 1)):
        x = RNG.standard_normal(shape).astype(np.float32)
        out = np.zeros((3, x.size), np.float32)
        constants = {"R": shape[0], "C": shape[1]}
        launches.append(Launch(transposes, [x, out], (1,), constants))
    run(*launches)
    for launch in launches:
        x, out = launch.arguments
        np.testing.assert_allclose(out[0], np.exp(x).T.ravel(), 1e-6)
        np.testing.assert_allclose(out[1], 3 * x.T.ravel(), 1e-6)
        np.testing.assert_array_equal(out[2], x.ravel())


@triton.jit
def permute(x, out, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    a = tl.arange(0, A)[:, None, None]
    b = tl.arange(0, B)[None, :, None]
    c = tl.arange(0, C)[None, None, :]
    value = tl.load(x + (a * B + b) * C + c)
    i = tl.arange(0, A * B * C)
    tl.store(out + i, tl.reshape(tl.permute(value, (2, 0, 1)), (A * B * C,)))
    tl.store(
        out + A * B * C + i, tl.reshape(tl.permute(value, (1, 0, 2)), (A * B * C,))
    )
    tl.store(
        out + 2 * A * B * C + i, tl.reshape(tl.permute(value, (0, 2, 1)), (A * B * C,))
    )


def test_permutations_of_three_axes() -> None:
    x = RNG.standard_normal((4, 8, 16)).astype(np.float32)
    out = np.zeros((3, x.size), np.float32)
    run(Launch(permute, [x, out], (1,), {"A": 4, "B": 8, "C": 16}))
    for number, order in enumerate(((2, 0, 1), (1, 0, 2), (0, 2, 1))):
        np.testing.assert_array_equal(out[number], x.transpose(order).ravel())


@triton.jit
def reshapes(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    matrix = tl.reshape(a * 2, (N // 8, 8))
    tl.store(out + i, tl.reshape(matrix + tl.arange(0, 8)[None, :], (N,)))
    sums = tl.sum(tl.reshape(a, (2, N // 2)), axis=0)
    tl.store(out + N + tl.arange(0, N // 2), sums)
    wide = tl.reshape(tl.reshape(a, (1, N)), (N, 1))
    tl.store(out + 2 * N + i, tl.sum(wide, axis=1))


def test_reshapes() -> None:
    x, out = RNG.standard_normal(256).astype(np.float32), np.zeros((3, 256), np.float32)
    run(Launch(reshapes, [x, out], (1,), {"N": 256}))
    np.testing.assert_allclose(out[0], x * 2 + np.arange(256) % 8, 1e-6)
    np.testing.assert_array_equal(out[1, :128], x[:128] + x[128:])
    np.testing.assert_array_equal(out[2], x)


@triton.jit
def outer(x, y, out, R: tl.constexpr, C: tl.constexpr):
    a = tl.exp(tl.load(x + tl.arange(0, R)))
    b = tl.load(y + tl.arange(0, C)) * 0.5
    table = a[:, None] * b[None, :] + (
        tl.arange(0, R)[:, None] == tl.arange(0, C)[None, :]
    )
    where = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    tl.store(out + where, table)
    tl.store(out + R * C + where, tl.broadcast_to(a[:, None], (R, C)))
    tl.store(out + 2 * R * C + where, tl.full((R, C), 2.5, tl.float32))


def test_outer_products() -> None:
    x, y = (RNG.standard_normal(n).astype(np.float32) for n in (32, 64))
    out = np.zeros((3, 32, 64), np.float32)
    run(Launch(outer, [x, y, out], (1,), {"R": 32, "C": 64}))
    a = np.exp(x)[:, None]
    np.testing.assert_allclose(out[0], a * (y * 0.5) + np.eye(32, 64), 1e-6, 1e-6)
    np.testing.assert_allclose(out[1], np.broadcast_to(a, (32, 64)), 1e-6)
    np.testing.assert_array_equal(out[2], 2.5)


@triton.jit
def grid(out, BLOCK: tl.constexpr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    nx, ny = tl.num_programs(0), tl.num_programs(1)
    i = tl.arange(0, BLOCK)
    tl.store(out + ((z * ny + y) * nx + x) * BLOCK + i, x + 10 * y + 100 * z + 0 * i)


def test_program_ids() -> None:
    out = np.zeros((4, 3, 2, 16), np.int32)
    run(Launch(grid, [out], (2, 3, 4), {"BLOCK": 16}))
    z, y, x, _ = np.mgrid[:4, :3, :2, :16]
    np.testing.assert_array_equal(out, x + 10 * y + 100 * z)


@triton.jit
def softmax_columns(x, out, R: tl.constexpr, C: tl.constexpr):
    where = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    a = tl.load(x + where)
    a = tl.exp(a - tl.max(a, axis=0)[None, :])
    a = a / tl.sum(a, axis=0)[None, :]
    tl.store(out + where, a / tl.sum(a, axis=1)[:, None])


def test_reductions_along_both_axes() -> None:
    x = RNG.standard_normal((32, 64)).astype(np.float32)
    out = np.zeros_like(x)
    run(Launch(softmax_columns, [x, out], (1,), {"R": 32, "C": 64}))
    e = np.exp(x.astype(np.float64) - x.max(0))
    e /= e.sum(0)
    np.testing.assert_allclose(out, e / e.sum(1)[:, None], 1e-5)


@triton.jit
def with_own_transpose(x, out, N: tl.constexpr):
    where = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    a = tl.load(x + where)
    largest = tl.maximum(a, tl.trans(a))
    total = tl.sum(largest, axis=1)
    tl.store(out + where, largest)
    tl.store(out + N * N + where, largest + total[:, None])


def test_block_beside_its_transpose() -> None:
    x, out = (
        RNG.standard_normal((16, 16)).astype(np.float32),
        np.zeros((2, 16, 16), "f4"),
    )
    run(Launch(with_own_transpose, [x, out], (1,), {"N": 16}))
    largest = np.maximum(x, x.T)
    np.testing.assert_array_equal(out[0], largest)
    np.testing.assert_allclose(out[1], largest + largest.sum(1)[:, None], 1e-5)
