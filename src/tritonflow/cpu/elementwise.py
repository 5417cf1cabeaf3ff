# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What operations on single elements share: the same rule serves scalars and strips."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..mlir import ir
from .analysis import is_block
from .builder import Builder
from .lanes import Lanes, Uniform, Vector, as_vector
from .values import Block, ElementwiseBlock, ElementwiseRule

if TYPE_CHECKING:
    from .lower import Lowering

ValueRule = Callable[..., ir.Value]
"""`rule(builder, *operands)` emits an operation on scalars, or on vectors."""


def pointwise(rule: ValueRule) -> ElementwiseRule:
    """Gives the rule on lanes for one on values: scalars stay scalars."""

    def apply(builder: Builder, lanes: Sequence[Lanes], width: int) -> Lanes:
        if all(isinstance(each, Uniform) for each in lanes):
            values = [each.value for each in lanes if isinstance(each, Uniform)]
            return Uniform(rule(builder, *values))
        return Vector(rule(builder, *(as_vector(builder, e, width) for e in lanes)))

    return apply


def define_elementwise(
    lowering: Lowering,
    operation: ir.Operation,
    rule: ElementwiseRule,
    *,
    cost: float = 1.0,
) -> None:
    """Defines the one result of an operation on elements, block or scalar."""
    result = operation.results[0]
    lowering.define(result, combine(lowering, operation, rule, cost=cost))


def combine(
    lowering: Lowering,
    operation: ir.Operation,
    rule: ElementwiseRule,
    *,
    cost: float = 1.0,
) -> ir.Value | Block:
    """Gives the value of an operation on elements."""
    type_ = operation.results[0].type
    if is_block(type_):
        shape = list(ir.RankedTensorType(type_).shape)
        operands = [
            as_block(lowering, operand, shape) for operand in operation.operands
        ]
        element = ir.RankedTensorType(type_).element_type
        return ElementwiseBlock(
            shape, element, operands, rule, cost=cost, name=_name(operation)
        )
    values = [lowering.scalar(operand) for operand in operation.operands]
    scalars = [Uniform(value) for value in _same_shape(lowering.builder, values)]
    result = rule(lowering.builder, scalars, 1)
    assert isinstance(result, Uniform)
    return result.value


def as_block(lowering: Lowering, operand: ir.Value, shape: Sequence[int]) -> Block:
    """Gives an operand of an operation on blocks; a scalar stands for a splat of it."""
    from .values import SplatBlock

    value = lowering.value(operand)
    if isinstance(value, Block):
        return value
    assert isinstance(value, ir.Value)
    return SplatBlock(shape, value)


def _same_shape(builder: Builder, values: Sequence[ir.Value]) -> list[ir.Value]:
    """Broadcasts scalars that stand beside vectors.

    The operations of a combine region are scalar ones; they are emitted on vectors.
    """
    widths = [v.type.shape[0] for v in values if isinstance(v.type, ir.VectorType)]
    if not widths:
        return list(values)
    return [
        v if isinstance(v.type, ir.VectorType) else builder.broadcast(v, widths[0])
        for v in values
    ]


def _name(operation: ir.Operation) -> str:
    """Gives a name that differs for operations that compute different things."""
    if "predicate" in operation.attributes:
        return f"{operation.name} {operation.attributes['predicate']}"
    return operation.name
