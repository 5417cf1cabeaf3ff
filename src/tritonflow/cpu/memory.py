# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Loads and stores of scalars and blocks, in the order in which they may matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..mlir import ir
from .aliasing import moves_in_lockstep
from .builder import Builder
from .contiguity import order_of_memory, permuted
from .lanes import Lanes, Uniform
from .memory_access import Memory, load_lanes, store_lanes
from .strips import Strip, for_each_strip
from .values import LOAD_COST, Block, Pointer, aligned, cost_of, reachable

if TYPE_CHECKING:
    from .lower import Lowering, Rule

GATHER_COST = 16.0
"""Cost of a load whose addresses are computed for each lane."""


class LoadBlock(Block):
    """Elements in memory, read when they are evaluated.

    Stores that may write them are emitted only after they were materialised.
    """

    def __init__(
        self, pointer: Pointer, memory: Memory, mask: Block | None, other: Block | None
    ) -> None:
        operands = [
            pointer.block,
            *(each for each in (mask, other) if each is not None),
        ]
        axes = frozenset().union(*(each.axes for each in operands))
        is_simple = pointer.block.is_symbolic and cost_of(pointer.block) < GATHER_COST
        super().__init__(
            pointer.block.shape,
            pointer.element,
            axes=axes,
            operands=operands,
            own_cost=LOAD_COST if is_simple else GATHER_COST,
        )
        self.pointer = pointer
        self.memory = memory
        self.mask = mask
        self.other = other

    def compute(self, strip: Strip, level: int) -> Lanes:
        """Emits the load of a strip."""
        offset = strip.evaluate(self.pointer.block)
        mask = None if self.mask is None else strip.evaluate(self.mask)
        other = None if self.other is None else strip.evaluate(self.other)
        with strip.nest.at(level):
            return load_lanes(
                strip.builder, self.memory, offset, mask, other, strip.width
            )


def lower_load(lowering: Lowering, operation: ir.Operation) -> None:
    """Loads a scalar now, a block when it is needed."""
    result = operation.results[0]
    pointer, mask, other = _load_operands(lowering, operation)
    memory = lowering.buffers.memory(pointer.root, pointer.element)
    if isinstance(pointer.offset, Block):
        assert mask is None or isinstance(mask, Block)
        assert other is None or isinstance(other, Block)
        block = _load_block(lowering.builder, pointer, memory, mask, other)
        lowering.define(result, lowering.loaded(result, block))
        return
    assert not isinstance(mask, Block)
    assert not isinstance(other, Block)
    lanes = load_lanes(
        lowering.builder,
        memory,
        Uniform(pointer.offset),
        None if mask is None else Uniform(mask),
        None if other is None else Uniform(other),
        1,
    )
    assert isinstance(lanes, Uniform)
    lowering.define(result, lowering.loaded(result, lanes.value))


def _load_block(
    builder: Builder,
    pointer: Pointer,
    memory: Memory,
    mask: Block | None,
    other: Block | None,
) -> Block:
    """Gives a load whose strips run along the axis that is contiguous in memory."""
    order = order_of_memory(builder, pointer.block)
    if order is None:
        return LoadBlock(pointer, memory, mask, other)
    turned = LoadBlock(
        Pointer(pointer.root, pointer.element, permuted(pointer.block, order)),
        memory,
        None if mask is None else permuted(mask, order),
        None if other is None else permuted(other, order),
    )
    return permuted(turned, [order.index(axis) for axis in range(len(order))])


def _load_operands(
    lowering: Lowering, operation: ir.Operation
) -> tuple[Pointer, ir.Value | Block | None, ir.Value | Block | None]:
    segments = list(ir.DenseI32ArrayAttr(operation.attributes["operandSegmentSizes"]))
    operands = list(operation.operands)
    pointer = lowering.pointer(operands[0])
    mask = other = None
    if segments[1]:
        mask = lowering.number(operands[1])
    if segments[2]:
        other = lowering.number(operands[1 + segments[1]])
    return pointer, mask, other


def lower_store(lowering: Lowering, operation: ir.Operation) -> None:
    """Stores a scalar or a block."""
    operands = list(operation.operands)
    pointer = lowering.pointer(operands[0])
    value = lowering.stored(operands[1])
    mask = lowering.number(operands[2]) if len(operands) > 2 else None
    memory = lowering.buffers.memory(pointer.root, pointer.element)
    if isinstance(pointer.offset, Block):
        assert isinstance(value, Block)
        assert mask is None or isinstance(mask, Block)
        _store_block(lowering, operation, pointer, memory, value, mask)
        return
    settle_loads(lowering, operation)
    assert not isinstance(value, Block)
    assert not isinstance(mask, Block)
    store_lanes(
        lowering.builder,
        memory,
        Uniform(pointer.offset),
        Uniform(value),
        None if mask is None else Uniform(mask),
        1,
    )


def _store_block(
    lowering: Lowering,
    operation: ir.Operation,
    pointer: Pointer,
    memory: Memory,
    value: Block,
    mask: Block | None,
) -> None:
    environment = lowering.environment
    settle_loads(lowering, operation)
    order = order_of_memory(lowering.builder, pointer.block)
    if order is not None:
        pointer = Pointer(pointer.root, pointer.element, permuted(pointer.block, order))
        value = permuted(value, order)
        mask = None if mask is None else permuted(mask, order)
    roots = [pointer.block, value, *([] if mask is None else [mask])]
    _settle_own_loads(lowering, pointer, roots)
    captures = environment.prepare(roots, value.shape)

    def body(strip: Strip) -> None:
        offset = strip.evaluate(pointer.block)
        lanes = strip.evaluate(value)
        mask_lanes = None if mask is None else strip.evaluate(mask)
        store_lanes(lowering.builder, memory, offset, lanes, mask_lanes, strip.width)

    for_each_strip(
        lowering.builder,
        value.shape,
        body,
        lanes=environment.lanes,
        captures=captures,
    )
    environment.finish(captures)


def settle_loads(lowering: Lowering, operation: ir.Operation) -> None:
    """Materialises the loads that are evaluated after `operation`, which may store.

    The loads that `operation` itself evaluates are left to the caller, as far as its
    own stores may overtake them.
    """
    environment = lowering.environment
    later = environment.live_blocks_after(operation)
    for block in list(reachable(later)):
        if isinstance(block, LoadBlock) and block.storage is None:
            environment.materialize(block)


def _settle_own_loads(lowering: Lowering, pointer: Pointer, roots: list[Block]) -> None:
    """Materialises what a store evaluates, but must have read before it writes."""
    here = aligned(roots)
    for block in list(reachable(roots)):
        if not isinstance(block, LoadBlock) or block.storage is not None:
            continue
        if block not in here or not moves_in_lockstep(block.pointer, pointer):
            lowering.environment.materialize(block)


RULES: dict[str, Rule] = {"tt.load": lower_load, "tt.store": lower_store}
