# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels with dots through the whole CPU lowering, against NumPy in float64."""

from __future__ import annotations

import itertools

import ml_dtypes
import numpy as np
import triton
import triton.language as tl
from tests.numerics.cpu.harness import Launch, lower, run

BF16 = np.dtype(ml_dtypes.bfloat16)
F8 = np.dtype(ml_dtypes.float8_e5m2)


def random(shape, dtype, seed=0):
    generator = np.random.default_rng(seed)
    if np.issubdtype(dtype, np.integer):
        return generator.integers(-128, 128, shape).astype(dtype)
    return generator.standard_normal(shape).astype(dtype)


def wide(array):
    integers = np.issubdtype(array.dtype, np.integer)
    return array.astype(np.int64 if integers else np.float64)


def check(got, want, scale=None, tolerance=1e-6):
    error = np.abs(wide(got) - want) / (1 + (np.abs(want) if scale is None else scale))
    assert error.max() <= tolerance


@triton.jit
def tutorial_kernel(
    a, b, c, M, N, K, am, ak, bk, bn, cm, cn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SUMS: tl.constexpr,
):  # fmt: skip
    pid = tl.program_id(0)
    columns = tl.cdiv(N, BN)
    group = 4 * columns
    first = pid // group * 4
    height = min(tl.cdiv(M, BM) - first, 4)
    block_m = first + pid % group % height
    block_n = pid % group // height
    m = (block_m * BM + tl.arange(0, BM)) % M
    n = (block_n * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    a_block = a + (m[:, None] * am + k[None, :] * ak)
    b_block = b + (k[:, None] * bk + n[None, :] * bn)
    total = tl.zeros((BM, BN), SUMS)
    for step in range(0, tl.cdiv(K, BK)):
        left = tl.load(a_block, mask=k[None, :] < K - step * BK, other=0.0)
        right = tl.load(b_block, mask=k[:, None] < K - step * BK, other=0.0)
        total = tl.dot(left, right, total, out_dtype=SUMS)
        a_block += BK * ak
        b_block += BK * bk
    m = block_m * BM + tl.arange(0, BM)
    n = block_n * BN + tl.arange(0, BN)
    c_block = c + cm * m[:, None] + cn * n[None, :]
    inside = (m[:, None] < M) & (n[None, :] < N)
    tl.store(c_block, total.to(c.dtype.element_ty), mask=inside)


SUMS = {
    np.dtype(np.int32): tl.int32,
    np.dtype(np.float16): tl.float16,
    np.dtype(np.float64): tl.float64,
}


def tutorial(shape, block, dtype, result=np.float32, transposed="", fixed=True):
    """Gives a launch, and a function that checks what it left.

    Args:
        transposed: letters of the factors that are stored by columns.
        fixed: unit strides are known when the kernel is compiled, as Triton has it.
    """
    (m, n, k), result = shape, np.dtype(result)
    a, b = random((m, k), dtype, 1), random((k, n), dtype, 2)
    c = np.zeros((m, n), result)
    stored_a = np.ascontiguousarray(a.T) if "a" in transposed else a
    stored_b = np.ascontiguousarray(b.T) if "b" in transposed else b
    strides = {
        "am": 1 if "a" in transposed else k, "ak": m if "a" in transposed else 1,
        "bk": 1 if "b" in transposed else n, "bn": k if "b" in transposed else 1,
        "cm": n, "cn": 1,
    }  # fmt: skip
    known = {name: 1 for name in strides if fixed and strides[name] == 1}
    constants = dict(zip(("BM", "BN", "BK"), block, strict=True))
    constants |= {"SUMS": SUMS.get(result, tl.float32)} | known
    left = [value for name, value in strides.items() if name not in known]
    grid = (triton.cdiv(m, block[0]) * triton.cdiv(n, block[1]),)
    launch = Launch(
        tutorial_kernel, [stored_a, stored_b, c, m, n, k, *left], grid, constants
    )
    scale = np.abs(wide(a)) @ np.abs(wide(b))
    tolerance = {np.dtype(np.int32): 0, np.dtype(np.float16): 2e-3}.get(result, 1e-6)
    return launch, lambda: check(c, wide(a) @ wide(b), scale, tolerance)


def run_all(cases):
    run(*(launch for launch, _ in cases))
    for _, verify in cases:
        verify()


def test_layouts_with_tails():
    run_all(
        [
            tutorial((70, 90, 50), (32, 64, 16), np.float32, transposed=transposed)
            for transposed in ("", "a", "b", "ab")
        ]
    )


def test_strides_known_only_at_run_time():
    run_all(
        [
            tutorial((64, 48, 40), (16, 32, 32), np.float32, transposed=t, fixed=False)
            for t in ("", "ab")
        ]
    )


def test_element_types():
    types = [
        (np.float16, np.float32), (np.float16, np.float16), (BF16, np.float32),
        (F8, np.float32), (np.int8, np.int32), (np.float64, np.float64),
    ]  # fmt: skip
    run_all(
        [
            tutorial((40, 72, 80), (32, 32, 32), np.dtype(dtype), result, transposed)
            for (dtype, result), transposed in itertools.product(types, ("", "ab"))
        ]
    )


def test_block_shapes():
    blocks = [(16, 16, 16), (16, 128, 16), (128, 16, 64), (64, 64, 128), (32, 256, 16)]
    run_all([tutorial((100, 130, 70), block, np.float32) for block in blocks])


def test_code_does_not_grow_with_the_block():
    def size(block):
        launch, _ = tutorial((512, 512, 512), block, np.float32)
        return len(lower(launch).splitlines())

    sizes = [size((n, n, n)) for n in (32, 64, 256)]
    assert max(sizes) < 1.2 * min(sizes)


def test_nan_and_infinity_stay_in_their_rows_and_columns():
    launch, _ = tutorial((64, 64, 40), (32, 32, 32), np.float32)
    a, b, c = launch.arguments[:3]
    a[3, 5], b[7, 9] = np.nan, np.inf
    run(launch)
    with np.errstate(invalid="ignore"):
        want = a.astype(np.float64) @ b.astype(np.float64)
    assert np.array_equal(np.isnan(c), np.isnan(want))
    finite = np.isfinite(want)
    assert np.array_equal(np.isfinite(c), finite)
    check(c[finite], want[finite], tolerance=1e-5)


@triton.jit
def chain_kernel(a, b, c, out, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    left, middle, right = tl.load(a + at), tl.load(b + at), tl.load(c + at)
    product = tl.dot(left, middle)
    tl.store(out + at, tl.dot(tl.trans(product), right, product * 2.0))


@triton.jit
def kept_sum_kernel(a, b, out, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    left, right = tl.load(a + at), tl.load(b + at)
    first = tl.dot(left, right)
    second = tl.dot(first, right, first)
    tl.store(out + at, first + 3.0 * second)


@triton.jit
def rescaled_kernel(a, b, out, steps, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    total = tl.zeros((N, N), tl.float32)
    peak = tl.full((N,), 1.0, tl.float32)
    for step in range(steps):
        left = tl.load(a + at + step * N * N)
        right = tl.load(b + at + step * N * N)
        score = tl.dot(left, tl.trans(right))
        peak = tl.maximum(peak, tl.max(score, axis=1))
        total = total * (1.0 / peak)[:, None]
        total = tl.dot(score, right, total)
    tl.store(out + at, total)


def test_results_that_are_used_again():
    n = 32
    a, b, c = (random((n, n), np.float32, seed) for seed in range(3))
    kept = np.zeros((n, n), np.float32)
    chained = np.zeros((n, n), np.float32)
    many_a, many_b = random((3, n, n), np.float32, 4), random((3, n, n), np.float32, 5)
    scaled = np.zeros((n, n), np.float32)
    run(
        Launch(chain_kernel, [a, b, c, chained], constants={"N": n}),
        Launch(kept_sum_kernel, [a, b, kept], constants={"N": n}),
        Launch(rescaled_kernel, [many_a, many_b, scaled, 3], constants={"N": n}),
    )
    a, b, c = wide(a), wide(b), wide(c)
    check(chained, (a @ b).T @ c + 2 * (a @ b), tolerance=1e-4)
    check(kept, a @ b + 3 * (a @ b @ b + a @ b), tolerance=1e-4)
    total, peak = np.zeros((n, n)), np.ones(n)
    for left, right in zip(wide(many_a), wide(many_b), strict=True):
        score = left @ right.T
        peak = np.maximum(peak, score.max(1))
        total = total / peak[:, None] + score @ right
    check(scaled, total, tolerance=1e-3)


@triton.jit
def batched_kernel(
    a, b, c, out, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr
):
    i, m, n, k = tl.arange(0, B), tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    left = tl.load(a + i[:, None, None] * M * K + m[None, :, None] * K + k[None, None])
    right = tl.load(b + i[:, None, None] * K * N + k[None, :, None] * N + n[None, None])
    at = i[:, None, None] * M * N + m[None, :, None] * N + n[None, None, :]
    total = tl.dot(left, right, tl.load(c + at))
    tl.store(out + at, tl.dot(total, tl.trans(total, 0, 2, 1), total))


def test_batches():
    a, b = random((4, 16, 32), np.float32, 1), random((4, 32, 16), np.float32, 2)
    c, out = random((4, 16, 16), np.float32, 3), np.zeros((4, 16, 16), np.float32)
    sizes = {"B": 4, "M": 16, "N": 16, "K": 32}
    run(Launch(batched_kernel, [a, b, c, out], constants=sizes))
    total = wide(c) + wide(a) @ wide(b)
    check(out, total @ total.transpose(0, 2, 1) + total, tolerance=1e-4)


@triton.jit
def overwriting_kernel(a, b, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    left, right = tl.load(a + at), tl.load(b + at)
    tl.store(a + at, right)
    tl.store(b + at, tl.dot(left, right))


def test_factors_that_are_overwritten_before_the_dot():
    n = 64
    a, b = random((n, n), np.float32, 1), random((n, n), np.float32, 2)
    want_a, want_b = b.copy(), wide(a) @ wide(b)
    run(Launch(overwriting_kernel, [a, b], constants={"N": n}))
    assert np.array_equal(a, want_a)
    check(b, want_b, tolerance=1e-5)


@triton.jit
def masked_rows_kernel(a, b, out, rows, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    left = tl.load(a + at, mask=i[:, None] < rows, other=1.0)
    right = tl.load(b + at, mask=(i[:, None] + i[None, :]) % 3 != 0, other=-1.0)
    tl.store(out + at, tl.dot(left, right))


def test_masks_with_other_values():
    n = 32
    a, b = random((n, n), np.float32, 1), random((n, n), np.float32, 2)
    outs = [np.zeros((n, n), np.float32) for _ in range(3)]
    rows = (0, 7, 32)
    run(
        *(
            Launch(masked_rows_kernel, [a, b, out, count], constants={"N": n})
            for count, out in zip(rows, outs, strict=True)
        )
    )
    i = np.arange(n)
    right = np.where((i[:, None] + i) % 3 != 0, wide(b), -1)
    for count, out in zip(rows, outs, strict=True):
        left = np.where(i[:, None] < count, wide(a), 1)
        check(out, left @ right, tolerance=1e-5)


@triton.jit
def persistent_kernel(
    a, b, c, tiles, programs, SIZE: tl.constexpr, B: tl.constexpr, FOLD: tl.constexpr
):
    i = tl.arange(0, B)
    for tile in range(tl.program_id(0), tiles, programs):
        row, column = tile // (SIZE // B) * B, tile % (SIZE // B) * B
        total = tl.zeros((B, B), tl.float32)
        for k in range(0, SIZE, B):
            left = tl.load(a + (row + i)[:, None] * SIZE + (k + i)[None, :])
            right = tl.load(b + (k + i)[:, None] * SIZE + (column + i)[None, :])
            total += tl.dot(left, right)
        if FOLD:
            total = tl.where(total > 0, total, 0.5 * total)
        tl.store(c + (row + i)[:, None] * SIZE + (column + i)[None, :], total)


@triton.jit
def swapping_kernel(a, b, c, steps, B: tl.constexpr):
    i = tl.arange(0, B)
    at = i[:, None] * B + i[None, :]
    left, right = tl.load(a + at), tl.load(b + at)
    first, second = tl.zeros((B, B), tl.float32), tl.load(c + at)
    for _ in range(steps):
        grown = tl.dot(left, right, first)
        first = second
        second = grown
    tl.store(c + at, first - 2.0 * second)


@triton.jit
def branching_kernel(a, b, c, flag, B: tl.constexpr):
    i = tl.arange(0, B)
    at = i[:, None] * B + i[None, :]
    left, right, total = tl.load(a + at), tl.load(b + at), tl.load(c + at)
    if flag > 0:
        total = tl.dot(left, right, total)
    else:
        total = tl.dot(tl.trans(left), right.to(tl.bfloat16).to(tl.float32))
    tl.store(c + at, tl.dot(total, right, total))


def test_control_flow_around_dots():
    n, block = 64, 32
    a, b = random((n, n), np.float32, 1), random((n, n), np.float32, 2)
    plain, folded = (np.zeros((n, n), np.float32) for _ in range(2))
    sizes = {"SIZE": n, "B": block}
    square = [random((block, block), np.float32, seed) for seed in range(3)]
    swapped, taken, left_out = (square[2].copy() for _ in range(3))
    one = {"B": block}
    run(
        Launch(persistent_kernel, [a, b, plain, 4, 3], (3,), sizes | {"FOLD": False}),
        Launch(persistent_kernel, [a, b, folded, 4, 1], (1,), sizes | {"FOLD": True}),
        Launch(swapping_kernel, [*square[:2], swapped, 3], constants=one),
        Launch(branching_kernel, [*square[:2], taken, 1], constants=one),
        Launch(branching_kernel, [*square[:2], left_out, 0], constants=one),
    )
    product = wide(a) @ wide(b)
    check(plain, product, tolerance=1e-5)
    check(folded, np.where(product > 0, product, product / 2), tolerance=1e-5)
    left, right, start = map(wide, square)
    product, first, second = left @ right, 0.0, start
    for _ in range(3):
        first, second = second, first + product
    check(swapped, first - 2 * second, tolerance=1e-4)
    total = start + product
    check(taken, total @ right + total, tolerance=1e-4)
    total = left.T @ wide(square[1].astype(BF16))
    check(left_out, total @ right + total, tolerance=1e-4)
