# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Pointers that are chosen, cast, or made from integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..mlir import arith, ir
from . import lanes as lane_math
from .builder import Builder
from .elementwise import pointwise
from .lanes import Lanes, Uniform
from .memory_access import byte_width
from .values import Block, ElementwiseBlock, ElementwiseRule, Pointer, SplatBlock

if TYPE_CHECKING:
    from .lower import Lowering


def is_pointer(type_: ir.Type) -> bool:
    """Whether `type_` is a Triton pointer."""
    return str(type_).startswith("!tt.ptr<")


def is_pointer_like(type_: ir.Type) -> bool:
    """Whether values of `type_` are pointers or blocks of them."""
    return is_pointer(_element(type_))


def pointee(type_: ir.Type) -> ir.Type:
    """Gives the type that a pointer type points to."""
    text = str(type_).removeprefix("!tt.ptr<").removesuffix(">")
    if text.startswith("!tt.ptr"):
        return ir.IntegerType.get_signless(64)
    # An address space may follow: `!tt.ptr<f32, 1>`.
    return ir.Type.parse(text.partition(",")[0])


def target_of(type_: ir.Type) -> ir.Type:
    """Gives the type that a pointer, or each pointer of a block, points to."""
    return pointee(_element(type_))


def _element(type_: ir.Type) -> ir.Type:
    return type_.element_type if isinstance(type_, ir.RankedTensorType) else type_


def absolute(lowering: Lowering, pointer: Pointer) -> Pointer:
    """Gives a pointer as an absolute address."""
    if pointer.root is None:
        return pointer
    builder = lowering.builder
    base = lowering.buffers.address(pointer.root)
    scale = builder.constant(builder.i64, byte_width(pointer.element))

    def address(b: Builder, lanes: Sequence[Lanes], width: int) -> Lanes:
        distance = lane_math.multiply(b, lanes[0], Uniform(scale), width)
        return lane_math.add(b, distance, Uniform(base), width)

    offset = _map(lowering, [pointer.offset], address)
    return Pointer(None, pointer.element, offset)


def _map(
    lowering: Lowering, operands: Sequence[ir.Value | Block], rule: ElementwiseRule
) -> ir.Value | Block:
    """Applies a rule on i64 lanes to offsets, scalars or blocks."""
    blocks = [each for each in operands if isinstance(each, Block)]
    if not blocks:
        lanes = [Uniform(each) for each in operands if isinstance(each, ir.Value)]
        result = rule(lowering.builder, lanes, 1)
        assert isinstance(result, Uniform)
        return result.value
    shape = blocks[0].shape
    sources = [
        each if isinstance(each, Block) else SplatBlock(shape, each)
        for each in operands
    ]
    return ElementwiseBlock(shape, lowering.builder.i64, sources, rule)


def lower_pointer_select(lowering: Lowering, operation: ir.Operation) -> None:
    """Selects between pointers; into two buffers, between addresses."""
    condition = lowering.value(operation.operands[0])
    first = lowering.pointer(operation.operands[1])
    second = lowering.pointer(operation.operands[2])
    if first.root != second.root:
        first, second = absolute(lowering, first), absolute(lowering, second)
    assert not isinstance(condition, Pointer)
    rule = pointwise(lambda _, c, a, b: arith.select(c, a, b))
    offset = _map(lowering, [condition, first.offset, second.offset], rule)
    pointer = Pointer(first.root, first.element, offset)
    lowering.define(operation.results[0], pointer)


def cast_pointer(lowering: Lowering, pointer: Pointer, element: ir.Type) -> Pointer:
    """Gives the same address as a pointer to another type."""
    if pointer.root is None:
        return Pointer(None, element, pointer.offset)
    old, new = byte_width(pointer.element), byte_width(element)
    if old == new:
        return Pointer(pointer.root, element, pointer.offset)
    if old % new == 0:
        factor = lowering.builder.constant(lowering.builder.i64, old // new)

        def scale(b: Builder, lanes: Sequence[Lanes], width: int) -> Lanes:
            return lane_math.multiply(b, lanes[0], Uniform(factor), width)

        return Pointer(pointer.root, element, _map(lowering, [pointer.offset], scale))
    # The offset may not be a multiple of the wider type: count in bytes from here on.
    return Pointer(None, element, absolute(lowering, pointer).offset)


def lower_int_to_ptr(lowering: Lowering, operation: ir.Operation) -> None:
    """Makes a pointer of an address."""
    value = lowering.value(operation.operands[0])
    assert not isinstance(value, Pointer)
    element = target_of(operation.results[0].type)
    lowering.define(operation.results[0], Pointer(None, element, value))


def lower_ptr_to_int(lowering: Lowering, operation: ir.Operation) -> None:
    """Gives the address of a pointer."""
    pointer = absolute(lowering, lowering.pointer(operation.operands[0]))
    lowering.define(operation.results[0], pointer.offset)


def lower_bitcast(lowering: Lowering, operation: ir.Operation) -> None:
    """Reinterprets pointers, or the bits of numbers."""
    result = operation.results[0]
    if is_pointer_like(result.type):
        pointer = lowering.pointer(operation.operands[0])
        cast = cast_pointer(lowering, pointer, target_of(result.type))
        lowering.define(result, cast)
        return
    from .casts import lower_number_bitcast

    lower_number_bitcast(lowering, operation)


RULES = {
    "tt.bitcast": lower_bitcast,
    "arith.bitcast": lower_bitcast,
    "tt.int_to_ptr": lower_int_to_ptr,
    "tt.ptr_to_int": lower_ptr_to_int,
}
