# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What is updated in place or starts as zeros has a buffer of its own, and no copy."""

from __future__ import annotations

import numpy as np
import pytest
from tests.unit.passes.programs import (
    ADD_ONE,
    IN_PLACE,
    OPERAND,
    RESULT,
    SUM_AND_DIFFERENCE,
    call,
    copies,
    cpu_kernel,
    lower,
    main,
    pointer,
    values,
)

# Reads of `y` would see the writes to `x` if both were one buffer.
SHIFT_IN_PLACE = cpu_kernel(
    "in_place",
    [pointer("x", "readwrite"), pointer("y", "read")],
    """
    %c3 = arith.constant 3 : index
    %j = arith.addi %pid, %c3 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x_m[%j] : memref<?xf32>
    %b = arith.subf %a, %one : f32
    memref.store %b, %x_m[%j] : memref<?xf32>
    %u = memref.load %y_m[%j] : memref<?xf32>
    %v = memref.load %x_m[%pid] : memref<?xf32>
    %w = arith.addf %v, %u : f32
    memref.store %w, %x_m[%pid] : memref<?xf32>
    """,
)


BOTH_IN_PLACE = cpu_kernel(
    "both_in_place",
    [pointer("x", "readwrite"), pointer("y", "readwrite")],
    """
    %one = arith.constant 1.0 : f32
    %v = memref.load %x_m[%pid] : memref<?xf32>
    %w = arith.addf %v, %one : f32
    memref.store %w, %x_m[%pid] : memref<?xf32>
    %u = memref.load %y_m[%pid] : memref<?xf32>
    %t = arith.subf %u, %one : f32
    memref.store %t, %y_m[%pid] : memref<?xf32>
    """,
)


ALIAS = '{kind = "alias", operand = 0, result = 0}'


def in_place_program(*body: str, results: str = "tensor<6xf32>"):
    update = call(
        "in_place",
        "%0, %y",
        "(tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>",
        [ALIAS, '{kind = "operand", operand = 1}'],
        grid="6, 1, 1",
    )
    return lower(
        main(
            "%x: tensor<6xf32>, %y: tensor<6xf32>",
            results,
            "%0 = stablehlo.multiply %x, %x : tensor<6xf32>",
            f"%1 = {update}",
            *body,
        ),
        [IN_PLACE],
    )


def test_an_operand_updated_in_place_is_not_copied():
    program = in_place_program("return %1 : tensor<6xf32>")
    x, y = values(6), values(6, 1)
    np.testing.assert_array_equal(program(x, y)[0], x * x + y)
    assert copies(program.phase("stream")) == 0


def test_an_operand_updated_in_place_with_other_uses_is_copied_once():
    program = in_place_program(
        "return %1, %0 : tensor<6xf32>, tensor<6xf32>",
        results="tensor<6xf32>, tensor<6xf32>",
    )
    x, y = values(6), values(6, 1)
    updated, kept = program(x, y)
    np.testing.assert_array_equal(updated, x * x + y)
    np.testing.assert_array_equal(kept, x * x)
    assert copies(program.phase("stream")) == 1


def test_an_argument_updated_in_place_leaves_the_callers_array_alone():
    program = lower(
        main(
            "%x: tensor<6xf32>, %y: tensor<6xf32>",
            "tensor<6xf32>",
            "%0 = "
            + call(
                "in_place",
                "%x, %y",
                "(tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>",
                [ALIAS, '{kind = "operand", operand = 1}'],
                grid="6, 1, 1",
            ),
            "return %0 : tensor<6xf32>",
        ),
        [IN_PLACE],
    )
    x, y = values(6), values(6, 1)
    before = x.copy()
    np.testing.assert_array_equal(program(x, y)[0], before + y)
    np.testing.assert_array_equal(x, before)


def test_an_array_updated_in_place_and_read_by_the_same_call():
    program = lower(
        main(
            "%x: tensor<6xf32>",
            "tensor<6xf32>",
            "%0 = "
            + call(
                "in_place",
                "%x",
                "(tensor<6xf32>) -> tensor<6xf32>",
                [ALIAS, OPERAND],
                grid="6, 1, 1",
            ),
            "return %0 : tensor<6xf32>",
        ),
        [IN_PLACE],
    )
    x = values(6)
    np.testing.assert_array_equal(program(x)[0], x + x)


def test_two_zeroed_outputs_of_one_type_are_two_buffers():
    shape = "tensor<7xf32>"
    program = lower(
        main(
            f"%a: {shape}, %b: {shape}",
            f"{shape}, {shape}",
            "%0:2 = "
            + call(
                "sum_and_difference",
                "%a, %b",
                f"({shape}, {shape}) -> ({shape}, {shape})",
                [
                    RESULT,
                    OPERAND,
                    '{kind = "result", result = 1}',
                    '{kind = "operand", operand = 1}',
                ],
                grid="5, 1, 1",
                zeroed="0, 1",
            ),
            f"return %0#0, %0#1 : {shape}, {shape}",
        ),
        [SUM_AND_DIFFERENCE],
    )
    a, b = values(7), values(7, 1)
    is_written = np.arange(7) < 5
    total, difference = program(a, b)
    np.testing.assert_array_equal(total, np.where(is_written, a + b, 0))
    np.testing.assert_array_equal(difference, np.where(is_written, a - b, 0))
    assert copies(program.phase("stream")) == 0


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_computed_array_updated_in_place_and_read_by_the_same_call(order):
    shape = "tensor<6xf32>"
    program = lower(
        main(
            f"%x: {shape}",
            shape,
            f"%0 = stablehlo.multiply %x, %x : {shape}",
            "%1 = "
            + call(
                "in_place",
                "%0, %0",
                f"({shape}, {shape}) -> {shape}",
                [
                    f'{{kind = "alias", operand = {order[0]}, result = 0}}',
                    f'{{kind = "operand", operand = {order[1]}}}',
                ],
                grid="3, 1, 1",
            ),
            f"return %1 : {shape}",
        ),
        [SHIFT_IN_PLACE],
    )
    x = values(6)
    expected = x * x
    expected[:3] += (x * x)[3:]
    expected[3:] = (x * x)[3:] - 1
    np.testing.assert_array_equal(program(x)[0], expected)


def test_one_array_updated_in_place_as_two():
    shape = "tensor<6xf32>"
    program = lower(
        main(
            f"%x: {shape}",
            f"{shape}, {shape}",
            f"%0 = stablehlo.multiply %x, %x : {shape}",
            "%1:2 = "
            + call(
                "both_in_place",
                "%0, %0",
                f"({shape}, {shape}) -> ({shape}, {shape})",
                [ALIAS, '{kind = "alias", operand = 1, result = 1}'],
                grid="6, 1, 1",
            ),
            f"return %1#0, %1#1 : {shape}, {shape}",
        ),
        [BOTH_IN_PLACE],
    )
    x = values(6)
    above, below = program(x)
    np.testing.assert_array_equal(above, x * x + 1)
    np.testing.assert_array_equal(below, x * x - 1)


def test_zeros_of_two_calls_are_two_buffers():
    shape = "tensor<6xf32>"
    one = call(
        "add_one",
        "%x",
        f"({shape}) -> {shape}",
        [OPERAND, RESULT],
        grid="3, 1, 1",
        zeroed="0",
    )
    program = lower(
        main(
            f"%x: {shape}, %y: {shape}",
            f"{shape}, {shape}",
            f"%0 = {one}",
            f"%1 = {one.replace('%x', '%y')}",
            f"return %0, %1 : {shape}, {shape}",
        ),
        [ADD_ONE],
    )
    x, y = values(6), values(6, 1)
    is_written = np.arange(6) < 3
    first, second = program(x, y)
    np.testing.assert_array_equal(first, np.where(is_written, x + 1, 0))
    np.testing.assert_array_equal(second, np.where(is_written, y + 1, 0))
    assert copies(program.phase("stream")) == 0


def test_constants_updated_in_place_are_two_buffers():
    shape = "tensor<6xf32>"
    program = lower(
        main(
            f"%x: {shape}",
            f"{shape}, {shape}",
            f"%0 = stablehlo.constant dense<2.0> : {shape}",
            "%c = stablehlo.constant dense<2.0> : tensor<f32>",
            f"%1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> {shape}",
            "%2:2 = "
            + call(
                "both_in_place",
                "%0, %1",
                f"({shape}, {shape}) -> ({shape}, {shape})",
                [ALIAS, '{kind = "alias", operand = 1, result = 1}'],
                grid="6, 1, 1",
            ),
            f"return %2#0, %2#1 : {shape}, {shape}",
        ),
        [BOTH_IN_PLACE],
    )
    above, below = program(values(6))
    np.testing.assert_array_equal(above, np.full(6, 3))
    np.testing.assert_array_equal(below, np.full(6, 1))


def test_an_array_updated_in_place_and_read_in_another_shape():
    program = lower(
        main(
            "%x: tensor<6xf32>",
            "tensor<6xf32>",
            "%0 = stablehlo.multiply %x, %x : tensor<6xf32>",
            "%1 = stablehlo.multiply %x, %x : tensor<6xf32>",
            "%2 = stablehlo.reshape %1 : (tensor<6xf32>) -> tensor<2x3xf32>",
            "%3 = "
            + call(
                "in_place",
                "%0, %2",
                "(tensor<6xf32>, tensor<2x3xf32>) -> tensor<6xf32>",
                [ALIAS, '{kind = "operand", operand = 1}'],
                grid="3, 1, 1",
            ),
            "return %3 : tensor<6xf32>",
        ),
        [SHIFT_IN_PLACE],
    )
    x = values(6)
    expected = x * x
    expected[:3] += (x * x)[3:]
    expected[3:] = (x * x)[3:] - 1
    np.testing.assert_array_equal(program(x)[0], expected)
