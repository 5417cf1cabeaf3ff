# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`tt.scan`: running combinations along an axis, forwards or backwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..mlir import ir, vector
from .lanes import Uniform, Vector, as_vector
from .reduce import combiner
from .strips import Coordinate, Nest, Strip, lane_axis_of, strip_width
from .values import Block, StoredBlock

if TYPE_CHECKING:
    from .lower import Lowering, Rule


def lower_scan(lowering: Lowering, operation: ir.Operation) -> None:
    """Scans blocks along an axis, all operands together."""
    axis = ir.IntegerAttr(operation.attributes["axis"]).value
    reverse = ir.BoolAttr(operation.attributes["reverse"]).value
    sources = [lowering.block(operand) for operand in operation.operands]
    scan = _Scan(lowering, operation, sources, axis, reverse)
    for result, value in zip(operation.results, scan.emit(), strict=True):
        lowering.define(result, value)


class _Scan:
    def __init__(
        self,
        lowering: Lowering,
        operation: ir.Operation,
        sources: Sequence[Block],
        axis: int,
        reverse: bool,
    ) -> None:
        self.builder = lowering.builder
        self.environment = lowering.environment
        self.sources = sources
        self.axis = axis
        self.reverse = reverse
        self.shape = sources[0].shape
        self.combine = combiner(lowering, operation)
        self.lane_axis = self._lane_axis()
        extent = 1 if self.lane_axis is None else self.shape[self.lane_axis]
        self.width = strip_width(extent, self.environment.lanes)

    def _lane_axis(self) -> int | None:
        """Gives an axis whose elements are independent, else the scanned one."""
        others = [1 if n == self.axis else e for n, e in enumerate(self.shape)]
        if max(others) > 1:
            return lane_axis_of(others)
        return lane_axis_of(self.shape)

    def emit(self) -> list[Block]:
        """Emits the nest; gives the results."""
        environment = self.environment
        captures = environment.prepare(self.sources, self.shape)
        self.targets = [
            environment.allocate(self.shape, s.element) for s in self.sources
        ]
        nest = Nest(self.builder)
        nest.captures = captures
        along_lanes = self.lane_axis == self.axis
        position = [Coordinate(self.builder.idx(0))] * len(self.shape)
        for axis, extent in enumerate(self.shape):
            if axis not in (self.axis, self.lane_axis):
                position[axis], _ = nest.open_loop(extent, 1)
        if self.lane_axis is not None and not along_lanes:
            extent = self.shape[self.lane_axis]
            position[self.lane_axis], _ = nest.open_loop(extent, self.width)
        self._scan(nest, position, self.width if along_lanes else 1)
        while nest.loops:
            nest.close_loop()
        environment.finish(captures)
        return [StoredBlock(target) for target in self.targets]

    def _scan(self, nest: Nest, position: list[Coordinate], step: int) -> None:
        """Emits the first step, and a loop over the others that carries the last."""
        extent = self.shape[self.axis]
        carry = self._step(nest, position, Coordinate(self.builder.idx(0)), step, None)
        if extent == step:
            return
        at, carried = nest.open_loop(extent, step, carry, step)
        carry = self._step(nest, position, at, step, carried)
        if nest.loops and at.level:
            nest.close_loop(carry)

    def _step(
        self,
        nest: Nest,
        position: list[Coordinate],
        at: Coordinate,
        step: int,
        carry: list[ir.Value] | None,
    ) -> list[ir.Value]:
        """Emits one strip; gives what the next one starts with."""
        builder = self.builder
        place = list(position)
        place[self.axis] = at
        if self.reverse:
            last = builder.idx(self.shape[self.axis] - step)
            place[self.axis] = Coordinate(builder.sub(last, at.value), len(nest.loops))
        strip = Strip(nest, tuple(place), self.lane_axis, self.width)
        values = [self._value(strip, source) for source in self.sources]
        if self.lane_axis == self.axis and self.lane_axis is not None:
            values, following = self._along_lanes(values, carry)
        else:
            values = values if carry is None else self.combine(carry, values)
            following = values
        for target, value in zip(self.targets, values, strict=True):
            lanes = Uniform(value) if self.lane_axis is None else Vector(value)
            target.store(strip, lanes)
        return following

    def _along_lanes(
        self, values: list[ir.Value], carry: list[ir.Value] | None
    ) -> tuple[list[ir.Value], list[ir.Value]]:
        """Scans the lanes of a strip in log2(width) steps, after what came before."""
        width = self.width
        backwards = list(range(width))[::-1]
        if self.reverse:
            values = [vector.shuffle(v, v, backwards) for v in values]
        distance = 1
        while distance < width:
            shift = [max(lane - distance, 0) for lane in range(width)]
            earlier = [vector.shuffle(v, v, shift) for v in values]
            combined = self.combine(earlier, values)
            # Lanes that have nothing before them stay as they are.
            merge = [n if n < distance else width + n for n in range(width)]
            values = [
                vector.shuffle(old, new, merge)
                for old, new in zip(values, combined, strict=True)
            ]
            distance *= 2
        if carry is not None:
            starts = [self.builder.broadcast(each, width) for each in carry]
            values = self.combine(starts, values)
        following = [vector.extract(v, [], [width - 1]) for v in values]
        if self.reverse:
            values = [vector.shuffle(v, v, backwards) for v in values]
        return values, following

    def _value(self, strip: Strip, source: Block) -> ir.Value:
        lanes = strip.evaluate(source)
        if strip.lane_axis is None:
            assert isinstance(lanes, Uniform)
            return lanes.value
        return as_vector(self.builder, lanes, strip.width)


RULES: dict[str, Rule] = {"tt.scan": lower_scan}
