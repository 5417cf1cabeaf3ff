# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Which argument of a `triton_call` reaches which parameter of the kernel, and how."""

from __future__ import annotations

import inspect
import typing

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
import triton
import triton.language as tl
from tests.unit.jax.kernels import F32, VECTOR, add_kernel

from tritonflow.errors import SignatureError, UnsupportedError
from tritonflow.jax.descriptor import TensorDescriptor
from tritonflow.jax.export import export_program
from tritonflow.jax.triton_call import triton_call


@triton.jit
def middle_kernel(x_ptr, BLOCK: tl.constexpr, first_ptr, scale, second_ptr, last_ptr):
    index = tl.arange(0, BLOCK)
    value = tl.load(x_ptr + index) * scale
    tl.store(first_ptr + index, value)
    tl.store(second_ptr + index, value)
    tl.store(last_ptr + index, value)


@triton.jit
def default_kernel(x_ptr, out_ptr, scale=2.5, BLOCK: tl.constexpr = 64):
    index = tl.arange(0, BLOCK)
    tl.store(out_ptr + index, tl.load(x_ptr + index) * scale)


@triton.jit
def pair_kernel(pair, out_ptr, BLOCK: tl.constexpr):
    index = tl.arange(0, BLOCK)
    tl.store(out_ptr + index, tl.load(pair[0] + index) * pair[1])


@triton.jit
def annotated_kernel(x_ptr, count: tl.int32, out_ptr, BLOCK: tl.constexpr):
    index = tl.arange(0, BLOCK)
    tl.store(out_ptr + index, tl.load(x_ptr + index, index < count))


@triton.jit
def descriptor_kernel(desc, out_ptr, BLOCK: tl.constexpr):
    tile = desc.load([0, 0])
    rows = tl.arange(0, BLOCK)[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
    tl.store(out_ptr + rows, tile)


@triton.jit
def optional_kernel(x_ptr, bias_ptr, out_ptr, BLOCK: tl.constexpr):
    index = tl.arange(0, BLOCK)
    value = tl.load(x_ptr + index)
    if bias_ptr is not None:
        value += tl.load(bias_ptr + index)
    tl.store(out_ptr + index, value)


def one_call(calls_in, fn, *args):
    program = export_program(fn, args)
    (call,) = calls_in(program.text)
    assert list(program.kernels) == [call["kernel"]]
    return call


def operand(index):
    return {"kind": "operand", "operand": index}


def result(index):
    return {"kind": "result", "result": index}


def constant(value, type_):
    return {"kind": "constant", "value": (value, type_)}


def test_positional_operands_come_first_and_outputs_take_what_is_left(calls_in):
    call = one_call(
        calls_in,
        lambda x, y: triton_call(
            x, y, kernel=add_kernel, out_type=F32, grid=1, n=37, BLOCK=64
        ),
        VECTOR,
        VECTOR,
    )
    assert call["arguments"] == [
        operand(0),
        operand(1),
        result(0),
        constant(37, "i32"),
    ]
    assert call["name"] == "add_kernel"
    assert call["grid"] == [1, 1, 1]
    assert (call["operands"], call["results"], call["zeroed"]) == (2, 1, [])


def test_positional_operands_skip_what_is_given_by_keyword(calls_in):
    call = one_call(
        calls_in,
        lambda x, y: triton_call(
            y, kernel=add_kernel, x_ptr=x, out_type=F32, grid=1, n=37
        ),
        VECTOR,
        VECTOR,
    )
    assert call["arguments"][:3] == [operand(0), operand(1), result(0)]


def test_several_outputs_take_parameters_in_order_around_scalars(calls_in):
    types = {"b": F32, "a": [F32, jax.ShapeDtypeStruct((5, 7), jnp.int8)]}
    program = export_program(
        lambda x: triton_call(
            x, kernel=middle_kernel, scale=1.5, BLOCK=64, out_type=types, grid=1
        ),
        (VECTOR,),
    )
    (call,) = calls_in(program.text)
    assert call["arguments"] == [
        operand(0),
        result(0),
        constant(1.5, "f32"),
        result(1),
        result(2),
    ]
    assert [out.name for out in program.outputs] == [
        "result.a.0",
        "result.a.1",
        "result.b",
    ]
    assert program.outputs[1].shape == (5, 7)


def test_default_of_a_run_time_parameter_is_used_when_outputs_do_not_need_it(calls_in):
    call = one_call(
        calls_in,
        lambda x: triton_call(x, kernel=default_kernel, out_type=F32, grid=1),
        VECTOR,
    )
    assert call["arguments"] == [operand(0), result(0), constant(2.5, "f32")]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, (3, "i32")),
        (2**31, (2**31, "i64")),
        (-(2**40), (-(2**40), "i64")),
        (2**63, (-(2**63), "i64")),
        (1.5, (1.5, "f32")),
        (True, (True, "i1")),
        (np.int8(-7), (-7, "i8")),
        (np.uint8(200), (-56, "i8")),
        (np.int16(-300), (-300, "i16")),
        (np.uint16(65535), (-1, "i16")),
        (np.uint32(2**32 - 1), (-1, "i32")),
        (np.uint64(2**64 - 2), (-2, "i64")),
        (np.int64(-(2**50)), (-(2**50), "i64")),
        (np.float16(0.5), (0.5, "f16")),
        (ml_dtypes.bfloat16(-2.5), (-2.5, "bf16")),
        (np.float64(0.1), (0.1, "f64")),
        (np.float32(0.1), (float(np.float32(0.1)), "f32")),
        (np.bool_(False), (False, "i1")),
        (float("inf"), (float("inf"), "f32")),
    ],
)
def test_numbers_keep_value_and_type(calls_in, value, expected):
    call = one_call(
        calls_in,
        lambda x: triton_call(
            x, kernel=default_kernel, scale=value, out_type=F32, grid=1
        ),
        VECTOR,
    )
    found = call["arguments"][2]["value"]
    assert found == expected


def test_nan_survives(calls_in):
    call = one_call(
        calls_in,
        lambda x: triton_call(
            x, kernel=default_kernel, scale=float("nan"), out_type=F32, grid=1
        ),
        VECTOR,
    )
    value, type_ = call["arguments"][2]["value"]
    assert np.isnan(value)
    assert type_ == "f32"


def test_the_number_one_is_folded_into_the_kernel(calls_in):
    call = one_call(
        calls_in,
        lambda x: triton_call(x, kernel=default_kernel, scale=1, out_type=F32, grid=1),
        VECTOR,
    )
    assert call["arguments"] == [operand(0), result(0)]


def test_zero_dimensional_arrays_are_buffers(calls_in):
    call = one_call(
        calls_in,
        lambda x, s: triton_call(
            x, kernel=default_kernel, scale=s, out_type=F32, grid=1
        ),
        VECTOR,
        jnp.float32(3),
    )
    assert call["arguments"] == [operand(0), result(0), operand(1)]


def test_zero_dimensional_integer_for_an_annotated_parameter_is_a_value(calls_in):
    call = one_call(
        calls_in,
        lambda x, n: triton_call(
            x, n, kernel=annotated_kernel, BLOCK=64, out_type=F32, grid=1
        ),
        VECTOR,
        jnp.int32(3),
    )
    assert call["arguments"][1] == {"kind": "value", "operand": 1}


def test_computed_float_for_an_annotated_parameter_is_refused():
    with pytest.raises(UnsupportedError, match=r"`count`: a number of type `float32`"):
        export_program(
            lambda x, n: triton_call(
                x, n, kernel=annotated_kernel, BLOCK=64, out_type=F32, grid=1
            ),
            (VECTOR, jnp.float32(3)),
        )


class Scaled(typing.NamedTuple):
    array: typing.Any
    factor: typing.Any


@pytest.mark.parametrize("make", [lambda a, b: (a, b), Scaled])
def test_tuples_are_flattened(calls_in, make):
    call = one_call(
        calls_in,
        lambda x: triton_call(
            make(x, 2.5), kernel=pair_kernel, BLOCK=64, out_type=F32, grid=1
        ),
        VECTOR,
    )
    assert call["arguments"] == [operand(0), constant(2.5, "f32"), result(0)]


def test_none_leaves_no_parameter(calls_in):
    call = one_call(
        calls_in,
        lambda x: triton_call(
            x, None, kernel=optional_kernel, BLOCK=64, out_type=F32, grid=1
        ),
        VECTOR,
    )
    assert call["arguments"] == [operand(0), result(0)]


def test_descriptors_become_a_pointer_and_sizes(calls_in):
    def fn(x):
        descriptor = TensorDescriptor.from_array(x, (16, 16))
        return triton_call(
            descriptor,
            kernel=descriptor_kernel,
            BLOCK=16,
            out_type=jax.ShapeDtypeStruct((16, 16), jnp.float32),
            grid=1,
        )

    call = one_call(calls_in, fn, jnp.zeros((24, 36)))
    assert call["arguments"] == [
        operand(0),
        constant(24, "i32"),
        constant(36, "i32"),
        constant(36, "i64"),
        result(0),
    ]


@pytest.mark.parametrize(
    ("grid", "expected"),
    [
        (5, [5, 1, 1]),
        ((2, 3), [2, 3, 1]),
        ([2, 0, 7], [2, 0, 7]),
        (np.int32(4), [4, 1, 1]),
        (lambda meta: meta["BLOCK"] // 2, [32, 1, 1]),
        (lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]), 2), [1, 2, 1]),
        (lambda meta: (meta["num_warps"],), [8, 1, 1]),
    ],
)
def test_grids(calls_in, grid, expected):
    call = one_call(
        calls_in,
        lambda x: triton_call(
            x, x, kernel=add_kernel, out_type=F32, grid=grid, n=37, num_warps=8
        ),
        VECTOR,
    )
    assert call["grid"] == expected


def test_aliases_count_operand_leaves_in_parameter_order(calls_in):
    # Leaf 0 is the array of the pair, 1 its number, 2 the array of the other operand.
    call = one_call(
        calls_in,
        lambda x, y: triton_call(
            (x, 2.5),
            y,
            kernel=pair_kernel,
            BLOCK=64,
            out_type=F32,
            input_output_aliases={2: 0},
            grid=1,
        ),
        VECTOR,
        VECTOR,
    )
    assert call["arguments"] == [
        operand(0),
        constant(2.5, "f32"),
        {"kind": "alias", "operand": 1, "result": 0},
    ]


@pytest.mark.parametrize(
    ("aliases", "out_type", "message"),
    [
        ({1: 0}, F32, "the operand is a number"),
        ({7: 0}, F32, "got operand 7"),
        ({0: 3}, F32, "got output 3"),
        ({0: 0, 2: 0}, F32, "two operands alias one output"),
        ({2: 0}, jax.ShapeDtypeStruct((36,), jnp.float32), "expected the same shape"),
        ({2: 0}, jax.ShapeDtypeStruct((37,), jnp.int32), "expected the same shape"),
    ],
)
def test_bad_aliases(aliases, out_type, message):
    with pytest.raises(SignatureError, match=message):
        export_program(
            lambda x: triton_call(
                (x, 2.5),
                x,
                kernel=pair_kernel,
                BLOCK=64,
                out_type=out_type,
                input_output_aliases=aliases,
                grid=1,
            ),
            (VECTOR,),
        )


def test_zeroed_outputs_are_named_and_zeroed_aliases_start_from_zeros(calls_in):
    program = export_program(
        lambda x, y: triton_call(
            x,
            kernel=middle_kernel,
            first_ptr=y,
            scale=2.0,
            BLOCK=64,
            out_type=(F32, F32, F32),
            input_output_aliases={1: 1},
            zeroed_outputs=lambda meta: (1, 2) if meta["BLOCK"] == 64 else (),
            grid=1,
        ),
        (VECTOR, VECTOR),
    )
    (call,) = calls_in(program.text)
    assert call["zeroed"] == [2]
    assert call["arguments"][1] == {"kind": "alias", "operand": 1, "result": 1}
    # The aliased operand's own value is not needed any more.
    assert program.text.count("%arg1") == 1


@pytest.mark.parametrize("zeroed", [(1,), (-1,), ("0",)])
def test_bad_zeroed_outputs(zeroed):
    with pytest.raises(SignatureError, match="`zeroed_outputs`"):
        export_program(
            lambda x: triton_call(
                x,
                kernel=default_kernel,
                out_type=F32,
                zeroed_outputs=zeroed,
                grid=1,
            ),
            (VECTOR,),
        )


def test_options_reach_the_kernel_and_may_not_repeat():
    def fn(x, **options):
        return triton_call(
            x, x, kernel=add_kernel, out_type=F32, grid=1, n=37, **options
        )

    program = export_program(
        lambda x: fn(x, num_stages=5, backend_options={"maxnreg": 64}), (VECTOR,)
    )
    (kernel,) = program.kernels.values()
    assert kernel.options["num_stages"] == 5
    assert kernel.options["maxnreg"] == 64
    with pytest.raises(SignatureError, match="option `num_warps` is given twice"):
        export_program(
            lambda x: fn(x, num_warps=4, backend_options={"num_warps": 8}), (VECTOR,)
        )


def test_what_only_describes_a_call_is_kept_beside_the_text():
    program = export_program(
        lambda x: triton_call(
            x,
            kernel=default_kernel,
            out_shape=F32,
            grid=1,
            name="my call",
            cost_estimate={"flops": 37, "bytes_accessed": 296},
            serialized_metadata=b"\x00mine",
            compute_capability=90,
        ),
        (VECTOR,),
    )
    (call,) = program.calls
    assert call.name == "my call"
    assert call.kernel_name == "default_kernel"
    assert call.cost_estimate == {"flops": 37, "bytes_accessed": 296}
    assert call.metadata == b"\x00mine"
    assert call.location.file == __file__
    assert "my call" not in program.text


def test_the_signature_covers_jax_tritons():
    names = set(inspect.signature(triton_call).parameters)
    assert names >= {
        *("args", "kernel", "out_type", "grid", "name", "num_warps", "num_stages"),
        *("num_ctas", "compute_capability", "backend_options", "zeroed_outputs"),
        *("input_output_aliases", "debug", "serialized_metadata", "cost_estimate"),
        *("has_side_effect", "kwargs"),
    }


@pytest.mark.parametrize(
    "dtype",
    [
        *("bool", "int8", "int16", "int32", "uint8", "uint16", "uint32"),
        *("float16", "bfloat16", "float32", "float8_e4m3fn", "float8_e5m2"),
    ],
)
def test_pointers_of_every_element_type(calls_in, dtype):
    array = jnp.zeros((37,), dtype)
    program = export_program(
        lambda x: triton_call(
            x, x, kernel=add_kernel, out_type=jax.typeof(x), grid=1, n=37
        ),
        (array,),
    )
    (call,) = calls_in(program.text)
    assert call["arguments"][0] == operand(0)
    assert program.inputs[0].dtype == dtype
    assert program.outputs[0].dtype == dtype


@pytest.mark.parametrize("dtype", ["float64", "int64", "uint64"])
def test_pointers_of_64_bits(dtype):
    with jax.enable_x64(True):
        program = export_program(
            lambda x: triton_call(
                x, x, kernel=add_kernel, out_type=jax.typeof(x), grid=1, n=37
            ),
            (np.zeros((37,), dtype),),
        )
    assert program.inputs[0].dtype == dtype
