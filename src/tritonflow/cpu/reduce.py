# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`tt.reduce` along any axis, with any combination of its operands."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..mlir import ir, vector
from .lanes import Uniform, Vector, as_vector
from .strips import Coordinate, Nest, Strip, lane_axis_of, strip_width
from .values import Block, SplatBlock, StoredBlock

if TYPE_CHECKING:
    from .builder import Builder
    from .lower import Lowering, Rule
    from .scratch import Scratch

_NAN = float("nan")
_INFINITY = float("inf")

_FLOAT_IDENTITIES = {
    "arith.addf": -0.0,
    "arith.mulf": 1.0,
    "arith.maxnumf": _NAN,
    "arith.minnumf": _NAN,
    "arith.maximumf": -_INFINITY,
    "arith.minimumf": _INFINITY,
}
"""What combines with x to x, also for NaN and -0.0."""

Combine = Callable[[Sequence[ir.Value], Sequence[ir.Value]], list[ir.Value]]


def lower_reduce(lowering: Lowering, operation: ir.Operation) -> None:
    """Reduces blocks along an axis, all operands together."""
    axis = ir.IntegerAttr(operation.attributes["axis"]).value
    sources = [lowering.block(operand) for operand in operation.operands]
    reduction = _Reduction(lowering, operation, sources, axis)
    for result, value in zip(operation.results, reduction.emit(), strict=True):
        lowering.define(result, value)


def combiner(lowering: Lowering, operation: ir.Operation) -> Combine:
    """Gives a function that emits the combine region on scalars or vectors."""
    block = operation.regions[0].blocks[0]
    *body, terminator = [each.operation for each in block.operations]

    def combine(lhs: Sequence[ir.Value], rhs: Sequence[ir.Value]) -> list[ir.Value]:
        for argument, value in zip(block.arguments, [*lhs, *rhs], strict=True):
            lowering.define(argument, value)
        lowering.lower_operations(body)
        return [lowering.scalar(operand) for operand in terminator.operands]

    return combine


def identity_of(operation: ir.Operation) -> float | int | None:
    """Gives the identity of a combine region of one known operation, else None."""
    body = [each.operation for each in operation.regions[0].blocks[0].operations]
    if len(body) != 2 or len(operation.operands) != 1:
        return None
    element = ir.RankedTensorType(operation.operands[0].type).element_type
    if isinstance(element, ir.FloatType):
        return _FLOAT_IDENTITIES.get(body[0].name)
    width = ir.IntegerType(element).width
    return {
        "arith.addi": 0,
        "arith.muli": 1,
        "arith.andi": -1,
        "arith.ori": 0,
        "arith.xori": 0,
        "arith.maxsi": -(1 << (width - 1)),
        "arith.minsi": (1 << (width - 1)) - 1,
        "arith.maxui": 0,
        "arith.minui": -1,
    }.get(body[0].name)


class _Reduction:
    def __init__(
        self,
        lowering: Lowering,
        operation: ir.Operation,
        sources: Sequence[Block],
        axis: int,
    ) -> None:
        self.builder: Builder = lowering.builder
        self.environment = lowering.environment
        self.sources = sources
        self.axis = axis
        self.shape = sources[0].shape
        self.outer = [n for n in range(len(self.shape)) if n != axis]
        self.result_shape = [self.shape[n] for n in self.outer]
        self.combine = combiner(lowering, operation)
        self.identity = identity_of(operation)
        self.is_scalar = not self.result_shape

    def emit(self) -> list[ir.Value | Block]:
        """Emits the nest; gives the results."""
        captures = self.environment.prepare(self.sources, self.shape)
        nest = Nest(self.builder)
        nest.captures = captures
        if lane_axis_of(self.shape) in (self.axis, None):
            results = self._along_lanes(nest)
        else:
            results = self._across_lanes(nest)
        self.environment.finish(captures)
        return results

    def _along_lanes(self, nest: Nest) -> list[ir.Value | Block]:
        extent = self.shape[self.axis]
        width = strip_width(extent, self.environment.lanes)
        lane_axis = None if width == 1 else self.axis
        position = self._open_outer(nest, self.outer)
        partial = self._accumulate(nest, position, lane_axis, width, width)
        values = self._fold(partial, width)
        if math.prod(self.result_shape) == 1:
            return self._single(values)
        targets = self._targets()
        at = tuple(position[n] for n in self.outer)
        for target, value in zip(targets, values, strict=True):
            target.store(Strip(nest, at, None, 1), Uniform(value))
        while nest.loops:
            nest.close_loop()
        return [StoredBlock(target) for target in targets]

    def _across_lanes(self, nest: Nest) -> list[ir.Value | Block]:
        lanes = lane_axis_of(self.shape)
        assert lanes is not None
        width = strip_width(self.shape[lanes], self.environment.lanes)
        position = self._open_outer(nest, [n for n in self.outer if n != lanes])
        position[lanes], _ = nest.open_loop(self.shape[lanes], width)
        values = self._accumulate(nest, position, lanes, width, 1)
        targets = self._targets()
        at = tuple(position[n] for n in self.outer)
        lane_axis = None if width == 1 else self.outer.index(lanes)
        for target, value in zip(targets, values, strict=True):
            lanes = Uniform(value) if lane_axis is None else Vector(value)
            target.store(Strip(nest, at, lane_axis, width), lanes)
        while nest.loops:
            nest.close_loop()
        return [StoredBlock(target) for target in targets]

    def _open_outer(self, nest: Nest, axes: Sequence[int]) -> list[Coordinate]:
        position = [Coordinate(self.builder.idx(0))] * len(self.shape)
        for axis in axes:
            position[axis], _ = nest.open_loop(self.shape[axis], 1)
        return position

    def _accumulate(
        self,
        nest: Nest,
        position: list[Coordinate],
        lane_axis: int | None,
        width: int,
        step: int,
    ) -> list[ir.Value]:
        """Emits the loop along the reduced axis; gives partial results."""

        def strips(at: Coordinate) -> list[ir.Value]:
            place = list(position)
            place[self.axis] = at
            strip = Strip(nest, tuple(place), lane_axis, width)
            return [self._value(strip, source) for source in self.sources]

        extent = self.shape[self.axis]
        first = Coordinate(self.builder.idx(0), 0)
        if extent <= step:
            return strips(first)
        if self.identity is None:
            start, inits = step, strips(first)
        else:
            start, inits = 0, [self._identity(width, lane_axis)]
        if start + step >= extent:
            second = Coordinate(self.builder.idx(start), 0)
            return self.combine(inits, strips(second))
        at, partial = nest.open_loop(extent, step, inits, start)
        return nest.close_loop(self.combine(partial, strips(at)))

    def _value(self, strip: Strip, source: Block) -> ir.Value:
        lanes = strip.evaluate(source)
        if strip.lane_axis is None:
            assert isinstance(lanes, Uniform)
            return lanes.value
        return as_vector(self.builder, lanes, strip.width)

    def _identity(self, width: int, lane_axis: int | None) -> ir.Value:
        assert self.identity is not None
        scalar = self.builder.constant(self.sources[0].element, self.identity)
        return scalar if lane_axis is None else self.builder.broadcast(scalar, width)

    def _fold(self, partial: list[ir.Value], width: int) -> list[ir.Value]:
        """Combines the lanes of vectors, halving them."""
        if width == 1:
            return partial
        while width > 1:
            width //= 2
            low = [_slice(self.builder, value, 0, width) for value in partial]
            high = [_slice(self.builder, value, width, width) for value in partial]
            partial = self.combine(low, high)
        return [vector.extract(value, [], [0]) for value in partial]

    def _single(self, values: list[ir.Value]) -> list[ir.Value | Block]:
        if self.is_scalar:
            return list(values)
        return [SplatBlock(self.result_shape, value) for value in values]

    def _targets(self) -> list[Scratch]:
        return [
            self.environment.allocate(self.result_shape, source.element)
            for source in self.sources
        ]


def _slice(builder: Builder, value: ir.Value, start: int, width: int) -> ir.Value:
    type_ = builder.vector_type(width, ir.VectorType(value.type).element_type)
    return vector.extract_strided_slice(type_, value, [start], [width], [1])


RULES: dict[str, Rule] = {"tt.reduce": lower_reduce}
