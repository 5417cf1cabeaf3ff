# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Tensors of unsigned integers as what `tensor`, `linalg` and `flow` take: signless."""

from __future__ import annotations

from collections.abc import Sequence

from ..mlir import ir


def is_unsigned(value: ir.Value) -> bool:
    """Whether `value` is a tensor of unsigned integers."""
    element = ir.RankedTensorType(value.type).element_type
    return isinstance(element, ir.IntegerType) and element.is_unsigned


def signless_type(value_type: ir.Type) -> ir.Type:
    """Gives a tensor's type with its integers signless; other types as they are."""
    if not isinstance(value_type, ir.RankedTensorType):
        return value_type
    element = value_type.element_type
    if not isinstance(element, ir.IntegerType) or element.is_signless:
        return value_type
    signless = ir.IntegerType.get_signless(element.width)
    return ir.RankedTensorType.get(value_type.shape, signless, value_type.encoding)


def cast(value: ir.Value, value_type: ir.Type) -> ir.Value:
    """Gives the bits of `value` as `value_type`, made at the insertion point."""
    if value.type == value_type:
        return value
    operation = ir.Operation.create(
        "stablehlo.bitcast_convert", results=[value_type], operands=[value]
    )
    return operation.results[0]


def signless(value: ir.Value) -> ir.Value:
    """Gives the bits of `value` as a tensor of a signless type."""
    return cast(value, signless_type(value.type))


def drop_sign(operation: ir.Operation, operands: Sequence[int]) -> None:
    """Makes `operation` one of signless tensors; its users see the sign again.

    Args:
        operands: those that have the element type of the result.
    """
    result = operation.results[0]
    signed_type = result.type
    if signless_type(signed_type) == signed_type:
        return
    with ir.InsertionPoint(operation), operation.location:
        for index in operands:
            operation.operands[index] = signless(operation.operands[index])
    result.set_type(signless_type(signed_type))
    with ir.InsertionPoint.after(operation), operation.location:
        signed = cast(result, signed_type)
    result.replace_all_uses_except(signed, ir.OpResult(signed).owner.operation)
