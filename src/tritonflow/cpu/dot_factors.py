# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""How a dot reads blocks: in place, in strips of an expression, or from scratch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..mlir import arith, ir, scf, vector
from .builder import Builder
from .dot_operands import LeftInPlace, StripLoader
from .lanes import Affine, Guarded, Uniform, affine_part, as_vector, conditions
from .memory import LoadBlock
from .strips import Coordinate, Nest, Strip, strip_width
from .values import Block, ElementwiseBlock, ViewBlock

SEPARABLE = frozenset(
    {"arith.addi", "arith.subi", "arith.extsi", "arith.trunci", "tt.addptr"}
)
"""Operations that keep a sum of a row's and a column's part such a sum."""

MASK_LANES = 64
"""Lanes of a mask that are tested at a time."""


@dataclass(frozen=True)
class LoopScope:
    """The place that a dot is emitted at, to tell its own loops from those around."""

    builder: Builder
    block: ir.Block

    @classmethod
    def here(cls, builder: Builder) -> LoopScope:
        """Gives the scope of the ambient insertion point."""
        return cls(builder, _current_block())

    def strips_of(self, block: Block, lane_axis: int, *batch: ir.Value) -> StripLoader:
        """Gives a loader of strips of a block along one of its two last axes.

        Args:
            block: of rank 2, or of more with `batch`.
            lane_axis: 0 for strips along the rows' axis, `load(column, row, width)`; 1
                for `load(row, column, width)`.
            batch: positions along the axes before those two.
        """

        def load(first: ir.Value, second: ir.Value, width: int) -> ir.Value:
            pair = (first, second) if lane_axis == 1 else (second, first)
            loops = self._loops()
            nest = Nest(self.builder)
            nest.loops = loops
            position = [self._coordinate(each, loops) for each in (*batch, *pair)]
            axis = lane_axis + len(batch)
            strip = Strip(nest, tuple(position), axis, width)
            return as_vector(self.builder, strip.evaluate(block), width)

        return load

    def _loops(self) -> list[scf.ForOp]:
        """Gives the dot's loops around the insertion point, outermost first."""
        loops: list[scf.ForOp] = []
        block = _current_block()
        while block != self.block:
            owner = block.owner
            if isinstance(owner.opview, scf.ForOp):
                loops.insert(0, owner.opview)
            block = owner.operation.block
        return loops

    def _coordinate(self, value: ir.Value, loops: list[scf.ForOp]) -> Coordinate:
        home = (
            value.owner
            if isinstance(value.owner, ir.Block)
            else value.owner.operation.block
        )
        for level, loop in enumerate(loops):
            if loop.body == home:
                return Coordinate(value, level + 1)
        return Coordinate(value, 0)


def _current_block() -> ir.Block:
    point = ir.InsertionPoint.current
    assert isinstance(point, ir.InsertionPoint)
    return point.block


@dataclass(frozen=True)
class Candidate:
    """A factor that may be read where it lies in memory.

    Attributes:
        condition: i1, under which it may: no lane is masked off, no row wraps.
    """

    factor: LeftInPlace
    condition: ir.Value


def left_in_place(builder: Builder, block: Block) -> Candidate | None:
    """Gives a left factor that is a load, or a view of one, if its layout is plain.

    Plain is: an offset for the row plus an offset for k, both with constant strides.
    """
    source, view = _through_views(block)
    if not isinstance(source, LoadBlock) or source.storage is not None:
        return None
    memory = source.memory
    if memory.view is None or memory.stored != memory.element:
        return None
    offset = view(source.pointer.block)
    if not _is_separable(offset):
        return None
    rows, columns = (_whole_axis(builder, offset, axis) for axis in range(2))
    if rows is None or columns is None:
        return None
    tests = [*conditions(rows), *conditions(columns)]
    if source.mask is not None:
        unmasked = all_true(builder, source.mask)
        if unmasked is None:
            return None
        tests.append(unmasked)
    start, row_step = (affine_part(builder, rows).base, affine_part(builder, rows).step)
    k_step = affine_part(builder, columns).step
    factor = _affine_rows(builder, memory.view, start, row_step, k_step)
    return Candidate(factor, builder.conjunction(*tests))


def _affine_rows(
    builder: Builder,
    buffer: ir.Value,
    start: ir.Value,
    row_step: ir.Value,
    k_step: ir.Value,
) -> LeftInPlace:
    base, row_distance, k_distance = map(builder.to_index, (start, row_step, k_step))

    def row(i: ir.Value) -> tuple[ir.Value, ir.Value]:
        return arith.addi(base, arith.muli(i, row_distance)), k_distance

    return LeftInPlace(buffer, row, has_pairs=builder.known(k_step) == 1)


def runs_along_rows(builder: Builder, block: Block) -> bool:
    """Whether elements of a block that follow each other in memory share a column.

    Known only where the distance of rows is a constant 1.
    """
    source, view = _through_views(block)
    if not isinstance(source, LoadBlock) or source.storage is not None:
        return False
    offset = view(source.pointer.block)
    if not _is_separable(offset):
        return False
    lanes = _whole_axis(builder, offset, 0)
    return lanes is not None and builder.known(affine_part(builder, lanes).step) == 1


def all_true(builder: Builder, mask: Block) -> ir.Value | None:
    """Emits whether all elements of a mask are set; None if that costs too much."""
    if isinstance(mask, ViewBlock) and mask.storage is None:
        return all_true(builder, mask.operands[0])
    if isinstance(mask, ElementwiseBlock) and mask.name == "arith.andi":
        parts = [all_true(builder, each) for each in mask.operands]
        known = [part for part in parts if part is not None]
        return builder.conjunction(*known) if len(known) == len(parts) else None
    if len(mask.axes) > 1:
        return None
    origin = [Coordinate(builder.idx(0))] * len(mask.shape)
    if not mask.axes:
        lanes = Strip(Nest(builder), tuple(origin), None, 1).evaluate(mask)
        assert isinstance(lanes, Uniform)
        return lanes.value
    return _all_along(builder, mask, min(mask.axes))


def _all_along(builder: Builder, mask: Block, axis: int) -> ir.Value:
    width = strip_width(mask.shape[axis], MASK_LANES)
    every = builder.splat(builder.vector_type(width, builder.i1), 1)
    nest = Nest(builder)
    position = [Coordinate(builder.idx(0))] * len(mask.shape)
    position[axis], carried = nest.open_loop(mask.shape[axis], width, [every])
    lanes = Strip(nest, tuple(position), axis, width).evaluate(mask)
    result = arith.andi(carried[0], as_vector(builder, lanes, width))
    if nest.loops:
        result = nest.close_loop([result])[0]
    return vector.reduction(builder.i1, vector.CombiningKind.AND, result)


def _through_views(block: Block) -> tuple[Block, Callable[[Block], Block]]:
    """Gives what views look at, and a function that looks at another block so."""
    views: list[ViewBlock] = []
    while isinstance(block, ViewBlock) and block.storage is None:
        views.insert(0, block)
        block = block.operands[0]

    def view(other: Block) -> Block:
        for each in views:
            other = ViewBlock(other, each.shape, each.source_axes)
        return other

    return block, view


def _whole_axis(
    builder: Builder, offset: Block, axis: int
) -> Affine | Guarded | Uniform | None:
    """Gives the offsets along an axis from the origin, if they have constant steps."""
    origin = (Coordinate(builder.idx(0)),) * len(offset.shape)
    strip = Strip(Nest(builder), origin, axis, offset.shape[axis])
    lanes = strip.evaluate(offset)
    return lanes if isinstance(lanes, Affine | Guarded | Uniform) else None


def _is_separable(offset: Block) -> bool:
    """Whether an offset is the sum of a row's part and a column's part."""
    if len(offset.axes) < 2:
        return True
    if isinstance(offset, ViewBlock):
        return _is_separable(offset.operands[0])
    if not isinstance(offset, ElementwiseBlock) or offset.storage is not None:
        return False
    is_scaled = offset.name == "arith.muli" and any(
        not operand.axes for operand in offset.operands
    )
    if not is_scaled and offset.name not in SEPARABLE:
        return False
    return all(_is_separable(operand) for operand in offset.operands)
