# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Functions of Triton's own library, against its interpreter."""

from __future__ import annotations

import numpy as np
import pytest
import triton
import triton.language as tl
from tests.interpreter import interpret

from .harness import Launch, run

pytestmark = pytest.mark.slow


@triton.jit
def library(x, out, R: tl.constexpr, C: tl.constexpr):
    r, c = tl.arange(0, R)[:, None], tl.arange(0, C)[None, :]
    where = r * C + c
    a = tl.load(x + where)
    # Along the first axis: Triton before 3.9 keeps no other.
    tl.store(out + tl.trans(where), tl.softmax(tl.trans(a), 0))
    tl.store(out + R * C + where, tl.sigmoid(a))
    tl.store(out + 2 * R * C + where, tl.flip(a, 1))
    tl.store(out + 3 * R * C + where, tl.sort(a, 1))
    tl.store(out + 4 * R * C + where, tl.cumsum(a, 1))
    tl.store(out + 5 * R * C + where, tl.ravel(a).reshape(R, C))
    best = tl.topk(a, 4)
    k = tl.arange(0, 4)[None, :]
    tl.store(out + 6 * R * C + r * 4 + k, best)
    value, place = tl.max(a, 1, return_indices=True)
    rows = tl.arange(0, R)
    tl.store(out + 7 * R * C + rows, value)
    tl.store(out + 7 * R * C + R + rows, place.to(tl.float32))


@triton.jit
def random_numbers(out, bits, seed, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.rand(seed, i))
    tl.store(out + N + i, tl.randn(seed, i))
    a, b, c, d = tl.randint4x(seed, i)
    tl.store(bits + i, a)
    tl.store(bits + N + i, b)
    tl.store(bits + 2 * N + i, c)
    tl.store(bits + 3 * N + i, d)


@triton.jit
def swizzled(out, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, N)[None, :]
    p, q = tl.swizzle2d(i, j, M, N, 2)
    tl.store(out + i * N + j, p * 100 + q)


def _compare(kernel, arguments, **constants: int) -> None:
    expected = interpret(kernel, (1,), *(_copy(a) for a in arguments), **constants)
    run(Launch(kernel, arguments, (1,), constants))
    arrays = [a for a in arguments if isinstance(a, np.ndarray)]
    for got, wanted in zip(arrays, expected, strict=True):
        if got.dtype.kind == "f":
            np.testing.assert_allclose(got, wanted, 2e-6, 2e-6)
        else:
            np.testing.assert_array_equal(got, wanted)


def _copy(argument):
    return argument.copy() if isinstance(argument, np.ndarray) else argument


def test_library() -> None:
    x = np.random.default_rng(0).standard_normal((4, 16)).astype(np.float32)
    _compare(library, [x, np.zeros(8 * 64, np.float32)], R=4, C=16)
    numbers, bits = np.zeros((2, 64), np.float32), np.zeros((4, 64), np.int32)
    _compare(random_numbers, [numbers, bits, 1234], N=64)
    _compare(swizzled, [np.zeros((8, 4), np.int32)], M=8, N=4)
