# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Structured control flow: `scf.for`, `scf.if`, calls of `noinline` functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..mlir import ir, scf
from .analysis import captured, contains_store
from .branches import lower_region
from .carried import Carried, plan_carried, write_blocks
from .materialize import REPEAT_LIMIT
from .memory import LoadBlock
from .merged import Merge
from .values import Block, Pointer, cost_of, reachable

if TYPE_CHECKING:
    from .lower import Lowering, Rule


def enter_region(
    lowering: Lowering, operation: ir.Operation, *, runs_often: bool
) -> None:
    """Materialises what must not, or had better not, be computed inside a region.

    Args:
        runs_often: whether the region is a loop's.
    """
    environment = lowering.environment
    if contains_store(operation):
        for block in list(reachable(environment.live_blocks())):
            if isinstance(block, LoadBlock) and block.storage is None:
                environment.materialize(block)
    if not runs_often:
        return
    for value in dict.fromkeys(captured(operation)):
        meaning = environment.get(value)
        if isinstance(meaning, Pointer):
            meaning = meaning.offset
        if isinstance(meaning, Block) and _is_better_hoisted(meaning):
            environment.materialize(meaning)


def _is_better_hoisted(block: Block) -> bool:
    if block.storage is not None or block.is_symbolic or not block.axes:
        return False
    has_loads = any(
        isinstance(each, LoadBlock) and each.storage is None
        for each in reachable([block])
    )
    return has_loads or cost_of(block) > REPEAT_LIMIT


def lower_for(lowering: Lowering, operation: ir.Operation) -> None:
    """Emits a loop; blocks that it carries stay in scratch, the rest in registers."""
    environment = lowering.environment
    enter_region(lowering, operation, runs_often=True)
    body = operation.regions[0].blocks[0]
    *inner, terminator = [each.operation for each in body.operations]
    carried = plan_carried(lowering, operation, terminator)
    inits = [init for each in carried for init in each.inits]
    start, stop, step = map(lowering.scalar, list(operation.operands)[:3])
    loop = scf.ForOp(start, stop, step, inits)
    if "unsignedCmp" in operation.attributes:
        loop.operation.attributes["unsignedCmp"] = operation.attributes["unsignedCmp"]
    with ir.InsertionPoint(loop.body), environment.region():
        lowering.define(body.arguments[0], loop.induction_variable)
        _define(lowering, list(body.arguments)[1:], carried, loop.inner_iter_args)
        lowering.lower_operations(inner)
        yields: list[ir.Value] = []
        current = list(loop.inner_iter_args)
        for each, operand in zip(carried, terminator.operands, strict=True):
            count = len(each.inits)
            yields.extend(each.next_values(lowering, operand, current[:count]))
            current = current[count:]
        with environment.operation():
            write_blocks(lowering, carried, list(terminator.operands))
        scf.YieldOp(yields)
        lowering.release_operands(terminator)
    _define(lowering, operation.results, carried, loop.results)


def _define(
    lowering: Lowering,
    names: Sequence[ir.Value],
    carried: Sequence[Carried],
    values: Sequence[ir.Value],
) -> None:
    left = list(values)
    for name, each in zip(names, carried, strict=True):
        count = len(each.inits)
        lowering.define(name, each.meaning(lowering, left[:count]))
        left = left[count:]


def lower_if(lowering: Lowering, operation: ir.Operation) -> None:
    """Emits a conditional; both branches put the blocks that it gives into scratch."""
    enter_region(lowering, operation, runs_often=False)
    merge = Merge(lowering, list(operation.results), _yields(operation))
    condition = lowering.scalar(operation.operands[0])
    regions = list(operation.regions)
    has_else = len(list(regions[1].blocks)) > 0
    conditional = scf.IfOp(condition, merge.types, has_else=has_else)
    targets = [each.blocks[0] for each in conditional.regions if len(each.blocks)]
    for region, target in zip(regions, targets, strict=False):
        *inner, terminator = [each.operation for each in region.blocks[0].operations]
        with ir.InsertionPoint(target), lowering.environment.region():
            lowering.lower_operations(inner)
            with lowering.environment.operation():
                values = [lowering.value(v) for v in terminator.operands]
                scf.YieldOp(merge.enter(values))
            lowering.release_operands(terminator)
    merge.define(list(conditional.results))


def _yields(operation: ir.Operation) -> list[list[ir.Value]]:
    found = []
    for region in operation.regions:
        for block in region.blocks:
            found.append(list(list(block.operations)[-1].operands))
    return found


def lower_call(lowering: Lowering, operation: ir.Operation) -> None:
    """Inlines the called function."""
    name = ir.FlatSymbolRefAttr(operation.attributes["callee"]).value
    callee = lowering.functions[name]
    arguments = [lowering.value(operand) for operand in operation.operands]
    if contains_store(callee):
        enter_region(lowering, operation, runs_often=False)
    results = lower_region(lowering, callee.regions[0], arguments)
    for result, value in zip(operation.results, results, strict=True):
        lowering.define(result, value)


RULES: dict[str, Rule] = {
    "scf.for": lower_for,
    "scf.if": lower_if,
    "tt.call": lower_call,
}
