# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Functions of libdevice, against NumPy and SciPy in f64."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special
import triton
import triton.language as tl
from triton.language.extra import libdevice

from .harness import Launch, run

pytestmark = pytest.mark.slow


@triton.jit
def one_operand(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    a = tl.load(x + i, mask=inside)
    tl.store(out + 0 * n + i, libdevice.tanh(a), mask=inside)
    tl.store(out + 1 * n + i, libdevice.expm1(a), mask=inside)
    tl.store(out + 2 * n + i, libdevice.log1p(a), mask=inside)
    tl.store(out + 3 * n + i, libdevice.log10(a), mask=inside)
    tl.store(out + 4 * n + i, libdevice.tan(a), mask=inside)
    tl.store(out + 5 * n + i, libdevice.sinh(a), mask=inside)
    tl.store(out + 6 * n + i, libdevice.cosh(a), mask=inside)
    tl.store(out + 7 * n + i, libdevice.asin(a), mask=inside)
    tl.store(out + 8 * n + i, libdevice.acos(a), mask=inside)
    tl.store(out + 9 * n + i, libdevice.atan(a), mask=inside)
    tl.store(out + 10 * n + i, libdevice.asinh(a), mask=inside)
    tl.store(out + 11 * n + i, libdevice.acosh(a), mask=inside)
    tl.store(out + 12 * n + i, libdevice.atanh(a), mask=inside)
    tl.store(out + 13 * n + i, libdevice.cbrt(a), mask=inside)
    tl.store(out + 14 * n + i, libdevice.trunc(a), mask=inside)
    tl.store(out + 15 * n + i, libdevice.round(a), mask=inside)
    tl.store(out + 16 * n + i, libdevice.rint(a), mask=inside)
    tl.store(out + 17 * n + i, libdevice.isnan(a).to(tl.float32), mask=inside)
    tl.store(out + 18 * n + i, libdevice.isinf(a).to(tl.float32), mask=inside)
    tl.store(out + 19 * n + i, libdevice.rsqrt(a), mask=inside)
    tl.store(out + 20 * n + i, libdevice.erf(a), mask=inside)
    tl.store(out + 21 * n + i, libdevice.exp10(a), mask=inside)


def _round_away(x: np.ndarray) -> np.ndarray:
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


_FUNCTIONS = [
    np.tanh,
    np.expm1,
    np.log1p,
    np.log10,
    np.tan,
    np.sinh,
    np.cosh,
    np.arcsin,
    np.arccos,
    np.arctan,
    np.arcsinh,
    np.arccosh,
    np.arctanh,
    np.cbrt,
    np.trunc,
    _round_away,
    np.rint,
    np.isnan,
    np.isinf,
    lambda x: 1 / np.sqrt(x),
    scipy.special.erf,
    lambda x: 10.0**x,
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_functions_of_one_operand() -> None:
    rng = np.random.default_rng(0)
    edges = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, 2.5, -1.5, 1e-10, 1e-4]
    x = np.concatenate(
        [rng.standard_normal(300), rng.uniform(-30, 30, 200), rng.uniform(-1, 1, 100)]
    )
    x = np.concatenate([x, edges]).astype(np.float32)
    out = np.zeros((len(_FUNCTIONS), len(x)), np.float32)
    run(Launch(one_operand, [x, out, len(x)], (3,), {"BLOCK": 256}))
    for number, function in enumerate(_FUNCTIONS):
        expected = np.asarray(function(x.astype(np.float64))).astype(np.float32)
        np.testing.assert_allclose(
            out[number], expected, rtol=5e-7, atol=1e-37, err_msg=f"row {number}"
        )


@triton.jit
def two_operands(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    a = tl.load(x + i, mask=inside)
    b = tl.load(y + i, mask=inside)
    tl.store(out + 0 * n + i, libdevice.pow(a, b), mask=inside)
    tl.store(out + 1 * n + i, libdevice.atan2(a, b), mask=inside)
    tl.store(out + 2 * n + i, libdevice.fmod(a, b), mask=inside)
    tl.store(out + 3 * n + i, libdevice.copysign(a, b), mask=inside)
    tl.store(out + 4 * n + i, libdevice.div_rn(a, b), mask=inside)
    whole = libdevice.rint(b).to(tl.int32)
    tl.store(out + 5 * n + i, libdevice.pow(a, whole), mask=inside)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_functions_of_two_operands() -> None:
    rng = np.random.default_rng(1)
    edges = np.array([0.0, -0.0, 1.0, -1.0, 2.0, -3.0, 0.5, np.nan, np.inf, -np.inf])
    a, b = (e.ravel() for e in np.meshgrid(edges, edges))
    keep = ~(np.isinf(a) & np.isinf(b))
    x = np.concatenate([rng.standard_normal(300) * 3, a[keep]]).astype(np.float32)
    y = np.concatenate([rng.standard_normal(300) * 3, b[keep]]).astype(np.float32)
    out = np.zeros((6, len(x)), np.float32)
    run(Launch(two_operands, [x, y, out, len(x)], (2,), {"BLOCK": 256}))
    p, q = x.astype(np.float64), y.astype(np.float64)
    usable = np.isfinite(q)
    functions = [np.power, np.arctan2, np.fmod, np.copysign, np.divide]
    for number, function in enumerate(functions):
        expected = function(p, q).astype(np.float32)
        np.testing.assert_allclose(
            out[number], expected, rtol=5e-7, atol=1e-37, err_msg=f"row {number}"
        )
    expected = np.power(p, np.rint(q)).astype(np.float32)
    np.testing.assert_allclose(out[5][usable], expected[usable], 5e-7, 1e-37)


@triton.jit
def bit_counts(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, libdevice.ffs(a))
    tl.store(out + BLOCK + i, libdevice.popc(a))
    tl.store(out + 2 * BLOCK + i, libdevice.clz(a))


def test_bit_counts() -> None:
    x = np.random.default_rng(2).integers(-(2**31), 2**31 - 1, 64).astype(np.int32)
    x[:3] = [0, 8, -1]
    out = np.zeros((3, 64), np.int32)
    run(Launch(bit_counts, [x, out], (1,), {"BLOCK": 64}))
    texts = [f"{int(v) & 0xFFFFFFFF:032b}" for v in x]
    np.testing.assert_array_equal(
        out[0], [32 - t.rfind("1") if "1" in t else 0 for t in texts]
    )
    np.testing.assert_array_equal(out[1], [t.count("1") for t in texts])
    np.testing.assert_array_equal(out[2], [len(t) - len(t.lstrip("0")) for t in texts])
