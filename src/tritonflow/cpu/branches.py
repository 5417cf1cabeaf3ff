# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Functions of several basic blocks (`cf.cond_br` of an early return), made structured.

A branch whose ways meet again becomes a conditional followed by what stands behind the
meeting point; what may have returned before it is skipped by a flag.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..mlir import ir, scf
from .merged import Merge
from .values import Value

if TYPE_CHECKING:
    from .lower import Lowering


def lower_region(
    lowering: Lowering, region: ir.Region, arguments: Sequence[Value]
) -> list[Value]:
    """Emits a function's body; gives what it returns."""
    blocks = list(region.blocks)
    for name, value in zip(blocks[0].arguments, arguments, strict=True):
        lowering.define(name, value)
    if len(blocks) == 1:
        *body, terminator = [each.operation for each in blocks[0].operations]
        lowering.lower_operations(body)
        return [lowering.value(operand) for operand in terminator.operands]
    graph = _Graph(lowering, blocks)
    for block in blocks:
        terminator = list(block.operations)[-1].operation
        if terminator.name == "tt.return" and len(terminator.operands):
            raise lowering.unsupported(terminator, "of a value after an early return")
    graph.emit(blocks[0], None)
    return []


@dataclass
class _Join:
    """A block where ways meet, and the values that it gets."""

    block: ir.Block
    merge: Merge


class _Graph:
    def __init__(self, lowering: Lowering, blocks: Sequence[ir.Block]) -> None:
        self._lowering = lowering
        self._blocks = list(blocks)
        self._reach: dict[ir.Block, frozenset[ir.Block]] = {}
        for block in blocks:
            self._reachable(block, frozenset())

    def _reachable(
        self, block: ir.Block, above: frozenset[ir.Block]
    ) -> frozenset[ir.Block]:
        terminator = list(block.operations)[-1].operation
        if block in above:
            raise self._lowering.unsupported(terminator, "that goes back (a loop)")
        if block not in self._reach:
            found = {block}
            for successor in terminator.successors:
                found |= self._reachable(successor, above | {block})
            self._reach[block] = frozenset(found)
        return self._reach[block]

    def emit(
        self, block: ir.Block, join: _Join | None
    ) -> tuple[ir.Value, list[ir.Value]]:
        """Emits `block` and what follows, up to `join`.

        Returns: i1 whether `join` is reached, and the values it gets.
        """
        lowering = self._lowering
        builder = lowering.builder
        *body, terminator = [each.operation for each in block.operations]
        lowering.lower_operations(body)
        if terminator.name == "tt.return":
            values = [] if join is None else join.merge.nothing()
            return builder.constant(builder.i1, 0), values
        if terminator.name == "cf.br":
            arguments = list(terminator.operands)
            return self._go(terminator.successors[0], arguments, join)
        if terminator.name != "cf.cond_br":
            raise lowering.unsupported(terminator)
        return self._branch(terminator, join)

    def _go(
        self, target: ir.Block, arguments: Sequence[ir.Value], join: _Join | None
    ) -> tuple[ir.Value, list[ir.Value]]:
        builder = self._lowering.builder
        values = [self._lowering.value(each) for each in arguments]
        if join is not None and target == join.block:
            with self._lowering.environment.operation():
                return builder.constant(builder.i1, 1), join.merge.enter(values)
        for name, value in zip(target.arguments, values, strict=True):
            self._lowering.define(name, value)
        return self.emit(target, join)

    def _branch(
        self, terminator: ir.Operation, join: _Join | None
    ) -> tuple[ir.Value, list[ir.Value]]:
        segments = list(
            ir.DenseI32ArrayAttr(terminator.attributes["operandSegmentSizes"])
        )
        operands = list(terminator.operands)
        middle = 1 + segments[1]
        ways = list(
            zip(
                terminator.successors,
                (operands[1:middle], operands[middle:]),
                strict=True,
            )
        )
        condition = self._lowering.scalar(operands[0])
        meeting = self._meeting_point([target for target, _ in ways])
        if meeting is None or (join is not None and meeting == join.block):
            return self._split(condition, ways, join)
        # Values that the meeting point gets come from several blocks.
        sources = [
            self._arguments_into(meeting, block)
            for block in self._blocks
            if meeting in list(list(block.operations)[-1].operation.successors)
        ]
        with self._lowering.environment.operation():
            inner = _Join(
                meeting, Merge(self._lowering, list(meeting.arguments), sources)
            )
            flag, values = self._split(condition, ways, inner)
            meanings = inner.merge.meanings(values)
            for name, value in zip(meeting.arguments, meanings, strict=True):
                self._lowering.define(name, value)
        return self._guarded(flag, meeting, join)

    def _arguments_into(self, target: ir.Block, block: ir.Block) -> list[ir.Value]:
        terminator = list(block.operations)[-1].operation
        operands = list(terminator.operands)
        if terminator.name == "cf.br":
            return operands
        segments = list(
            ir.DenseI32ArrayAttr(terminator.attributes["operandSegmentSizes"])
        )
        middle = 1 + segments[1]
        if terminator.successors[0] == target:
            return operands[1:middle]
        return operands[middle:]

    def _split(
        self,
        condition: ir.Value,
        ways: Sequence[tuple[ir.Block, list[ir.Value]]],
        join: _Join | None,
    ) -> tuple[ir.Value, list[ir.Value]]:
        builder = self._lowering.builder
        types = [builder.i1, *([] if join is None else join.merge.types)]
        conditional = scf.IfOp(condition, types, has_else=True)
        always = True
        sides = [each.blocks[0] for each in conditional.regions]
        for side, (target, arguments) in zip(sides, ways, strict=True):
            with ir.InsertionPoint(side), self._lowering.environment.region():
                flag, values = self._go(target, arguments, join)
                always = always and builder.known(flag) not in (None, 0)
                scf.YieldOp([flag, *values])
        flag, *values = list(conditional.results)
        return (builder.constant(builder.i1, 1) if always else flag), values

    def _guarded(
        self, flag: ir.Value, block: ir.Block, join: _Join | None
    ) -> tuple[ir.Value, list[ir.Value]]:
        """Emits `block` under the condition that it is reached."""
        builder = self._lowering.builder
        if builder.known(flag) is not None:
            return self.emit(block, join)
        types = [builder.i1, *([] if join is None else join.merge.types)]
        conditional = scf.IfOp(flag, types, has_else=True)
        with (
            ir.InsertionPoint(conditional.then_block),
            self._lowering.environment.region(),
        ):
            reached, values = self.emit(block, join)
            scf.YieldOp([reached, *values])
        with ir.InsertionPoint(conditional.regions[1].blocks[0]):
            nothing = [] if join is None else join.merge.nothing()
            scf.YieldOp([builder.constant(builder.i1, 0), *nothing])
        reached, *values = list(conditional.results)
        return reached, values

    def _meeting_point(self, targets: Sequence[ir.Block]) -> ir.Block | None:
        common = self._reach[targets[0]] & self._reach[targets[1]]
        if not common:
            return None
        # The first of them is the one that reaches all others.
        return max(common, key=lambda block: len(self._reach[block]))
