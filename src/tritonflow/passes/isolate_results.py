# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`isolate-results`: no result of the program is folded into one of its arguments.

    func.func public @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %y = ...
      return %x, %y : tensor<4xf32>, tensor<4xf32>

becomes

      %0:2 = stablehlo.optimization_barrier %x, %y : tensor<4xf32>, tensor<4xf32>
      return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>

IREE 3.13 returns the buffer of an argument that is handed through before it decides
which updates may happen in place. Where `%y` is an update of `%x`, both results would
be the same memory, with the same, updated, values. The barrier keeps the two steps in
order and is gone before code is made.
"""

from __future__ import annotations

from ..dialect.shapes import dynamic_dimensions
from ..mlir import ir
from .base import ModulePass
from .entry_function import entry_function
from .scalar_folding import tensor_dim
from .signless import is_unsigned


class IsolateResultsPass(ModulePass):
    """Puts a barrier before the results of the entry function.

    Results of unsigned elements and sizes known at run time alone pass without one:
    IREE finds neither their sizes behind a barrier nor a way to say them.
    """

    name = "isolate-results"

    def run(self, module: ir.Module) -> None:
        """Rewrites the return of the entry function of `module`."""
        block = entry_function(module).regions[0].blocks[0]
        old = list(block.operations)[-1].operation
        results = list(old.operands)
        held = [i for i, result in enumerate(results) if _can_wait(result)]
        if not held:
            return
        with ir.InsertionPoint(old), old.location:
            barrier = ir.Operation.create(
                "stablehlo.optimization_barrier",
                results=[results[i].type for i in held],
                operands=[results[i] for i in held],
            )
            for i, after in zip(held, barrier.results, strict=True):
                results[i] = _with_shape_of(results[i], after)
            ir.Operation.create("func.return", operands=results)
        old.erase()


def _can_wait(value: ir.Value) -> bool:
    return ir.RankedTensorType(value.type).has_static_shape or not is_unsigned(value)


def _with_shape_of(result: ir.Value, after: ir.Value) -> ir.Value:
    """Gives `after` with the run-time sizes of `result`, which IREE cannot look up."""
    tensor = ir.RankedTensorType(result.type)
    sizes = [tensor_dim(result, dim) for dim in dynamic_dimensions(tensor)]
    if not sizes:
        return after
    return ir.Operation.create(
        "flow.tensor.tie_shape", results=[tensor], operands=[after, *sizes]
    ).results[0]
