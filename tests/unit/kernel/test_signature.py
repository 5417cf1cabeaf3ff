# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Specialisation, against what Triton's own launcher binds."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import make_backend
from triton.runtime.jit import MockTensor, create_function_from_signature

from tritonflow.errors import SignatureError
from tritonflow.kernel.kernel import Kernel
from tritonflow.kernel.signature import (
    ArrayArgument,
    DescriptorArgument,
    ScalarArgument,
    SymbolArgument,
    specialize,
)


class Pair(NamedTuple):
    first: Any
    second: Any


@triton.jit(do_not_specialize=["c"], do_not_specialize_on_alignment=["d"])
def kernel(
    x, y: tl.const, a, b, c, d, e: tl.int64, f: tl.float16, pair, N: tl.constexpr,
    flag=None, K: tl.constexpr = 4,
):  # fmt: skip
    tl.store(x, a)


NUMBERS = [0, 1, 2, 16, 17, -16, 2**31 - 1, 2**31, 2**40, 2**63 - 1, 2**63]
NUMBERS += [-(2**31), -(2**31) - 1, True, False, 0.0, 1.0, 16.0, 2.5, None]


def bind_as_triton(function: Any, values: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Signature, constants and attributes that Triton's launcher would compile with."""
    backend = make_backend(GPUTarget("cuda", 90, 32))
    binder = create_function_from_signature(
        function.signature, function.params, backend
    )
    bound, specialization, options = binder(**values)
    options, signature, constants, attributes = function._pack_args(
        backend, {"enable_fp_fusion": True}, bound, specialization, options
    )
    return signature, constants, {k: v for k, v in attributes.items() if v}


def as_argument(value: Any) -> Any:
    if isinstance(value, MockTensor):
        return ArrayArgument(value.dtype, (4, 4))
    if isinstance(value, tuple):
        parts = [as_argument(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return None if value is None else ScalarArgument(value)


@pytest.mark.parametrize("seed", range(40))
def test_specialises_as_tritons_launcher(seed):
    choose = random.Random(seed).choice
    integers = [n for n in NUMBERS if type(n) is int]
    small = [n for n in integers if -(2**63) <= n < 2**63]
    pairs = [(3, 1), (MockTensor("int8"), None), Pair(16, 2.5), Pair(1, (1, 32))]
    values = {
        "x": MockTensor(choose(["float32", "bfloat16", "bool", "uint8", "int64"])),
        "y": MockTensor(choose(["float16", "float8_e4m3fn"])),
        "a": choose(NUMBERS),
        "b": choose(NUMBERS),
        "c": choose(NUMBERS),
        "d": choose(NUMBERS),
        "e": choose(small),
        "f": choose([0.5, 1.0]),
        "pair": choose(pairs),
        "N": choose([8, 16, "text", None, tl.float32]),
        "flag": choose([None, 7]),
    }
    signature, constants, attributes = bind_as_triton(kernel, values)
    arguments = {n: as_argument(v) for n, v in values.items() if n != "N"}
    spec = specialize(Kernel.of(kernel), arguments, {"N": values["N"]}, {})
    assert dict(zip(signature, spec.signature, strict=True)) == signature
    assert dict(spec.folded) == constants
    assert set(spec.divisible) == set(attributes)


def minimal(**changes: Any) -> dict[str, Any]:
    array = ArrayArgument("float32", (8,))
    number = ScalarArgument(3)
    names = dict.fromkeys("abcde", number)
    arguments = {"x": array, "y": array, "f": ScalarArgument(0.5), "pair": number}
    return arguments | names | changes


def specialized(**changes: Any):
    return specialize(Kernel.of(kernel), minimal(**changes), {"N": 8}, {})


def test_run_time_parameters_are_flat_and_know_their_source():
    pair = Pair(ArrayArgument("float16", (2,)), (ScalarArgument(5), ScalarArgument(1)))
    spec = specialized(pair=pair, a=SymbolArgument(divisor=32), e=SymbolArgument("i64"))
    by_name = {p.name: p for p in spec.parameters}
    assert list(by_name) == [*"xyabcdef", "pair.0", "pair.1.0"]
    assert by_name["pair.0"].source == ("pair", 0)
    assert by_name["pair.1.0"].source == ("pair", 1, 0)
    assert by_name["y"].type == "*kfp32"
    assert by_name["a"].divisible_by_16
    assert (by_name["e"].type, by_name["f"].type) == ("i64", "fp16")
    assert spec.constants == {"pair.1.1": 1, "N": 8, "flag": None, "K": 4}


def test_numpy_scalars_keep_their_type():
    spec = specialized(
        a=ScalarArgument(1, "int64"), b=ScalarArgument(1, "uint8"), c=ScalarArgument(1)
    )
    types = {p.name: p.type for p in spec.parameters}
    assert (types["a"], types["b"]) == ("i64", "u8")
    half = specialized(d=ScalarArgument(1.0, "float64"))
    assert {p.name: p.type for p in half.parameters}["d"] == "fp64"


def test_unaligned_arrays_promise_nothing():
    spec = specialized(x=ArrayArgument("float32", (8,), aligned=False))
    assert not spec.parameters[0].divisible_by_16
    assert spec.key != specialized().key


def test_meta_has_constants_options_and_known_scalars():
    spec = specialize(Kernel.of(kernel), minimal(), {"N": 8}, {"num_warps": 2})
    assert spec.meta["N"] == 8
    assert spec.meta["K"] == 4
    assert spec.meta["num_warps"] == 2
    assert spec.meta["a"] == 3


def test_constexpr_of_a_run_time_parameter_folds_it():
    arguments = minimal()
    del arguments["a"]
    spec = specialize(Kernel.of(kernel), arguments, {"N": 8, "a": 3}, {})
    assert spec.constants["a"] == 3
    assert "a" not in {p.name for p in spec.parameters}


def test_compile_time_values_are_plain():
    kernel_ = Kernel.of(kernel)
    wrapped = {"N": tl.constexpr(8), "K": np.int64(4)}
    spec = specialize(kernel_, minimal(), wrapped, {"num_warps": np.int32(4)})
    plain = specialize(kernel_, minimal(), {"N": 8, "K": 4}, {"num_warps": 4})
    assert spec == plain
    assert (type(spec.meta["N"]), type(spec.meta["K"])) == (int, int)


@pytest.mark.parametrize(
    ("arguments", "constexprs", "options", "message"),
    [
        ({"xx": None}, {"N": 8}, {}, "unknown keyword `xx`"),
        ({}, {"N": 8, "KK": 1}, {}, r"unknown keyword `KK`[^$]*hint: did you mean `K`"),
        ({}, {"N": 8}, {"num_wraps": 4}, r"`num_wraps`[^$]*did you mean `num_warps`"),
        ({}, {}, {}, "no compile-time value for parameter `N`"),
        ({}, {"N": object()}, {}, "parameter `N` of kernel `kernel`: a value of type"),
        (
            {"x": ArrayArgument("complex64", (1,))},
            {"N": 8},
            {},
            "no type for `complex64`",
        ),
        (
            {"e": ArrayArgument("int64", (1,))},
            {"N": 8},
            {},
            "parameter `e`.*expected i64",
        ),
        ({"e": ScalarArgument(2**63)}, {"N": 8}, {}, "does not fit its type i64"),
        ({"a": ScalarArgument(2**64)}, {"N": 8}, {}, "does not fit 64 bits"),
        ({"e": ScalarArgument(0.5)}, {"N": 8}, {}, r"got 0.5, expected an integer"),
        ({"f": SymbolArgument()}, {"N": 8}, {}, "known only at run time"),
        ({"N": ArrayArgument("int8", (1,))}, {}, {}, "it is a constexpr"),
        ({"a": "text"}, {"N": 8}, {}, "got str, expected an array or a number"),
    ],
)
def test_refuses_by_name(arguments, constexprs, options, message):
    with pytest.raises(SignatureError, match=message) as caught:
        specialize(Kernel.of(kernel), minimal(**arguments), constexprs, options)
    assert "test_signature.py" in str(caught.value) or "parameter" in str(caught.value)


def test_missing_argument_names_the_parameter():
    arguments = minimal()
    del arguments["d"]
    with pytest.raises(SignatureError, match=r"no argument for parameter `d`"):
        specialize(Kernel.of(kernel), arguments, {"N": 8}, {})


@triton.jit
def descriptor_kernel(desc, y):
    tl.store(y, tl.sum(desc.load([0, 0])))


def descriptor(**changes: Any) -> DescriptorArgument:
    fields: dict[str, Any] = {
        "array": ArrayArgument("float16", (100, 64)),
        "shape": (SymbolArgument(), 64),
        "strides": (64, 1),
        "block_shape": (16, 32),
    }
    return DescriptorArgument(**fields | changes)


def test_descriptor_becomes_pointer_shape_and_strides():
    arguments = {"desc": descriptor(), "y": ArrayArgument("float32", (1,))}
    spec = specialize(Kernel.of(descriptor_kernel), arguments, {}, {})
    assert [(p.name, p.type, p.divisible_by_16, p.source) for p in spec.parameters] == [
        ("desc", "*fp16", True, ("desc", "base")),
        ("desc.shape.0", "i32", False, ("desc", "shape", 0)),
        ("desc.shape.1", "i32", True, ("desc", "shape", 1)),
        ("desc.strides.0", "i64", True, ("desc", "strides", 0)),
        ("y", "*fp32", True, ("y",)),
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"strides": (64, 2)}, "got 2 as the last stride"),
        ({"block_shape": (16, 48)}, "block size of 48"),
        ({"block_shape": (16,)}, "block of 1 dimensions"),
        ({"padding": "one"}, "padding `one`"),
        ({"array": ArrayArgument("float16", (1,), aligned=False)}, "16-byte aligned"),
    ],
)
def test_descriptor_that_the_hardware_cannot_make(changes, message):
    arguments = {"desc": descriptor(**changes), "y": ArrayArgument("float32", (1,))}
    with pytest.raises(SignatureError, match=message):
        specialize(Kernel.of(descriptor_kernel), arguments, {}, {})
