# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`lower-triton-to-stream`: kernels for a CPU become IREE's own kind of executable.

    "triton.executable"() ({ "triton.executable.export"() ({ module {...} }) })

becomes

    stream.executable private @kernel_key {
      stream.executable.export public @kernel_key workgroups(...) -> (index, ...)
      builtin.module {...}
    }

and dispatches become `flow.dispatch @kernel_key::@kernel_key`. IREE compiles the code.
The function takes the executable's name, since IREE links executables into one library,
where specialisations of one kernel would clash.
"""

from __future__ import annotations

from ..dialect.base import find_ops
from ..dialect.executable import ExecutableOp, ExportOp
from ..mlir import ir
from .base import ModulePass
from .executables import create_executable, replace_dispatches


class LowerTritonToStreamPass(ModulePass):
    """Turns executables with code for a CPU into `stream.executable`."""

    name = "lower-triton-to-stream"

    def run(self, module: ir.Module) -> None:
        """Rewrites the CPU executables of `module` and their dispatches."""
        entry_points: dict[str, list[ir.SymbolRefAttr]] = {}
        for executable in list(find_ops(module.operation, ExecutableOp)):
            exports = list(executable.exports)
            if exports[0].parsed_target.backend != "cpu":
                continue
            symbol = executable.sym_name.value
            entry_points[symbol] = [ir.SymbolRefAttr.get([symbol, symbol])]
            _lower_executable(executable, exports[0])
        replace_dispatches(module, entry_points)


def _lower_executable(executable: ExecutableOp, export: ExportOp) -> None:
    operation, code = executable.operation, export.code
    if code is None:
        raise export.error("code", "got none, expected a `builtin.module`.")
    with operation.location:
        block = create_executable("stream.executable", executable)
        with ir.InsertionPoint(block):
            _create_export(executable.sym_name)
            end = ir.Operation.create("stream.executable.end")
        code.move_before(end)
        _rename(code, export.entry_point, executable.sym_name)
    operation.erase()


def _rename(code: ir.Operation, old: ir.StringAttr, new: ir.StringAttr) -> None:
    for operation in code.regions[0].blocks[0].operations:
        attributes = operation.attributes
        if "sym_name" in attributes and attributes["sym_name"] == old:
            attributes["sym_name"] = new


def _create_export(entry_point: ir.StringAttr) -> None:
    """Makes the export; its workgroups are the grid that the dispatch gives."""
    export = ir.Operation.create(
        "stream.executable.export",
        attributes={
            "sym_name": entry_point,
            "sym_visibility": ir.StringAttr.get("public"),
            "function_ref": ir.FlatSymbolRefAttr.get(entry_point.value),
        },
        regions=1,
    )
    location = ir.Location.current
    grid = export.regions[0].blocks.append(
        *[ir.IndexType.get()] * 3, arg_locs=[location] * 3
    )
    with ir.InsertionPoint(grid):
        ir.Operation.create("stream.return", operands=list(grid.arguments))
