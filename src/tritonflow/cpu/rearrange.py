# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Blocks made of others' elements: join, split, cat, gather, histogram, unsplat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..mlir import arith, ir, memref, vector
from . import lanes as lane_math
from .carried import uniform_scalar
from .lanes import Affine, Lanes, Uniform, as_vector
from .memory_access import Memory, byte_width, load_lanes
from .strips import Nest, Strip, for_each_strip
from .values import Block, SplatBlock, StoredBlock

if TYPE_CHECKING:
    from .lower import Lowering, Rule
    from .scratch import Scratch


def lower_join(lowering: Lowering, operation: ir.Operation) -> None:
    """Gives a block whose new last axis runs over the two operands."""
    environment = lowering.environment
    sources = [lowering.block(operand) for operand in operation.operands]
    shape = sources[0].shape
    captures = environment.prepare(sources, shape)
    target = environment.allocate([*shape, 2], sources[0].element)

    def body(strip: Strip) -> None:
        pair = [_stored_value(target, strip, strip.evaluate(each)) for each in sources]
        place = _pair_place(target, strip)
        if strip.lane_axis is None:
            for number, value in enumerate(pair):
                at = lowering.builder.add(place, lowering.builder.idx(number))
                memref.store(value, target.buffer, [at])
        else:
            vector.store(vector.interleave(*pair), target.buffer, [place])

    for_each_strip(
        lowering.builder,
        shape,
        body,
        lanes=environment.lanes,
        lane_axis=_last_axis(shape),
        captures=captures,
    )
    environment.finish(captures)
    lowering.define(operation.results[0], StoredBlock(target))


def lower_split(lowering: Lowering, operation: ir.Operation) -> None:
    """Gives the two blocks that a last axis of two elements runs over."""
    environment, builder = lowering.environment, lowering.builder
    source = environment.materialize(lowering.block(operation.operands[0]))
    shape = list(source.shape)[:-1]
    targets = [environment.allocate(shape, source.element) for _ in range(2)]
    stored = ir.MemRefType(source.buffer.type).element_type

    def body(strip: Strip) -> None:
        place = _pair_place(source, strip)
        if strip.lane_axis is None:
            places = [builder.add(place, builder.idx(number)) for number in range(2)]
            pair = [memref.load(source.buffer, [each]) for each in places]
        else:
            type_ = builder.vector_type(2 * strip.width, stored)
            both = vector.load(type_, source.buffer, [place])
            pair = [
                vector.shuffle(both, both, range(number, 2 * strip.width, 2))
                for number in range(2)
            ]
        for target, value in zip(targets, pair, strict=True):
            target.store_raw(strip, value)

    for_each_strip(
        builder,
        shape,
        body,
        lanes=environment.lanes,
        lane_axis=_last_axis(shape),
    )
    for result, target in zip(operation.results, targets, strict=True):
        lowering.define(result, StoredBlock(target))


def _last_axis(shape: list[int] | tuple[int, ...]) -> int | None:
    return len(shape) - 1 if shape and shape[-1] > 1 else None


def _pair_place(both: Scratch, strip: Strip) -> ir.Value:
    """Gives the index of the first element of a strip's pairs."""
    return both.place((*strip.position, strip.zero()), strip.builder)


def _stored_value(target: Scratch, strip: Strip, lanes: Lanes) -> ir.Value:
    if strip.lane_axis is None:
        assert isinstance(lanes, Uniform)
        return target.to_stored(strip.builder, lanes.value)
    value = as_vector(strip.builder, lanes, strip.width)
    return target.to_stored(strip.builder, value)


def lower_cat(lowering: Lowering, operation: ir.Operation) -> None:
    """Gives the elements of both operands, one block after the other."""
    environment = lowering.environment
    sources = [lowering.block(operand) for operand in operation.operands]
    shape = list(ir.RankedTensorType(operation.results[0].type).shape)
    target = environment.allocate(shape, sources[0].element)
    start = 0
    for source in sources:
        environment.materialize(source, target.part(start, source.shape))
        start += source.shape[0]
    lowering.define(operation.results[0], StoredBlock(target))


class GatherBlock(Block):
    """Elements of a block in scratch, at indices along one axis."""

    def __init__(
        self, scratch: Scratch, indices: Block, axis: int, memory: Memory
    ) -> None:
        super().__init__(
            indices.shape,
            scratch.element,
            axes=frozenset(range(len(indices.shape))),
            operands=(StoredBlock(scratch), indices),
            own_cost=16.0,
        )
        self._scratch = scratch
        self._axis = axis
        self._memory = memory

    def compute(self, strip: Strip, level: int) -> Lanes:
        """Emits the loads of a strip."""
        builder = strip.builder
        index = strip.evaluate(self.operands[1])
        i64 = builder.i64
        with strip.nest.at(level):
            total: Lanes = Uniform(builder.constant(i64, 0))
            for axis, stride in enumerate(self._scratch.strides):
                where: Lanes = Uniform(
                    builder.cast_integer(strip.position[axis].value, i64)
                )
                if axis == strip.lane_axis:
                    where = Affine(where.value, builder.constant(i64, 1))
                if axis == self._axis:
                    where = lane_math.extend(builder, index, i64, strip.width)
                scale = Uniform(builder.constant(i64, stride))
                term = lane_math.multiply(builder, where, scale, strip.width)
                total = lane_math.add(builder, total, term, strip.width)
            return load_lanes(builder, self._memory, total, None, None, strip.width)


def lower_gather(lowering: Lowering, operation: ir.Operation) -> None:
    """Gives `source[..., indices, ...]` along an axis."""
    builder = lowering.builder
    axis = ir.IntegerAttr(operation.attributes["axis"]).value
    source = lowering.environment.materialize(lowering.block(operation.operands[0]))
    indices = lowering.block(operation.operands[1])
    stored = ir.MemRefType(source.buffer.type).element_type

    def address() -> ir.Value:
        pointer = memref.extract_aligned_pointer_as_index(source.buffer)
        return arith.index_cast(builder.i64, pointer)

    memory = Memory(source.buffer, address, stored, source.element, byte_width(stored))
    block = GatherBlock(source, indices, axis, memory)
    lowering.define(operation.results[0], block)


def lower_histogram(lowering: Lowering, operation: ir.Operation) -> None:
    """Counts how often each number from 0 on occurs; others are not counted."""
    environment, builder = lowering.environment, lowering.builder
    operands = [lowering.block(operand) for operand in operation.operands]
    result = operation.results[0]
    type_ = ir.RankedTensorType(result.type)
    bins = type_.shape[0]
    zero = builder.constant(type_.element_type, 0)
    target = environment.allocate([bins], type_.element_type)
    environment.materialize(SplatBlock([bins], zero), target)
    for block in operands:
        environment.materialize(block)
    nest = Nest(builder)
    at, _ = nest.open_loop(operands[0].shape[0], 1)
    strip = Strip(nest, (at,), None, 1)
    number, *masks = [strip.evaluate(block) for block in operands]
    assert isinstance(number, Uniform)
    limit = builder.constant(number.value.type, bins)
    # An unsigned comparison excludes negative numbers too.
    counts = arith.cmpi(arith.CmpIPredicate.ult, number.value, limit)
    for mask in masks:
        assert isinstance(mask, Uniform)
        counts = arith.andi(counts, mask.value)

    def count() -> list[ir.Value]:
        place = [builder.to_index(number.value)]
        one = builder.constant(type_.element_type, 1)
        old = memref.load(target.buffer, place)
        memref.store(arith.addi(old, one), target.buffer, place)
        return []

    builder.if_(counts, [], count)
    while nest.loops:
        nest.close_loop()
    lowering.define(result, StoredBlock(target))


def lower_unsplat(lowering: Lowering, operation: ir.Operation) -> None:
    """Gives the one element of a block."""
    scalar = uniform_scalar(lowering, operation.operands[0])
    lowering.define(operation.results[0], scalar)


def lower_poison(lowering: Lowering, operation: ir.Operation) -> None:
    """Gives zero for a value that may be anything."""
    type_ = operation.results[0].type
    if isinstance(type_, ir.RankedTensorType):
        zero = lowering.builder.constant(type_.element_type, 0)
        lowering.define(operation.results[0], SplatBlock(type_.shape, zero))
    else:
        lowering.define(operation.results[0], lowering.builder.constant(type_, 0))


RULES: dict[str, Rule] = {
    "tt.join": lower_join,
    "tt.split": lower_split,
    "tt.cat": lower_cat,
    "tt.gather": lower_gather,
    "tt.histogram": lower_histogram,
    "tt.unsplat": lower_unsplat,
    "ub.poison": lower_poison,
}
