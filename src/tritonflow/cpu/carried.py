# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What a loop carries from one trip to the next.

Scalars are carried as they are. A block of integers or pointers to which each trip adds
the same amount everywhere, as `ptrs += BLOCK_K`, is carried as the scalar sum. Any
other block stays in scratch and is overwritten at the end of a trip.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..mlir import ir
from . import lanes as lane_math
from .analysis import is_block
from .lanes import Uniform
from .memory_access import byte_width
from .pointers import absolute, is_pointer_like, target_of
from .roots import root_of, uniform_steps
from .scratch import Scratch
from .strips import Coordinate, Nest, Strip
from .values import (
    Binding,
    Block,
    ElementwiseBlock,
    Pointer,
    SplatBlock,
    StoredBlock,
    Value,
    aligned,
    reachable,
)

if TYPE_CHECKING:
    from .lower import Lowering


@dataclass(frozen=True)
class CarriedScalar:
    """A scalar number, or the offset of a scalar pointer."""

    inits: list[ir.Value]
    root: Binding | None = None
    pointee: ir.Type | None = None

    def meaning(self, lowering: Lowering, values: Sequence[ir.Value]) -> Value:
        """Gives the loop's argument or result."""
        if self.pointee is None:
            return values[0]
        return Pointer(self.root, self.pointee, values[0])

    def next_values(
        self, lowering: Lowering, operand: ir.Value, current: Sequence[ir.Value]
    ) -> list[ir.Value]:
        """Gives what the next trip gets."""
        value = lowering.value(operand)
        if isinstance(value, Pointer):
            same = value if self.root is not None else absolute(lowering, value)
            return [same.scalar]
        assert isinstance(value, ir.Value)
        return [value]


@dataclass(frozen=True)
class CarriedStep:
    """A block that grows by a uniform amount in each trip."""

    inits: list[ir.Value]
    start: Value
    steps: tuple[ir.Value, ...]

    def meaning(self, lowering: Lowering, values: Sequence[ir.Value]) -> Value:
        """Gives the first block plus what was added so far."""
        if isinstance(self.start, Pointer):
            offset = _plus(self.start.block, values[0])
            return Pointer(self.start.root, self.start.element, offset)
        assert isinstance(self.start, Block)
        return _plus(self.start, values[0])

    def next_values(
        self, lowering: Lowering, operand: ir.Value, current: Sequence[ir.Value]
    ) -> list[ir.Value]:
        """Gives what will have been added before the next trip."""
        builder = lowering.builder
        total = current[0]
        scale = 1
        if isinstance(self.start, Pointer) and self.start.root is None:
            scale = byte_width(self.start.element)
        for step in self.steps:
            amount = builder.cast_integer(uniform_scalar(lowering, step), total.type)
            amount = builder.mul(amount, builder.constant(total.type, scale))
            total = builder.add(total, amount)
        return [total]


@dataclass(frozen=True)
class CarriedBlock:
    """A block in scratch, or the offsets of a block of pointers."""

    scratch: Scratch
    root: Binding | None = None
    pointee: ir.Type | None = None

    @property
    def inits(self) -> list[ir.Value]:
        """Nothing is carried in registers."""
        return []

    def meaning(self, lowering: Lowering, values: Sequence[ir.Value]) -> Value:
        """Gives the scratch."""
        block = StoredBlock(self.scratch)
        if self.pointee is None:
            return block
        return Pointer(self.root, self.pointee, block)

    def next_values(
        self, lowering: Lowering, operand: ir.Value, current: Sequence[ir.Value]
    ) -> list[ir.Value]:
        """Nothing: `write_blocks` writes the scratch."""
        return []

    def source(self, lowering: Lowering, operand: ir.Value) -> Block:
        """Gives the block that the next trip gets."""
        value = lowering.value(operand)
        if isinstance(value, Pointer):
            same = value if self.root is not None else absolute(lowering, value)
            return same.block
        assert isinstance(value, Block)
        return value


Carried = CarriedScalar | CarriedStep | CarriedBlock


def uniform_scalar(lowering: Lowering, operand: ir.Value) -> ir.Value:
    """Emits the one element that all elements of a uniform TTIR value are."""
    value = lowering.value(operand)
    if isinstance(value, ir.Value):
        return value
    assert isinstance(value, Block)
    nest = Nest(lowering.builder)
    origin = Coordinate(lowering.builder.idx(0))
    lanes = Strip(nest, (origin,) * len(value.shape), None, 1).evaluate(value)
    assert isinstance(lanes, Uniform)
    return lanes.value


def plan_carried(
    lowering: Lowering, loop: ir.Operation, terminator: ir.Operation
) -> list[Carried]:
    """Decides how each value that a loop carries is carried, and emits its start."""
    arguments = list(loop.regions[0].blocks[0].arguments)[1:]
    inits = list(loop.operands)[3:]
    assumed = {
        argument: root_of(lowering, init)
        for argument, init in zip(arguments, inits, strict=True)
        if is_pointer_like(argument.type)
    }
    plans: list[Carried] = []
    for argument, init, result in zip(
        arguments, inits, terminator.operands, strict=True
    ):
        root = assumed.get(argument)
        if root is not None and root_of(lowering, result, assumed) != root:
            root = None
        plans.append(_plan(lowering, argument, init, result, root))
    return plans


def _plan(
    lowering: Lowering,
    argument: ir.Value,
    init: ir.Value,
    result: ir.Value,
    root: Binding | None,
) -> Carried:
    builder = lowering.builder
    start = lowering.value(init)
    pointee = None
    if isinstance(start, Pointer):
        pointee = target_of(argument.type)
        start = start if root is not None else absolute(lowering, start)
    if not is_block(argument.type):
        scalar = start.scalar if isinstance(start, Pointer) else start
        assert isinstance(scalar, ir.Value)
        return CarriedScalar([scalar], root, pointee)
    steps = uniform_steps(argument, result)
    if steps is not None and _counts(argument.type):
        type_ = builder.i64
        if not isinstance(start, Pointer):
            type_ = ir.RankedTensorType(argument.type).element_type
        for step in steps:
            lowering.environment.keep(step)
        return CarriedStep([builder.constant(type_, 0)], start, tuple(steps))
    block = start.block if isinstance(start, Pointer) else start
    assert isinstance(block, Block)
    scratch = lowering.environment.allocate(block.shape, block.element)
    lowering.environment.materialize(block, scratch)
    return CarriedBlock(scratch, root, pointee)


def _counts(type_: ir.Type) -> bool:
    element = ir.RankedTensorType(type_).element_type
    return is_pointer_like(type_) or isinstance(element, ir.IntegerType)


def _plus(block: Block, amount: ir.Value) -> Block:
    return ElementwiseBlock(
        block.shape,
        block.element,
        [block, SplatBlock(block.shape, amount)],
        lambda b, lanes, width: lane_math.add(b, lanes[0], lanes[1], width),
        name="arith.addi",
    )


def write_blocks(
    lowering: Lowering, carried: Sequence[Carried], operands: Sequence[ir.Value]
) -> None:
    """Emits the copies of what a loop yields into the scratch of its arguments.

    All of it is computed from the old contents: a block is written once no other block
    that is still to be written reads it, and goes through scratch of its own if there
    is no such order.
    """
    pending = [
        (each.scratch, each.source(lowering, operand))
        for each, operand in zip(carried, operands, strict=True)
        if isinstance(each, CarriedBlock)
    ]
    pending = [
        (scratch, block) for scratch, block in pending if not _holds(block, scratch)
    ]
    environment = lowering.environment
    environment.pin([block for _, block in pending])
    while pending:
        ready = [job for job in pending if _may_be_written(job, pending)]
        if ready:
            scratch, block = ready[0]
            environment.materialize(block, scratch)
            pending.remove(ready[0])
            continue
        scratch, block = pending[0]
        copy = environment.allocate(block.shape, block.element)
        environment.materialize(block, copy)
        pending[0] = (scratch, StoredBlock(copy))


def _holds(block: Block, scratch: Scratch) -> bool:
    return block.storage is not None and block.storage.buffer == scratch.buffer


def _may_be_written(
    job: tuple[Scratch, Block], jobs: Sequence[tuple[Scratch, Block]]
) -> bool:
    target, source = job
    others = [block for scratch, block in jobs if scratch is not target]
    if any(_holds(each, target) for each in reachable(others)):
        return False
    here = aligned([source])
    return all(each in here for each in reachable([source]) if _holds(each, target))
