# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What heuristics and autotune add to a call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import triton
import triton.language as tl

from tritonflow.errors import SignatureError, UnsupportedError
from tritonflow.kernel.kernel import Kernel
from tritonflow.kernel.signature import (
    ArrayArgument,
    DescriptorArgument,
    ScalarArgument,
    SymbolArgument,
    specialize,
)


@triton.jit
def plain(x, n, N: tl.constexpr, EVEN: tl.constexpr):
    tl.store(x, n)


NUMBER = ScalarArgument(48)


def arguments(n: Any = NUMBER) -> dict[str, Any]:
    return {"x": ArrayArgument("float16", (4, 6)), "n": n}


def with_heuristics(**values: Any) -> Kernel:
    return Kernel.of(triton.heuristics(values)(plain))


def test_heuristics_see_arguments_and_constants():
    seen = {}

    def even(values):
        seen.update(values)
        return values["n"] % values["N"] == 0

    spec = specialize(with_heuristics(EVEN=even), arguments(), {"N": 16}, {})
    assert spec.constants["EVEN"] is True
    assert seen["n"] == 48
    assert seen["x"].dtype == np.float16
    assert seen["x"].shape == (4, 6)
    assert (seen["x"].numel(), seen["x"].element_size(), seen["x"].ndim) == (24, 2, 2)
    assert seen["x"].stride() == (6, 1)


def test_heuristics_may_set_options_and_win_over_the_call():
    kernel = with_heuristics(EVEN=lambda _: 1, num_warps=lambda _: 2)
    spec = specialize(kernel, arguments(), {"N": 16, "EVEN": 5}, {})
    assert spec.constants["EVEN"] == 1
    assert spec.options["num_warps"] == 2


def test_divisor_of_a_symbol_answers_what_it_can():
    kernel = with_heuristics(EVEN=lambda a: a["n"] % a["N"] == 0)
    n = SymbolArgument(divisor=32)
    spec = specialize(kernel, arguments(n), {"N": 16}, {})
    assert spec.constants["EVEN"] is True
    message = r"heuristic `EVEN` of kernel `plain`: it needs the value of `n`"
    with pytest.raises(UnsupportedError, match=message):
        specialize(kernel, arguments(n), {"N": 64}, {})


@pytest.mark.parametrize(
    ("heuristic", "error", "message"),
    [
        (lambda a: a["absent"], SignatureError, "heuristic `EVEN`.*KeyError: 'absent'"),
        (lambda a: a["x"].sum(), UnsupportedError, "asks for `sum` of array `x`"),
        (lambda a: a["n"] + 1, UnsupportedError, "needs the value of `n`"),
        (lambda a: 4 if a["n"] else 8, UnsupportedError, "needs the value of `n`"),
    ],
)
def test_heuristics_that_fail_are_named(heuristic, error, message):
    kernel = with_heuristics(EVEN=heuristic)
    with pytest.raises(error, match=message) as caught:
        specialize(kernel, arguments(SymbolArgument()), {"N": 8}, {})
    assert "test_decorators.py" in str(caught.value)


def tuned(*configs: triton.Config) -> Any:
    return triton.autotune(list(configs), key=["n"])


def test_autotune_gives_its_first_configuration():
    first = triton.Config({"N": 32}, num_warps=8, num_stages=2)
    function = tuned(first, triton.Config({"N": 64}))(
        triton.heuristics({"EVEN": lambda a: a["N"] == 32})(plain)
    )
    spec = specialize(Kernel.of(function), arguments(), {}, {})
    assert spec.constants["N"] == 32
    assert spec.constants["EVEN"] is True
    assert (spec.options["num_warps"], spec.options["num_stages"]) == (8, 2)
    assert spec.meta["num_warps"] == 8


def test_the_calls_own_options_win():
    function = tuned(triton.Config({"N": 32}, num_warps=8))(plain)
    spec = specialize(Kernel.of(function), arguments(), {"EVEN": 1}, {"num_warps": 2})
    assert spec.options["num_warps"] == 2


def test_a_constant_given_twice_is_an_error():
    function = tuned(triton.Config({"N": 32}))(plain)
    with pytest.raises(SignatureError, match=r"`N` is given by the call and by"):
        specialize(Kernel.of(function), arguments(), {"N": 8, "EVEN": 1}, {})


def test_an_option_that_is_none_is_an_error():
    function = tuned(triton.Config({"N": 32, "NN": 3}))(plain)
    with pytest.raises(SignatureError, match="autotune of kernel `plain`: `NN`"):
        specialize(Kernel.of(function), arguments(), {"EVEN": 1}, {})


def test_pre_hook_may_set_the_block_of_a_descriptor():
    def hook(values):
        values["x"].block_shape = [values["N"], 64]

    function = tuned(triton.Config({"N": 32}, pre_hook=hook))(plain)
    array = ArrayArgument("float16", (128, 64))
    descriptor = DescriptorArgument(array, (128, 64), (64, 1), None)
    given = {"x": descriptor, "n": ScalarArgument(4)}
    spec = specialize(Kernel.of(function), given, {"EVEN": 1}, {})
    assert spec.signature[0] == "tensordesc<fp16[32, 64]>"


def test_pre_hook_that_touches_contents_is_an_error():
    function = tuned(triton.Config({"N": 32}, pre_hook=lambda a: a["x"].zero_()))(plain)
    with pytest.raises(UnsupportedError, match="asks for `zero_` of array `x`"):
        specialize(Kernel.of(function), arguments(), {"EVEN": 1}, {})
