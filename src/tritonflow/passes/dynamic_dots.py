# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Rewrite of `stablehlo.dot_general` where IREE cannot take a dynamic one.

IREE flattens a dot of more than two dimensions with a `dynamic_reshape` that it then
refuses. Written as a `linalg.generic` contraction it needs no reshape.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..mlir import arith, ir
from .dynamic_operations import replace
from .linalg_builders import create_empty, create_fill, create_generic, create_zero
from .scalar_folding import ScalarFolder, tensor_dim
from .signless import cast, is_unsigned, signless, signless_type

_NUMBERS = re.compile(r"(\w+)_dimensions = \[([^\]]*)\]")
_MATRIX_RANK = 2
_BATCHED_RANK = 3


@dataclass(frozen=True)
class _Dimensions:
    """Which dimensions of the operands of a dot are batched and contracted."""

    lhs_batching: tuple[int, ...] = ()
    rhs_batching: tuple[int, ...] = ()
    lhs_contracting: tuple[int, ...] = ()
    rhs_contracting: tuple[int, ...] = ()

    @classmethod
    def of(cls, operation: ir.Operation) -> _Dimensions:
        """Reads them from the attribute's text: the bindings have no class for it."""
        text = str(operation.attributes["dot_dimension_numbers"])
        found = {
            name: tuple(int(dim) for dim in dims.split(",") if dim.strip())
            for name, dims in _NUMBERS.findall(text)
        }
        return cls(**found)


def rewrite_dot(operation: ir.Operation, folder: ScalarFolder) -> None:
    """Replaces a dynamic dot by a contraction, unless it is one that IREE takes."""
    del folder  # A dot's shape follows from its operands.
    lhs, rhs = operation.operands
    types = [ir.RankedTensorType(value.type) for value in (lhs, rhs)]
    dimensions = _Dimensions.of(operation)
    if not any(_is_dynamic(t) for t in types) or _is_taken_as_is(types, dimensions):
        return
    replace(operation, _create_contraction(operation, lhs, rhs, dimensions))


def _is_dynamic(tensor_type: ir.RankedTensorType) -> bool:
    return any(tensor_type.is_dynamic_dim(dim) for dim in range(tensor_type.rank))


def _is_taken_as_is(types: list[ir.RankedTensorType], dimensions: _Dimensions) -> bool:
    ranks = [tensor_type.rank for tensor_type in types]
    if dimensions.lhs_batching:
        in_front = dimensions.lhs_batching == dimensions.rhs_batching == (0,)
        return in_front and ranks == [_BATCHED_RANK] * 2
    return ranks == [_MATRIX_RANK] * 2


def _create_contraction(
    operation: ir.Operation, lhs: ir.Value, rhs: ir.Value, dimensions: _Dimensions
) -> ir.Value:
    signed_type = operation.results[0].type
    result = ir.RankedTensorType(signless_type(signed_type))
    have_signs = [not is_unsigned(lhs), not is_unsigned(rhs)]
    lhs, rhs = signless(lhs), signless(rhs)
    lhs_loops, rhs_loops, sources = _loops(lhs, rhs, dimensions)
    loop_count = result.rank + len(dimensions.lhs_contracting)
    dims = [tensor_dim(value, dim) for value, dim in sources]
    accumulator = _accumulator_type(result.element_type)
    wide = ir.RankedTensorType.get(result.shape, accumulator)
    zeros = create_fill(create_zero(accumulator), create_empty(wide, dims))
    maps = [
        ir.AffineMap.get(loop_count, 0, [ir.AffineDimExpr.get(i) for i in loops])
        for loops in (lhs_loops, rhs_loops, range(result.rank))
    ]
    iterators = ["parallel"] * result.rank
    iterators += ["reduction"] * len(dimensions.lhs_contracting)

    def multiply_add(values: list[ir.Value]) -> ir.Value:
        x, y = (
            _widen(value, accumulator, has_sign=has_sign)
            for value, has_sign in zip(values[:2], have_signs, strict=True)
        )
        if isinstance(accumulator, ir.IntegerType):
            return arith.addi(values[2], arith.muli(x, y))
        return arith.addf(values[2], arith.mulf(x, y))

    product = create_generic([lhs, rhs], zeros, maps, iterators, multiply_add)
    if accumulator == result.element_type:
        return cast(product, signed_type)
    identity = [ir.AffineMap.get_identity(result.rank)] * 2
    return create_generic(
        [product],
        create_empty(result, dims),
        identity,
        ["parallel"] * result.rank,
        lambda values: arith.truncf(result.element_type, values[0]),
    )


def _loops(
    lhs: ir.Value, rhs: ir.Value, dimensions: _Dimensions
) -> tuple[list[int], list[int], list[tuple[ir.Value, int]]]:
    """The loop of each dimension of both operands, and the source of each result's.

    Loops run over the batch, the free dimensions of `lhs`, those of `rhs`, as the
    result has them, and then over what is contracted.
    """
    lhs_map: dict[int, int] = {}
    rhs_map: dict[int, int] = {}
    sources: list[tuple[ir.Value, int]] = []
    for lhs_dim, rhs_dim in zip(
        dimensions.lhs_batching, dimensions.rhs_batching, strict=True
    ):
        lhs_map[lhs_dim] = rhs_map[rhs_dim] = len(sources)
        sources.append((lhs, lhs_dim))
    for value, own, contracting in (
        (lhs, lhs_map, dimensions.lhs_contracting),
        (rhs, rhs_map, dimensions.rhs_contracting),
    ):
        for dim in range(ir.RankedTensorType(value.type).rank):
            if dim not in own and dim not in contracting:
                own[dim] = len(sources)
                sources.append((value, dim))
    pairs = zip(dimensions.lhs_contracting, dimensions.rhs_contracting, strict=True)
    for offset, (lhs_dim, rhs_dim) in enumerate(pairs):
        lhs_map[lhs_dim] = rhs_map[rhs_dim] = len(sources) + offset
    return (
        [lhs_map[dim] for dim in range(len(lhs_map))],
        [rhs_map[dim] for dim in range(len(rhs_map))],
        sources,
    )


def _accumulator_type(element_type: ir.Type) -> ir.Type:
    """f32 for narrower floats, as XLA accumulates; else the type itself."""
    if isinstance(element_type, ir.IntegerType | ir.F32Type | ir.F64Type):
        return element_type
    return ir.F32Type.get()


def _widen(value: ir.Value, target: ir.Type, *, has_sign: bool) -> ir.Value:
    if value.type == target:
        return value
    if isinstance(target, ir.IntegerType):
        extend = arith.extsi if has_sign else arith.extui
        return extend(target, value)
    return arith.extf(target, value)
