# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`inline-shape-functions`: a program with symbolic dimensions becomes one function.

JAX hands the dimensions from function to function as 0-d tensors. In one function they
can be followed back to the shapes that they come from. Programs whose shapes are all
known are left alone, functions and all.
"""

from __future__ import annotations

from ..mlir import PassManager, ir
from .base import ModulePass

_POLYMORPHIC = "jax.global_constant"


class InlineShapeFunctionsPass(ModulePass):
    """Inlines all private functions where dimensions are arguments."""

    name = "inline-shape-functions"

    def run(self, module: ir.Module) -> None:
        """Rewrites `module` if a private function takes a dimension."""
        if any(_takes_dimension(op.operation) for op in module.body.operations):
            PassManager.parse("builtin.module(inline,symbol-dce)").run(module.operation)


def _takes_dimension(operation: ir.Operation) -> bool:
    if operation.name != "func.func" or "arg_attrs" not in operation.attributes:
        return False
    arguments = ir.ArrayAttr(operation.attributes["arg_attrs"])
    return any(_POLYMORPHIC in entry for entry in map(ir.DictAttr, arguments))
