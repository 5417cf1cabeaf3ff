# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`lower-triton-to-hal`: kernels for a GPU become IREE executables with binaries.

    "triton.executable"() ({
      "triton.executable.export"() ({}) {target = "cuda:sm_90", ...}
    })

becomes

    hal.executable private @kernel_key {
      hal.executable.variant public @sm_90 target(...) objects([cubin]) {
        hal.executable.condition(%device) -> i1 { compute capability is 9.0 }
        hal.executable.export public @kernel ordinal(0) layout(...) count(...) {...}
            <workgroup_size = [128, 1, 1], workgroup_local_memory = 98304>
      }
    }

with a variant for each chip, the most specific first. IREE takes the first variant
whose condition holds. A cubin runs on later chips of its generation too; where there is
PTX of the oldest chip, it is the last variant and serves all later generations.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..dialect.base import find_ops
from ..dialect.executable import ExecutableOp, ExportOp
from ..mlir import ir
from .base import ModulePass
from .executables import create_executable, replace_dispatches
from .variant_conditions import create_condition

_EXECUTABLE_TARGETS = {
    "cuda": '#hal.executable.target<"cuda", "cuda-nvptx-fb">',
    "rocm": '#hal.executable.target<"rocm", "rocm-hsaco-fb", {abi = "hip"}>',
}
"""What IREE is told of the binaries: it generates no code for these variants."""


class LowerTritonToHalPass(ModulePass):
    """Turns executables with binaries for GPUs into `hal.executable`."""

    name = "lower-triton-to-hal"

    def run(self, module: ir.Module) -> None:
        """Rewrites the GPU executables of `module` and their dispatches."""
        entry_points: dict[str, list[ir.SymbolRefAttr]] = {}
        for executable in list(find_ops(module.operation, ExecutableOp)):
            exports = list(executable.exports)
            if exports[0].parsed_target.backend == "cpu":
                continue
            symbol = executable.sym_name.value
            entry_points[symbol] = _lower_executable(executable, exports)
        replace_dispatches(module, entry_points)


def _lower_executable(
    executable: ExecutableOp, exports: Sequence[ExportOp]
) -> list[ir.SymbolRefAttr]:
    operation, symbol = executable.operation, executable.sym_name.value
    with operation.location:
        block = create_executable("hal.executable", executable)
        with ir.InsertionPoint(block):
            names = [_create_binary_variant(export) for export in exports]
            names += _create_ptx_variant(exports[-1])
            ir.Operation.create("hal.executable_end")
    entry = exports[0].entry_point.value
    operation.erase()
    return [ir.SymbolRefAttr.get([symbol, name, entry]) for name in names]


def _create_binary_variant(export: ExportOp) -> str:
    name = export.sym_name.value
    _create_variant(export, name, export.objects[0], is_portable=False)
    return name


def _create_ptx_variant(export: ExportOp) -> list[str]:
    """Makes the fallback for chips later than `export`'s, if it has PTX."""
    if len(export.objects) < 2:
        return []
    name = f"{export.sym_name.value}_ptx"
    _create_variant(export, name, export.objects[1], is_portable=True)
    return [name]


def _create_variant(
    export: ExportOp, name: str, binary: ir.Attribute, *, is_portable: bool
) -> None:
    target = export.parsed_target
    variant = ir.Operation.create(
        "hal.executable.variant",
        attributes={
            "sym_name": ir.StringAttr.get(name),
            "sym_visibility": ir.StringAttr.get("public"),
            "target": ir.Attribute.parse(_EXECUTABLE_TARGETS[target.backend]),
            "objects": ir.ArrayAttr.get([binary]),
        },
        regions=1,
    )
    with ir.InsertionPoint(variant.regions[0].blocks.append()):
        if target.backend == "cuda":
            create_condition(target.capability, is_portable=is_portable)
        _create_export(export)
        ir.Operation.create("hal.executable.variant_end")


def _create_export(export: ExportOp) -> None:
    if export.layout is None:
        raise export.error("layout", "run `refine-triton-abi` first.")
    index = ir.IndexType.get()
    threads = export.num_warps.value * export.warp_size.value
    attributes = {
        "sym_name": export.entry_point,
        "sym_visibility": ir.StringAttr.get("public"),
        "ordinal": ir.IntegerAttr.get(index, 0),
        "layout": export.layout,
        "workgroup_size": ir.ArrayAttr.get(
            [ir.IntegerAttr.get(index, size) for size in (threads, 1, 1)]
        ),
    }
    if export.shared_bytes.value:
        attributes["workgroup_local_memory"] = ir.IntegerAttr.get(
            index, export.shared_bytes.value
        )
    operation = ir.Operation.create(
        "hal.executable.export", attributes=attributes, regions=2
    )
    device = ir.Type.parse("!hal.device")
    count = operation.regions[0].blocks.append(
        device, *[index] * 3, arg_locs=[ir.Location.current] * 4
    )
    with ir.InsertionPoint(count):
        ir.Operation.create("hal.return", operands=list(count.arguments)[1:])
