# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Conversions between number types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..mlir import arith, ir
from . import lanes as lane_math
from .arith import element_type, same_operation
from .builder import Builder
from .elementwise import define_elementwise, pointwise
from .float_formats import narrow_float, widen_float
from .lanes import Lanes

if TYPE_CHECKING:
    from .lower import Lowering, Rule

ROUND_TO_NEAREST = 1
"""`#tt.rounding_mode`: 0 is towards zero, 1 to nearest even."""


def lower_sign_extension(lowering: Lowering, operation: ir.Operation) -> None:
    """Extends or truncates integers; affine ones stay affine."""
    element = element_type(operation.results[0].type)
    if element_type(operation.operands[0].type) == lowering.builder.i1:
        lower_cast(lowering, operation)
        return

    def extend(builder: Builder, lanes: Sequence[Lanes], width: int) -> Lanes:
        return lane_math.extend(builder, lanes[0], element, width)

    define_elementwise(lowering, operation, extend)


def lower_truncation(lowering: Lowering, operation: ir.Operation) -> None:
    """Truncates integers."""
    if element_type(operation.results[0].type) == lowering.builder.i1:
        lower_cast(lowering, operation)
    else:
        lower_sign_extension(lowering, operation)


def lower_cast(lowering: Lowering, operation: ir.Operation) -> None:
    """Emits the cast as it is."""
    element = element_type(operation.results[0].type)
    rule = pointwise(same_operation(operation, element))
    define_elementwise(lowering, operation, rule)


def lower_float_truncation(lowering: Lowering, operation: ir.Operation) -> None:
    """Narrows floats, to the nearest."""
    _narrow(lowering, operation, to_nearest=True)


def lower_float_extension(lowering: Lowering, operation: ir.Operation) -> None:
    """Widens floats."""
    target = element_type(operation.results[0].type)
    rule = pointwise(lambda b, value: widen_float(b, value, target))
    define_elementwise(lowering, operation, rule)


def lower_integer_to_float(lowering: Lowering, operation: ir.Operation) -> None:
    """Converts integers; to bf16 through f32 where the CPU does not round to it."""
    target = element_type(operation.results[0].type)
    if not isinstance(target, ir.BF16Type) or lowering.builder.rounds_to_bf16:
        lower_cast(lowering, operation)
        return
    emit = same_operation(operation, lowering.builder.f32)

    def convert(builder: Builder, value: ir.Value) -> ir.Value:
        wide = emit(builder, value)
        return narrow_float(builder, wide, target, to_nearest=True)

    define_elementwise(lowering, operation, pointwise(convert))


def lower_fp_to_fp(lowering: Lowering, operation: ir.Operation) -> None:
    """Converts between float types, with the rounding that the kernel asks for."""
    source = element_type(operation.operands[0].type)
    target = element_type(operation.results[0].type)
    if ir.FloatType(target).width > ir.FloatType(source).width:
        lower_float_extension(lowering, operation)
        return
    mode = ROUND_TO_NEAREST
    if "rounding" in operation.attributes:
        mode = ir.IntegerAttr(operation.attributes["rounding"]).value
    _narrow(lowering, operation, to_nearest=mode == ROUND_TO_NEAREST)


def _narrow(lowering: Lowering, operation: ir.Operation, *, to_nearest: bool) -> None:
    target = element_type(operation.results[0].type)
    rule = pointwise(
        lambda b, value: narrow_float(b, value, target, to_nearest=to_nearest)
    )
    define_elementwise(lowering, operation, rule, cost=2.0)


def lower_number_bitcast(lowering: Lowering, operation: ir.Operation) -> None:
    """Reinterprets the bits of numbers of the same width."""
    element = element_type(operation.results[0].type)

    def cast(builder: Builder, value: ir.Value) -> ir.Value:
        if value.type == builder.like(value, element):
            return value
        return arith.bitcast(builder.like(value, element), value)

    define_elementwise(lowering, operation, pointwise(cast))


RULES: dict[str, Rule] = {
    "arith.extsi": lower_sign_extension,
    "arith.extui": lower_cast,
    "arith.trunci": lower_truncation,
    "arith.extf": lower_float_extension,
    "arith.truncf": lower_float_truncation,
    "arith.sitofp": lower_integer_to_float,
    "arith.uitofp": lower_integer_to_float,
    "arith.fptosi": lower_cast,
    "arith.fptoui": lower_cast,
    "tt.fp_to_fp": lower_fp_to_fp,
}
