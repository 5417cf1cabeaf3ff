# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Atomic read-modify-write and compare-and-swap, one element after the other.

Every one is emitted with the strongest ordering: on a CPU it costs nothing more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..mlir import arith, ir
from .elementwise import as_block
from .lanes import Lanes, Uniform
from .memory import settle_loads
from .memory_access import Memory, raw_pointer
from .scratch import Scratch
from .strips import Nest, Strip
from .values import Block, Pointer, StoredBlock

if TYPE_CHECKING:
    from .builder import Builder
    from .lower import Lowering, Rule

# Triton's `RMWOp` to LLVM's `AtomicBinOp`.
_KINDS = {
    1: 3,  # and
    2: 5,  # or
    3: 6,  # xor
    4: 1,  # add
    5: 11,  # fadd
    6: 7,  # max
    7: 8,  # min
    8: 9,  # umax
    9: 10,  # umin
    10: 0,  # exchange
}
_ACQUIRE_RELEASE = 6
_ACQUIRE = 4

OneElement = Callable[[ir.Value, list[ir.Value]], ir.Value]
"""Emits an atomic on a pointer with scalar operands; gives the old value."""


def lower_atomic_rmw(lowering: Lowering, operation: ir.Operation) -> None:
    """Emits `tt.atomic_rmw`."""
    kind = ir.IntegerAttr(operation.attributes["atomic_rmw_op"]).value
    if kind not in _KINDS:
        raise lowering.unsupported(operation, f"of kind {kind}")
    operands = list(operation.operands)
    has_mask = len(operands) > 2
    builder = lowering.builder

    def modify(pointer: ir.Value, values: list[ir.Value]) -> ir.Value:
        return ir.Operation.create(
            "llvm.atomicrmw",
            results=[values[0].type],
            operands=[pointer, values[0]],
            attributes={
                "bin_op": builder.constant_attribute(_KINDS[kind]),
                "ordering": builder.constant_attribute(_ACQUIRE_RELEASE),
            },
        ).result

    _lower(lowering, operation, operands[:2], operands[2:] if has_mask else [], modify)


def lower_atomic_cas(lowering: Lowering, operation: ir.Operation) -> None:
    """Emits `tt.atomic_cas`."""
    builder = lowering.builder

    def swap(pointer: ir.Value, values: list[ir.Value]) -> ir.Value:
        expected, new = values
        element = expected.type
        if isinstance(element, ir.FloatType):
            integer = ir.IntegerType.get_signless(element.width)
            expected, new = (arith.bitcast(integer, each) for each in values)
        pair = ir.Type.parse(f"!llvm.struct<({expected.type}, i1)>")
        both = ir.Operation.create(
            "llvm.cmpxchg",
            results=[pair],
            operands=[pointer, expected, new],
            attributes={
                "success_ordering": builder.constant_attribute(_ACQUIRE_RELEASE),
                "failure_ordering": builder.constant_attribute(_ACQUIRE),
            },
        ).result
        old = ir.Operation.create(
            "llvm.extractvalue",
            results=[expected.type],
            operands=[both],
            attributes={"position": ir.DenseI64ArrayAttr.get([0])},
        ).result
        return old if old.type == element else arith.bitcast(element, old)

    _lower(lowering, operation, list(operation.operands), [], swap)


def _lower(
    lowering: Lowering,
    operation: ir.Operation,
    operands: list[ir.Value],
    masks: list[ir.Value],
    emit: OneElement,
) -> None:
    settle_loads(lowering, operation)
    pointer = lowering.pointer(operands[0])
    memory = lowering.buffers.memory(pointer.root, pointer.element)
    builder = lowering.builder
    result = operation.results[0]
    if not isinstance(pointer.offset, Block):
        values = [lowering.scalar(each) for each in operands[1:]]
        mask = lowering.scalar(masks[0]) if masks else None
        old = _guarded(builder, memory, pointer.offset, values, mask, emit)
        lowering.define(result, old)
        return
    shape = pointer.offset.shape
    blocks = [as_block(lowering, each, shape) for each in operands[1:]]
    mask_block = as_block(lowering, masks[0], shape) if masks else None
    target = None
    if any(True for _ in result.uses):
        target = lowering.environment.allocate(shape, pointer.element)
    _for_each_element(lowering, pointer, memory, blocks, mask_block, target, emit)
    if target is not None:
        lowering.define(result, StoredBlock(target))


def _for_each_element(
    lowering: Lowering,
    pointer: Pointer,
    memory: Memory,
    blocks: list[Block],
    mask: Block | None,
    target: Scratch | None,
    emit: OneElement,
) -> None:
    environment, builder = lowering.environment, lowering.builder
    offsets = pointer.block
    # What an atomic changes must not be read again behind it.
    for block in (*blocks, *([] if mask is None else [mask])):
        if not block.is_symbolic and block.axes:
            environment.materialize(block)
    if not offsets.is_symbolic and offsets.axes:
        environment.materialize(offsets)
    nest = Nest(builder)
    position = [nest.open_loop(extent, 1)[0] for extent in offsets.shape]
    strip = Strip(nest, tuple(position), None, 1)
    values = [_scalar(strip.evaluate(block)) for block in blocks]
    chosen = None if mask is None else _scalar(strip.evaluate(mask))
    place = _scalar(strip.evaluate(offsets))
    old = _guarded(builder, memory, place, values, chosen, emit)
    if target is not None:
        target.store(strip, Uniform(old))
    while nest.loops:
        nest.close_loop()


def _scalar(lanes: Lanes) -> ir.Value:
    assert isinstance(lanes, Uniform)
    return lanes.value


def _guarded(
    builder: Builder,
    memory: Memory,
    offset: ir.Value,
    values: list[ir.Value],
    mask: ir.Value | None,
    emit: OneElement,
) -> ir.Value:
    """Emits an atomic where the mask is set; elsewhere the old value is zero."""

    def act() -> list[ir.Value]:
        return [emit(raw_pointer(builder, memory, offset), values)]

    if mask is None:
        return act()[0]
    zero = builder.constant(values[0].type, 0)
    return builder.if_(mask, [values[0].type], act, lambda: [zero])[0]


RULES: dict[str, Rule] = {
    "tt.atomic_rmw": lower_atomic_rmw,
    "tt.atomic_cas": lower_atomic_cas,
}
