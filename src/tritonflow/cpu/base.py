# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Constants, program ids, ranges, splats, pointer arithmetic, hints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..mlir import arith, ir, vector
from . import lanes as lane_math
from .analysis import is_block
from .lanes import Lanes
from .strips import strip_width
from .values import (
    Block,
    ElementwiseBlock,
    Pointer,
    RangeBlock,
    SplatBlock,
    StoredBlock,
)

if TYPE_CHECKING:
    from .builder import Builder
    from .lower import Lowering


def lower_constant(lowering: Lowering, operation: ir.Operation) -> None:
    """Gives a scalar, a splat, or scratch that is filled with the elements."""
    result = operation.results[0]
    attribute = operation.attributes["value"]
    if not is_block(result.type):
        constant = lowering.builder.constant_of(attribute, result.type)
        lowering.define(result, constant)
        return
    type_ = ir.RankedTensorType(result.type)
    shape = list(type_.shape)
    dense = ir.DenseElementsAttr(attribute)
    if dense.is_splat:
        element = lowering.builder.constant_of(
            dense.get_splat_value(), type_.element_type
        )
        lowering.define(result, SplatBlock(shape, element))
        return
    lowering.define(
        result, _stored_constant(lowering, attribute, shape, type_.element_type)
    )


def _stored_constant(
    lowering: Lowering, attribute: ir.Attribute, shape: list[int], element: ir.Type
) -> Block:
    builder = lowering.builder
    count = math.prod(shape)
    width = strip_width(count, 16)
    flat = vector.shape_cast(
        ir.VectorType.get([count // width, width], element),
        arith.constant(
            ir.VectorType.get([count], element), _as_vector_attribute(attribute, count)
        ),
    )
    scratch = lowering.environment.allocate(shape, element)
    for row in range(count // width):
        strip = vector.extract(flat, [], [row])
        if element == builder.i1:
            strip = arith.extui(builder.vector_type(width, builder.i8), strip)
        vector.store(strip, scratch.buffer, [builder.idx(row * width)])
    return StoredBlock(scratch)


def _as_vector_attribute(attribute: ir.Attribute, count: int) -> ir.Attribute:
    """Gives dense elements of a tensor as those of a vector of rank 1."""
    text = str(attribute)
    element = ir.RankedTensorType(attribute.type).element_type
    body = text[: text.rindex(" : ")]
    flat = body.replace("[", "").replace("]", "").replace("<", "<[").replace(">", "]>")
    if '"' in body:
        flat = body
    return ir.Attribute.parse(f"{flat} : vector<{count}x{element}>")


def lower_program_id(lowering: Lowering, operation: ir.Operation) -> None:
    """Gives the workgroup's id."""
    _lower_grid(lowering, operation, "stream.dispatch.workgroup.id")


def lower_num_programs(lowering: Lowering, operation: ir.Operation) -> None:
    """Gives the workgroup count."""
    _lower_grid(lowering, operation, "stream.dispatch.workgroup.count")


def _lower_grid(lowering: Lowering, operation: ir.Operation, name: str) -> None:
    builder = lowering.builder
    axis = ir.IntegerAttr(operation.attributes["axis"]).value
    with builder.entry_point:
        value = ir.Operation.create(
            name,
            results=[builder.index],
            attributes={"dimension": ir.IntegerAttr.get(builder.index, axis)},
        ).result
        number = arith.index_cast(builder.i32, value)
    lowering.define(operation.results[0], number)


def lower_make_range(lowering: Lowering, operation: ir.Operation) -> None:
    """Gives a range."""
    start = ir.IntegerAttr(operation.attributes["start"]).value
    type_ = ir.RankedTensorType(operation.results[0].type)
    block = RangeBlock(type_.shape[0], start, type_.element_type)
    lowering.define(operation.results[0], block)


def lower_splat(lowering: Lowering, operation: ir.Operation) -> None:
    """Gives a splat of a number or a pointer."""
    shape = list(ir.RankedTensorType(operation.results[0].type).shape)
    value = lowering.value(operation.operands[0])
    if isinstance(value, Pointer):
        offset = SplatBlock(shape, value.scalar)
        value = Pointer(value.root, value.element, offset)
    else:
        assert isinstance(value, ir.Value)
        value = SplatBlock(shape, value)
    lowering.define(operation.results[0], value)


def lower_addptr(lowering: Lowering, operation: ir.Operation) -> None:
    """Adds an offset, in elements, to a pointer."""
    pointer = lowering.pointer(operation.operands[0])
    distance = lowering.value(operation.operands[1])
    lowering.define(operation.results[0], add_offset(lowering, pointer, distance))


def add_offset(
    lowering: Lowering, pointer: Pointer, distance: ir.Value | Block | Pointer
) -> Pointer:
    """Gives a pointer moved by `distance` elements of its type."""
    from .memory_access import byte_width

    builder = lowering.builder
    scale = 1 if pointer.root is not None else byte_width(pointer.element)
    factor = builder.constant(builder.i64, scale)
    if isinstance(distance, Block):
        offsets = ElementwiseBlock(
            distance.shape,
            builder.i64,
            [pointer.block, distance],
            lambda b, lanes, width: _moved(b, lanes, width, factor),
            name="tt.addptr",
        )
        return Pointer(pointer.root, pointer.element, offsets)
    assert isinstance(distance, ir.Value)
    moved = builder.mul(builder.cast_integer(distance, builder.i64), factor)
    offset = builder.add(pointer.scalar, moved)
    return Pointer(pointer.root, pointer.element, offset)


def _moved(
    builder: Builder,
    lanes: Sequence[Lanes],
    width: int,
    factor: ir.Value,
) -> Lanes:
    start, distance = lanes
    wide = lane_math.extend(builder, distance, builder.i64, width)
    scaled = lane_math.multiply(builder, wide, lane_math.Uniform(factor), width)
    return lane_math.add(builder, start, scaled, width)


def drop(lowering: Lowering, operation: ir.Operation) -> None:
    """Emits nothing: the operation is a hint."""


RULES = {
    "arith.constant": lower_constant,
    "tt.get_program_id": lower_program_id,
    "tt.get_num_programs": lower_num_programs,
    "tt.make_range": lower_make_range,
    "tt.splat": lower_splat,
    "tt.addptr": lower_addptr,
    "llvm.intr.assume": drop,
    "ttg.barrier": drop,
    "gpu.barrier": drop,
    "tt.grid_dependency_wait": drop,
    "tt.grid_dependency_launch_dependents": drop,
}
