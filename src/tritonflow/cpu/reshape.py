# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Blocks seen with other axes: expand_dims, broadcast, trans, reshape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..mlir import ir
from .values import Block, Pointer, SplatBlock, StoredBlock, Value, ViewBlock

if TYPE_CHECKING:
    from .lower import Lowering, Rule


def _define_view(
    lowering: Lowering, operation: ir.Operation, source_axes: Sequence[int | None]
) -> None:
    result = operation.results[0]
    shape = list(ir.RankedTensorType(result.type).shape)
    source = lowering.value(operation.operands[0])
    lowering.define(result, view(source, shape, source_axes))


def view(
    source: Value, shape: Sequence[int], source_axes: Sequence[int | None]
) -> Value:
    """Gives a block, or block of pointers, with its axes renumbered."""
    if isinstance(source, Pointer):
        return Pointer(
            source.root, source.element, _view_block(source.block, shape, source_axes)
        )
    assert isinstance(source, Block)
    return _view_block(source, shape, source_axes)


def _view_block(
    source: Block, shape: Sequence[int], source_axes: Sequence[int | None]
) -> Block:
    if isinstance(source, SplatBlock):
        return SplatBlock(shape, source.scalar)
    return ViewBlock(source, shape, source_axes)


def lower_expand_dims(lowering: Lowering, operation: ir.Operation) -> None:
    """Inserts an axis of one element."""
    axis = ir.IntegerAttr(operation.attributes["axis"]).value
    rank = ir.RankedTensorType(operation.operands[0].type).rank
    _define_view(lowering, operation, [n if n < axis else n + 1 for n in range(rank)])


def lower_broadcast(lowering: Lowering, operation: ir.Operation) -> None:
    """Repeats along axes of one element."""
    old = ir.RankedTensorType(operation.operands[0].type).shape
    new = ir.RankedTensorType(operation.results[0].type).shape
    axes = [
        axis if before == after else None
        for axis, (before, after) in enumerate(zip(old, new, strict=True))
    ]
    _define_view(lowering, operation, axes)


def lower_trans(lowering: Lowering, operation: ir.Operation) -> None:
    """Permutes axes: axis n of the result is axis `order[n]` of the source."""
    order = list(ir.DenseI32ArrayAttr(operation.attributes["order"]))
    _define_view(lowering, operation, [order.index(n) for n in range(len(order))])


def lower_reshape(lowering: Lowering, operation: ir.Operation) -> None:
    """Gives the same elements, in row-major order, as a block of another shape."""
    result = operation.results[0]
    shape = list(ir.RankedTensorType(result.type).shape)
    source = lowering.value(operation.operands[0])
    if isinstance(source, Pointer):
        block = reshaped(lowering, source.block, shape)
        lowering.define(result, Pointer(source.root, source.element, block))
        return
    assert isinstance(source, Block)
    lowering.define(result, reshaped(lowering, source, shape))


def reshaped(lowering: Lowering, source: Block, shape: Sequence[int]) -> Block:
    """Gives a block of another shape; a view where only axes of one element change."""
    if isinstance(source, SplatBlock):
        return SplatBlock(shape, source.scalar)
    kept = [axis for axis, extent in enumerate(source.shape) if extent > 1]
    places = [axis for axis, extent in enumerate(shape) if extent > 1]
    if [source.shape[axis] for axis in kept] == [shape[axis] for axis in places]:
        new_axes = dict(zip(kept, places, strict=True))
        axes = [new_axes.get(axis) for axis in range(len(source.shape))]
        return ViewBlock(source, shape, axes)
    scratch = lowering.environment.materialize(source)
    return StoredBlock(scratch.reshaped(shape))


RULES: dict[str, Rule] = {
    "tt.expand_dims": lower_expand_dims,
    "tt.broadcast": lower_broadcast,
    "tt.trans": lower_trans,
    "tt.reshape": lower_reshape,
}
