# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`scf.while`: both of its regions hand values on, blocks through scratch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..mlir import ir, scf
from .control import enter_region
from .merged import Merge

if TYPE_CHECKING:
    from .lower import Lowering, Rule


def lower_while(lowering: Lowering, operation: ir.Operation) -> None:
    """Emits a loop that tests its condition first."""
    environment = lowering.environment
    enter_region(lowering, operation, runs_often=True)
    before, after = (region.blocks[0] for region in operation.regions)
    *testing, condition = [each.operation for each in before.operations]
    *working, terminator = [each.operation for each in after.operations]
    arguments = list(before.arguments)
    starts = list(operation.operands)
    into_test = Merge(lowering, arguments, [starts, list(terminator.operands)])
    results = list(operation.results)
    into_work = Merge(lowering, results, [list(condition.operands)[1:]])
    inits = into_test.enter([lowering.value(each) for each in starts])
    loop = scf.WhileOp(into_work.types, inits)
    test_block = loop.regions[0].blocks.append(*into_test.types)
    work_block = loop.regions[1].blocks.append(*into_work.types)
    with ir.InsertionPoint(test_block), environment.region():
        meanings = into_test.meanings(list(test_block.arguments))
        for name, meaning in zip(arguments, meanings, strict=True):
            lowering.define(name, meaning)
        lowering.lower_operations(testing)
        goes_on, *handed = [lowering.value(each) for each in condition.operands]
        assert isinstance(goes_on, ir.Value)
        with environment.operation():
            scf.ConditionOp(goes_on, into_work.enter(handed))
        lowering.release_operands(condition)
    with ir.InsertionPoint(work_block), environment.region():
        meanings = into_work.meanings(list(work_block.arguments))
        for name, meaning in zip(after.arguments, meanings, strict=True):
            lowering.define(name, meaning)
        lowering.lower_operations(working)
        values = [lowering.value(each) for each in terminator.operands]
        with environment.operation():
            scf.YieldOp(into_test.enter(values))
        lowering.release_operands(terminator)
    into_work.define(list(loop.results))


RULES: dict[str, Rule] = {"scf.while": lower_while}
