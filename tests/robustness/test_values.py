# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays and numbers of odd kinds: the right result, or an error that names them."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
import triton
import triton.language as tl
from tests.robustness.kernels import copy

import tritonflow
from tritonflow import Program
from tritonflow.errors import SignatureError

X = np.random.default_rng(0).random((6, 4)).astype(np.float32)
Y = np.random.default_rng(1).random((6, 4)).astype(np.float32)
EXPECTED = X + 2 * Y


@pytest.fixture(scope="module")
def program() -> Program:
    return tritonflow.compile(lambda x, y: copy(x) + 2 * y, X, Y, target="cpu")


def _strided() -> np.ndarray:
    array = np.zeros((12, 8), np.float32)[::2, ::2]
    array[...] = X
    return array


def _unaligned() -> np.ndarray:
    bytes_ = np.zeros(X.nbytes + 1, np.uint8)
    array = np.frombuffer(bytes_.data, np.float32, X.size, offset=1).reshape(6, 4)
    array[...] = X
    return array


def _read_only() -> np.ndarray:
    array = X.copy()
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    "value",
    [
        np.asfortranarray(X),
        X[::-1].copy()[::-1],
        _strided(),
        _unaligned(),
        _read_only(),
        np.ma.array(X, mask=False),
        memoryview(X.copy()),
    ],
    ids=lambda value: type(value).__name__,
)
def test_layouts(program: Program, value: Any) -> None:
    np.testing.assert_array_equal(np.asarray(program(value, Y)), EXPECTED)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (X.astype(">f4"), "element type `>f4`"),
        (X.astype(np.float64), r"float64\[6,4\]"),
        (X.tolist(), r"float64\[6,4\]"),
        (X.astype(object), "ndarray"),
        (X.astype(str), "<U32"),
        (X.astype(np.longdouble), "float128"),
        (X.astype(ml_dtypes.int4), "int4"),
        (X.astype(ml_dtypes.bfloat16), r"bfloat16\[6,4\]"),
        (np.zeros((6, 4), "M8[s]"), "datetime64"),
        (X[None], r"float32\[1,6,4\]"),
        (X[:5], r"float32\[5,4\]"),
        (3.5, r"float32\[\]"),
        (None, "NoneType"),
        ("abc", "<U3"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_values_that_do_not_fit(program: Program, value: Any, found: str) -> None:
    with pytest.raises(SignatureError, match=rf"`x`: got .*{found}.*expected"):
        program(value, Y)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32"])
def test_numbers_out_of_range(dtype: str) -> None:
    program = tritonflow.compile(lambda s: s + 0, np.zeros((), dtype), target="cpu")
    limits = np.iinfo(dtype)
    for value in (int(limits.min), int(limits.max)):
        assert int(np.asarray(program(value))) == value
    for value in (limits.min - 1, limits.max + 1, 10**30):
        with pytest.raises(SignatureError, match=rf"`s`: got {value}, which is out"):
            program(int(value))


def test_out_may_overlap_inputs_and_have_any_layout(program: Program) -> None:
    memory = np.zeros(200, np.float32)
    start = (-memory.ctypes.data // 4) % 16
    x = memory[start : start + 24].reshape(6, 4)
    behind = memory[start + 8 : start + 32].reshape(6, 4)
    for out in (
        x,
        behind,
        np.zeros((4, 6), np.float32).T,
        np.zeros((6, 8), "f4")[:, 1::2],
    ):
        x[...] = X
        assert program(x, Y, out=out) is out
        np.testing.assert_array_equal(out, EXPECTED)
    earlier = program(X, Y)
    program(earlier, Y, out=earlier)
    np.testing.assert_array_equal(np.asarray(earlier), EXPECTED + 2 * Y)


def test_out_of_the_other_byte_order_is_named(program: Program) -> None:
    with pytest.raises(SignatureError, match=r"got >f4\[6,4\], expected float32"):
        program(X, Y, out=np.zeros((6, 4), ">f4"))


@triton.jit
def _add_number(x, y, number, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i) + number)


def test_numbers_of_every_type_at_compile_time() -> None:
    numbers = [
        *(float("nan"), float("inf"), -float("inf"), -0.0, 1e300, True, 1, 16, 0),
        *(2**31 - 1, 2**31, -(2**31), 2**40, 2**63, 2**64 - 1, -(2**63)),
        *(np.float16(2.5), np.float32(0.1), np.float64(0.1), ml_dtypes.bfloat16(1.5)),
        *(np.int8(-3), np.uint8(255), np.int64(-(2**40)), np.uint64(2**63 + 5)),
        *(np.int16(-300), np.uint32(2**32 - 1), np.bool_(True)),
    ]
    x = np.arange(16, dtype=np.float32)

    def fn(x: Any) -> list[Any]:
        call = {"kernel": _add_number, "out_type": x, "grid": (1,), "BLOCK": 16}
        return [tritonflow.triton_call(x, number=n, **call) for n in numbers]

    results = tritonflow.compile(fn, x, target="cpu")(x)
    for number, result in zip(numbers, results, strict=True):
        with np.errstate(over="ignore"):
            expected = x + np.float32(number)
        np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-6)
