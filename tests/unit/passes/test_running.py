# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Lowered programs run on the CPU and give what their kernels say."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from tests.unit.passes.programs import (
    ADD_ONE,
    OPERAND,
    RESULT,
    SUM_AND_DIFFERENCE,
    call,
    cpu_kernel,
    lower,
    main,
    pointer,
    scalar,
    values,
)

from tritonflow.passes.base import ProgramParameter


def test_calls_of_one_kernel_share_an_executable():
    one = call(
        "add_one",
        "%x",
        "(tensor<5xf32>) -> tensor<5xf32>",
        [OPERAND, RESULT],
        grid="5, 1, 1",
    )
    program = lower(
        main(
            "%x: tensor<5xf32>",
            "tensor<5xf32>",
            f"%0 = {one}",
            f"%1 = {one.replace('%x', '%0')}",
            "%2 = stablehlo.multiply %1, %0 : tensor<5xf32>",
            "return %2 : tensor<5xf32>",
        ),
        [ADD_ONE],
    )
    assert program.text.count("stream.executable private") == 1
    x = values(5)
    np.testing.assert_array_equal(program(x)[0], (x + 1 + 1) * (x + 1))


def test_several_results_keep_their_places():
    program = lower(
        main(
            "%a: tensor<7xf32>, %b: tensor<7xf32>",
            "tensor<7xf32>, tensor<7xf32>",
            "%0:2 = "
            + call(
                "sum_and_difference",
                "%a, %b",
                "(tensor<7xf32>, tensor<7xf32>) -> (tensor<7xf32>, tensor<7xf32>)",
                [
                    '{kind = "result", result = 1}',
                    OPERAND,
                    RESULT,
                    '{kind = "operand", operand = 1}',
                ],
                grid="7, 1, 1",
            ),
            "return %0#0, %0#1 : tensor<7xf32>, tensor<7xf32>",
        ),
        [SUM_AND_DIFFERENCE],
    )
    a, b = values(7), values(7, 1)
    difference, total = program(a, b)
    np.testing.assert_array_equal(difference, a - b)
    np.testing.assert_array_equal(total, a + b)


def test_one_tensor_may_be_passed_twice():
    program = lower(
        main(
            "%a: tensor<7xf32>",
            "tensor<7xf32>, tensor<7xf32>",
            "%0:2 = "
            + call(
                "sum_and_difference",
                "%a",
                "(tensor<7xf32>) -> (tensor<7xf32>, tensor<7xf32>)",
                [RESULT, OPERAND, '{kind = "result", result = 1}', OPERAND],
                grid="7, 1, 1",
            ),
            "return %0#0, %0#1 : tensor<7xf32>, tensor<7xf32>",
        ),
        [SUM_AND_DIFFERENCE],
    )
    a = values(7)
    total, difference = program(a)
    np.testing.assert_array_equal(total, a + a)
    np.testing.assert_array_equal(difference, np.zeros(7))


def test_zeroed_outputs_are_zero_where_the_kernel_writes_nothing():
    program = lower(
        main(
            "%x: tensor<9xf32>",
            "tensor<9xf32>",
            "%0 = "
            + call(
                "add_one",
                "%x",
                "(tensor<9xf32>) -> tensor<9xf32>",
                [OPERAND, RESULT],
                grid="4, 1, 1",
                zeroed="0",
            ),
            "return %0 : tensor<9xf32>",
        ),
        [ADD_ONE],
    )
    x = values(9)
    expected = np.where(np.arange(9) < 4, x + 1, 0).astype(np.float32)
    for _ in range(3):
        np.testing.assert_array_equal(program(x)[0], expected)


@pytest.mark.parametrize("zeroed", ["", "0"])
def test_an_empty_grid_runs_nothing(zeroed: str):
    program = lower(
        main(
            "%x: tensor<4xf32>",
            "tensor<4xf32>",
            "%0 = "
            + call(
                "add_one",
                "%x",
                "(tensor<4xf32>) -> tensor<4xf32>",
                [OPERAND, RESULT],
                grid="0, 1, 1",
                zeroed=zeroed,
            ),
            "return %0 : tensor<4xf32>",
        ),
        [ADD_ONE],
    )
    result = program(values(4))[0]
    assert result.shape == (4,)
    if zeroed:
        np.testing.assert_array_equal(result, np.zeros(4))


@pytest.mark.parametrize("shape", ["", "0x", "3x0x"])
def test_rank_0_and_no_elements(shape: str):
    tensor = f"tensor<{shape}f32>"
    dims = tuple(int(size) for size in shape.split("x") if size)
    count = int(np.prod(dims))
    program = lower(
        main(
            f"%x: {tensor}",
            tensor,
            "%0 = "
            + call(
                "add_one",
                "%x",
                f"({tensor}) -> {tensor}",
                [OPERAND, RESULT],
                grid=f"{count}, 1, 1",
            ),
            f"return %0 : {tensor}",
        ),
        [ADD_ONE],
    )
    x = np.ones(dims, np.float32)
    np.testing.assert_array_equal(program(x)[0], x + 1)


SCALARS = {
    "i1": (np.bool_(True), "true"),
    "i8": (np.int8(-7), "-7 : i8"),
    "i16": (np.int16(-30001), "-30001 : i16"),
    "i32": (np.int32(-(2**31) + 5), f"{-(2**31) + 5} : i32"),
    "i64": (np.int64(-5000000007), "-5000000007 : i64"),
    "f16": (np.float16(-0.333), f"{float(np.float16(-0.333))!r} : f16"),
    "bf16": (
        ml_dtypes.bfloat16(3.140625),
        f"{float(ml_dtypes.bfloat16(3.140625))!r} : bf16",
    ),
    "f32": (np.float32(0.1), f"{float(np.float32(0.1))!r} : f32"),
    "f64": (np.float64(0.1), "0.1 : f64"),
}


def test_scalars_of_every_type_arrive():
    names = list(SCALARS)
    stores = []
    for name in names:
        value = f"%{name}"
        if name == "i1":
            stores.append("%i1_b = arith.extui %i1 : i1 to i8")
            value = "%i1_b"
        stored = "i8" if name == "i1" else name
        stores.append(f"memref.store {value}, %o{name}_m[%c0] : memref<?x{stored}>")
    kernel = cpu_kernel(
        "scalars",
        [
            part
            for name in names
            for part in (scalar(name, name), pointer(f"o{name}", "write", name))
        ],
        "\n".join(stores),
    )
    arguments = []
    for index, name in enumerate(names):
        arguments.append(f'{{kind = "constant", value = {SCALARS[name][1]}}}')
        arguments.append(f'{{kind = "result", result = {index}}}')
    types = ", ".join(f"tensor<{name}>" for name in names)
    program = lower(
        main(
            "%x: tensor<f32>",
            types,
            f"%0:{len(names)} = " + call("scalars", "", f"() -> ({types})", arguments),
            f"return {', '.join(f'%0#{i}' for i in range(len(names)))} : {types}",
        ),
        [kernel],
    )
    results = program(np.float32(0))
    for name, result in zip(names, results, strict=True):
        expected = np.asarray(SCALARS[name][0])
        assert result.tobytes() == expected.tobytes(), name


@pytest.mark.parametrize("width", ["i8", "i16", "i32", "i64"])
def test_integers_known_at_run_time_arrive_in_the_kernels_width(width: str):
    kernel = cpu_kernel(
        "store",
        [scalar("n", width), pointer("y", "write", width)],
        f"memref.store %n, %y_m[%c0] : memref<?x{width}>",
    )
    program = lower(
        main(
            "%x: tensor<?xf32>",
            f"tensor<{width}>",
            "%n = stablehlo.get_dimension_size %x, dim = 0 : "
            "(tensor<?xf32>) -> tensor<i32>",
            "%c = stablehlo.constant dense<-3> : tensor<i32>",
            "%m = stablehlo.multiply %n, %c : tensor<i32>",
            "%0 = "
            + call(
                "store",
                "%m",
                f"(tensor<i32>) -> tensor<{width}>",
                ['{kind = "value", operand = 0}', RESULT],
            ),
            f"return %0 : tensor<{width}>",
        ),
        [kernel],
    )
    for size in (0, 1, 9):
        assert program(np.zeros(size, np.float32))[0] == -3 * size


def test_one_program_serves_all_sizes_of_a_batch():
    program = lower(
        main(
            "%x: tensor<?x3xf32>",
            "tensor<?x3xf32>",
            "%n = stablehlo.get_dimension_size %x, dim = 0 : "
            "(tensor<?x3xf32>) -> tensor<i32>",
            "%c3 = stablehlo.constant dense<3> : tensor<i32>",
            "%m = stablehlo.multiply %n, %c3 : tensor<i32>",
            "%v = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>",
            "%w = stablehlo.constant dense<3> : tensor<1xi32>",
            "%s = stablehlo.concatenate %v, %w, dim = 0 : "
            "(tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>",
            "%0 = "
            + call(
                "add_one",
                "%x, %m, %s",
                "(tensor<?x3xf32>, tensor<i32>, tensor<2xi32>) -> tensor<?x3xf32>",
                [OPERAND, RESULT],
                grid="{operand = 1}, 1, 1",
                extra="indices_of_shape_operands = dense<2> : tensor<1xi64>, ",
            ),
            "return %0 : tensor<?x3xf32>",
        ),
        [ADD_ONE],
    )
    for batch in (0, 1, 3, 8):
        x = values(3 * batch).reshape(batch, 3)
        np.testing.assert_array_equal(program(x)[0], x + 1)


def test_weights_become_parameters():
    program = lower(
        main(
            "%w: tensor<4xf32>, %x: tensor<4xf32>",
            "tensor<4xf32>",
            "%0 = stablehlo.add %w, %x : tensor<4xf32>",
            "return %0 : tensor<4xf32>",
        ),
        parameters=[ProgramParameter(0, "model", "layer.w")],
    )
    assert '#flow.parameter.named<"model"::"layer.w">' in program.text
    assert "func.func public @main(%arg0: tensor<4xf32>) ->" in program.text


@pytest.mark.parametrize("element", ["f64", "i64", "bf16", "i8", "i1", "f8E4M3FN"])
def test_zeroed_outputs_of_every_width(element: str):
    kernel = cpu_kernel(
        "nothing",
        [pointer("x", "write", element), pointer("y", "write", element)],
        "",
    )
    shape = f"tensor<3x?x{element}>"
    program = lower(
        main(
            "%x: tensor<?xf32>",
            f"{shape}, {shape}",
            "%n = stablehlo.get_dimension_size %x, dim = 0 : "
            "(tensor<?xf32>) -> tensor<i32>",
            "%v = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>",
            "%w = stablehlo.constant dense<3> : tensor<1xi32>",
            "%s = stablehlo.concatenate %w, %v, dim = 0 : "
            "(tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>",
            "%0:2 = "
            + call(
                "nothing",
                "%s, %s",
                f"(tensor<2xi32>, tensor<2xi32>) -> ({shape}, {shape})",
                [RESULT, '{kind = "result", result = 1}'],
                zeroed="0, 1",
                extra="indices_of_shape_operands = dense<[0, 1]> : tensor<2xi64>, ",
            ),
            f"return %0#0, %0#1 : {shape}, {shape}",
        ),
        [kernel],
    )
    for result in program(np.zeros(5, np.float32)):
        assert result.shape == (3, 5)
        assert not result.astype(np.float64).any()
