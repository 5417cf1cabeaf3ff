# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Along which axis the elements of a block follow each other in memory."""

from __future__ import annotations

from collections.abc import Sequence

from .builder import Builder
from .values import Block, ElementwiseBlock, RangeBlock, SplatBlock, ViewBlock

_SUMS = frozenset({"arith.addi", "tt.addptr"})
_SAME = frozenset({"arith.extsi", "arith.extui", "arith.trunci"})


def step_along(builder: Builder, block: Block, axis: int) -> int | None:
    """Gives the constant distance of neighbours along `axis`; None if not known."""
    if axis not in block.axes:
        return 0
    if block.storage is not None:
        return None
    match block:
        case RangeBlock():
            return 1
        case ViewBlock():
            if axis not in block.source_axes:
                return 0
            source_axis = block.source_axes.index(axis)
            return step_along(builder, block.operands[0], source_axis)
        case ElementwiseBlock(operands=(lhs, rhs), name="arith.muli"):
            return _product(builder, lhs, rhs, axis)
        case ElementwiseBlock(name=name) if name in _SUMS | _SAME:
            steps = [step_along(builder, each, axis) for each in block.operands]
            known = [step for step in steps if step is not None]
            return sum(known) if len(known) == len(steps) else None
    return None


def _product(builder: Builder, lhs: Block, rhs: Block, axis: int) -> int | None:
    if isinstance(lhs, SplatBlock):
        lhs, rhs = rhs, lhs
    if isinstance(rhs, ViewBlock) and isinstance(rhs.operands[0], SplatBlock):
        rhs = rhs.operands[0]
    factor = builder.known(rhs.scalar) if isinstance(rhs, SplatBlock) else None
    step = step_along(builder, lhs, axis)
    return None if factor is None or step is None else factor * step


def order_of_memory(builder: Builder, offsets: Block) -> list[int] | None:
    """Gives a permutation of the axes that puts the contiguous one last.

    None if the last is contiguous as it is, or if no single axis is known to be.
    """
    long = [axis for axis, extent in enumerate(offsets.shape) if extent > 1]
    if len(long) < 2 or step_along(builder, offsets, long[-1]) == 1:
        return None
    unit = [axis for axis in long if step_along(builder, offsets, axis) == 1]
    if len(unit) != 1:
        return None
    rank = len(offsets.shape)
    return [*(axis for axis in range(rank) if axis != unit[0]), unit[0]]


def permuted(block: Block, order: Sequence[int]) -> Block:
    """Gives a block whose axis n is axis `order[n]` of `block`."""
    shape = [block.shape[axis] for axis in order]
    if isinstance(block, SplatBlock):
        return SplatBlock(shape, block.scalar)
    return ViewBlock(block, shape, [order.index(axis) for axis in range(len(order))])
