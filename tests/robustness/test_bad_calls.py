# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Calls of kernels that do not fit: each refused by `compile`, with the user's line."""

from __future__ import annotations

import re
from typing import Any

import jax
import numpy as np
import pytest
import triton
import triton.language as tl
from tests.robustness.kernels import copy

import tritonflow
from tritonflow.errors import SignatureError, TargetError, TritonFlowError

X = np.arange(100, dtype=np.float32)


@triton.jit
def _writes_both(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, i < n), i < n)
    tl.store(y + i, 1.0, i < n)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"grid": ()}, "got 0 dimensions, expected 1 to 3"),
        ({"grid": (1, 1, 1, 1)}, "got 4 dimensions, expected 1 to 3"),
        ({"grid": lambda meta: (1,) * 4}, "got 4 dimensions, expected 1 to 3"),
        ({"grid": (-1,)}, "size -1 of type `int`, expected integers of 0 or more"),
        ({"grid": (1.5,)}, "size 1.5 of type `float`, expected integers"),
        ({"grid": (True,)}, "size True of type `bool`, expected integers"),
        ({"BLOKC": 64}, "unknown keyword `BLOKC`(.|\n)*did you mean `BLOCK`"),
        ({"num_warp": 4}, "unknown keyword `num_warp`(.|\n)*`num_warps`"),
        ({"n": "many"}, "`n`: got a value of type `str`"),
        ({"n": 2**70}, "`n`.*does not fit 64 bits"),
        ({"out_type": ()}, "got no outputs"),
        ({"out_type": 3}, "leaf of type `int`, expected a shape and a dtype"),
        ({"kernel": len}, "expected a @triton.jit function"),
        ({"kernel": "absent.ttir"}, "`absent.ttir`: cannot be read"),
        ({"kernel": _writes_both}, "`x` of kernel `_writes_both`: .* writes it at"),
        ({"input_output_aliases": {5: 0}}, "got operand 5|got 0 outputs"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_calls_that_do_not_fit(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(SignatureError, match=message) as caught:
        tritonflow.compile(lambda x: copy(x, **changed), X, target="cpu")
    # The message does not point into our own code.
    assert "src/tritonflow" not in str(caught.value)


@pytest.mark.parametrize(
    ("target", "grid", "message"),
    [
        ("cpu", (2**31,), "got 2147483648 programs along x, .* 2147483647"),
        ("cpu", (1, 1, 2**16), "got 65536 programs along z, .* at most 65535"),
        ("cuda:sm_80", (2**31,), "got 2147483648 programs along x, .* 2147483647"),
        ("cuda:sm_80", (1, 2**16), "got 65536 programs along y, .* at most 65535"),
        ("cuda:sm_80", (1, 1, 2**16), "got 65536 programs along z, .* at most 65535"),
    ],
)
def test_grids_over_the_limits(target: str, grid: Any, message: str) -> None:
    with pytest.raises(SignatureError, match=message) as caught:
        tritonflow.compile(lambda x: copy(x, grid=grid), X, target=target)
    assert re.search(r"at .*kernels\.py:\d+", str(caught.value))


def test_an_empty_grid_launches_nothing() -> None:
    for grid in ((0,), (5, 0), (3, 4, 0)):
        fn = lambda x: copy(x, grid=grid, zeroed_outputs=(0,))  # noqa: B023, E731
        result = tritonflow.compile(fn, X, target="cpu")(X)
        np.testing.assert_array_equal(np.asarray(result), np.zeros(100))


def test_a_grid_of_very_many_programs() -> None:
    x = np.arange(150_001, dtype=np.float32)
    for grid in ((150_001,), (1, 150_001)):
        axis = len(grid) - 1

        def fn(x: Any, grid: Any = grid, axis: int = axis) -> Any:
            return tritonflow.triton_call(
                x, AXIS=axis, kernel=_copy_one, out_type=x, grid=grid
            )

        result = tritonflow.compile(fn, x, target="cpu")(x)
        np.testing.assert_array_equal(np.asarray(result), x)


@triton.jit
def _copy_one(x, y, AXIS: tl.constexpr):
    i = tl.program_id(AXIS)
    tl.store(y + i, tl.load(x + i))


@pytest.mark.parametrize(
    "target",
    [
        *("gpu", "cuda", "cuda:sm_1", "cuda:90", "cpu:", "cpu:nonsense", "", "CPU"),
        *(["cpu", "cuda:sm_80"], ["cpu", "cpu"], [], None, 5, [None], b"cpu"),
    ],
    ids=str,
)
def test_targets_that_are_none(target: Any) -> None:
    with pytest.raises(TargetError, match="target"):
        tritonflow.compile(lambda x: x, X, target=target)


def test_example_arguments_that_do_not_fit_the_function() -> None:
    for arguments in ((), (X, X)):
        with pytest.raises(SignatureError, match=r"`fn`: got \d example arguments"):
            tritonflow.compile(fn, *arguments, target="cpu")
    negative = jax.ShapeDtypeStruct((-1,), np.float32)
    with pytest.raises(SignatureError, match=r"`x`: got the shape \(-1,\)"):
        tritonflow.compile(fn, negative, target="cpu")
    with pytest.raises(TritonFlowError, match="x"):
        tritonflow.compile(fn, "text", target="cpu")


def fn(x: Any) -> Any:
    return x + 1
