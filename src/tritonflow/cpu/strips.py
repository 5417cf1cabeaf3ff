# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Loop nests over the elements of a block, and the strips that their bodies compute."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..mlir import ir, scf
from .builder import Builder
from .lanes import Lanes

if TYPE_CHECKING:
    from .scratch import Scratch
    from .values import Block


@dataclass(frozen=True, eq=False)
class Coordinate:
    """A position along one axis.

    Attributes:
        value: of index type.
        level: number of the nest's loops that it depends on.
    """

    value: ir.Value
    level: int = 0


class Nest:
    """Loops that were opened one inside the other, and what was computed in them.

    A value is emitted in the outermost loop that it can be computed in, as a block that
    varies along the rows only need not be computed again for each strip of a row.
    """

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.loops: list[scf.ForOp] = []
        self.memo: dict[tuple[Any, ...], Lanes] = {}
        self.captures: dict[Block, Scratch] = {}
        self._points: list[ir.InsertionPoint] = []

    def open_loop(
        self, extent: int, step: int, inits: Sequence[ir.Value] = (), start: int = 0
    ) -> tuple[Coordinate, list[ir.Value]]:
        """Opens a loop inside the innermost; gives its position and carried values.

        A loop of one trip is not a loop: it gives its start and `inits`.
        """
        builder = self.builder
        if start + step >= extent:
            return Coordinate(builder.idx(start), 0), list(inits)
        loop = scf.ForOp(
            builder.idx(start), builder.idx(extent), builder.idx(step), list(inits)
        )
        self.loops.append(loop)
        point = ir.InsertionPoint(loop.body)
        point.__enter__()
        self._points.append(point)
        coordinate = Coordinate(loop.induction_variable, len(self.loops))
        return coordinate, list(loop.inner_iter_args)

    def close_loop(self, yields: Sequence[ir.Value] = ()) -> list[ir.Value]:
        """Closes the innermost loop; gives its results."""
        scf.YieldOp(list(yields))
        self._points.pop().__exit__(None, None, None)
        # What was computed in the loop cannot be used behind it.
        level = len(self.loops)
        self.memo = {k: v for k, v in self.memo.items() if k[-1] < level}
        return list(self.loops.pop().results)

    @contextmanager
    def at(self, level: int) -> Iterator[None]:
        """Emits in loop `level`, before the loop inside it; 0 is before all loops."""
        if level >= len(self.loops):
            yield
            return
        with ir.InsertionPoint(self.loops[level]):
            yield


_STEPS_AT_ONCE = 50


@dataclass(frozen=True, eq=False)
class Strip:
    """A run of `width` elements of a block along `lane_axis`, starting at `position`.

    Attributes:
        lane_axis: None for a single element; `width` lanes, if asked for, are then the
            same.
    """

    nest: Nest
    position: tuple[Coordinate, ...]
    lane_axis: int | None
    width: int

    @property
    def builder(self) -> Builder:
        """The builder of the nest."""
        return self.nest.builder

    def evaluate(self, block: Block) -> Lanes:
        """Emits the strip of `block`, once."""
        level = self.level_of(block)
        key = (block, self.position, self.lane_axis, level)
        memo = self.nest.memo
        if key not in memo:
            if block.depth % _STEPS_AT_ONCE == 0:
                self._evaluate_behind(block)
            memo[key] = self._compute(block, level)
        return memo[key]

    def _evaluate_behind(self, block: Block) -> None:
        """Emits the expressions behind `block` from the far end, step by step.

        Unrolled loops make expressions of thousands of operations, far more than calls
        of `evaluate` may be nested.
        """
        seen, pending, steps = {block}, [block], []
        while pending:
            current = pending.pop()
            if current.storage is not None or not current.is_aligned:
                continue
            for operand in current.operands:
                if operand not in seen:
                    seen.add(operand)
                    pending.append(operand)
                    if operand.depth % _STEPS_AT_ONCE == 0:
                        steps.append(operand)
        for step in sorted(steps, key=lambda each: each.depth):
            self.evaluate(step)

    def _compute(self, block: Block, level: int) -> Lanes:
        if block.storage is not None:
            with self.nest.at(level):
                return block.storage.load(self._where_it_varies(block))
        lanes = block.compute(self, level)
        capture = self.nest.captures.get(block)
        if capture is not None:
            capture.store(self, lanes)
        return lanes

    def _where_it_varies(self, block: Block) -> Strip:
        """Gives the strip at 0 along the axes that the block is the same along."""
        if len(block.axes) == len(self.position):
            return self
        position = [
            coordinate if axis in block.axes else self.zero()
            for axis, coordinate in enumerate(self.position)
        ]
        return self.moved(
            position, self.lane_axis if self.lane_axis in block.axes else None
        )

    def level_of(self, block: Block) -> int:
        """Gives the number of loops that the strip of `block` depends on."""
        return max((self.position[axis].level for axis in block.axes), default=0)

    def moved(self, position: Sequence[Coordinate], lane_axis: int | None) -> Strip:
        """Gives the strip at another position, of a block of another shape."""
        return replace(self, position=tuple(position), lane_axis=lane_axis)

    def zero(self) -> Coordinate:
        """Gives the coordinate 0."""
        return Coordinate(self.builder.idx(0))


def lane_axis_of(shape: Sequence[int], preferred: int | None = None) -> int | None:
    """Gives the axis that strips of a block run along; None if it has one element."""
    if preferred is not None and shape[preferred] > 1:
        return preferred
    wide = [axis for axis, extent in enumerate(shape) if extent >= 16]
    if wide:
        return wide[-1]
    extents = list(shape)
    longest = max(extents, default=1)
    if longest == 1:
        return None
    return len(extents) - 1 - extents[::-1].index(longest)


def for_each_strip(
    builder: Builder,
    shape: Sequence[int],
    body: Callable[[Strip], None],
    *,
    lanes: int,
    lane_axis: int | None = None,
    captures: dict[Block, Scratch] | None = None,
) -> None:
    """Emits loops over the strips of a block of `shape` around `body`.

    Args:
        lanes: the most lanes of a strip.
        lane_axis: axis that strips run along; by default the last long one.
        captures: blocks to store into scratch while they are computed.
    """
    axis = lane_axis_of(shape, lane_axis)
    nest = Nest(builder)
    nest.captures = captures or {}
    position: list[Coordinate] = [Coordinate(builder.idx(0))] * len(shape)
    width = 1 if axis is None else strip_width(shape[axis], lanes)
    order = [a for a in range(len(shape)) if a != axis]
    for each in order:
        position[each], _ = nest.open_loop(shape[each], 1)
    if axis is not None:
        position[axis], _ = nest.open_loop(shape[axis], width)
    body(Strip(nest, tuple(position), axis, width))
    while nest.loops:
        nest.close_loop()


def strip_width(extent: int, lanes: int) -> int:
    """Gives the largest power of two that divides `extent`, at most `lanes`."""
    width = 1
    while width * 2 <= lanes and extent % (width * 2) == 0:
        width *= 2
    return width
