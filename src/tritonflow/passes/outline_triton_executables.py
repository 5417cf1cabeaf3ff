# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`outline-triton-executables`: `triton.call` becomes code and a launch of it.

    %r = "triton.call"(...) {callee = @kernel, kernel = "key", ...}

becomes

    "triton.executable"() ({
      "triton.executable.export"() ...
    }) {sym_name = "kernel_key"}
    %r = "triton.dispatch"(...) {entry_points = [@kernel_key::@sm_90, ...], ...}

Calls of one specialisation share an executable, which has an export for each target.
"""

from __future__ import annotations

import re
from typing import Any

from ..compiler.compiled import CompiledKernel
from ..dialect.base import TritonOp, find_ops
from ..dialect.call import CallOp
from ..dialect.dispatch import DispatchOp
from ..dialect.executable import ExecutableOp, ExportOp, encode_parameter
from ..errors import PassError
from ..mlir import ir, parse_module, source_location
from ..target import Target
from .base import ModulePass
from .call_checks import check_call, fit_arguments
from .kernel_table import kernels_of

_KEY_CHARS = 12
"""Characters of a kernel's key in its symbol: enough to keep symbols apart."""

_SPECIFIC_PTX = re.compile(r"^\.target\s+sm_\d+[af]", re.MULTILINE)
"""PTX for `sm_90a` and the like, which no other chip takes: no use as a fallback."""


class OutlineTritonExecutablesPass(ModulePass):
    """Makes an executable for each kernel that is called, and launches it."""

    name = "outline-triton-executables"

    def run(self, module: ir.Module) -> None:
        """Rewrites the calls of `module`."""
        kernels = kernels_of(module, self.options.kernels)
        executables: dict[str, _Executable] = {}
        block_begin = ir.InsertionPoint.at_block_begin(module.body)
        for call in list(find_ops(module.operation, CallOp)):
            key = call.kernel.value
            if key not in executables:
                by_target = self._code_of(call, kernels.get(key, {}))
                with block_begin:
                    executables[key] = _Executable(
                        call, by_target, self.options.with_kernel_ir
                    )
            executables[key].launch(call)

    def _code_of(
        self, call: CallOp, kernels: dict[Target, CompiledKernel]
    ) -> dict[Target, CompiledKernel]:
        """The kernel's code for each target, the target to prefer first."""
        targets = self.options.targets or tuple(kernels)
        for target in targets or (None,):
            if target not in kernels:
                raise PassError(
                    f"kernel `{call.callee.value}`: no code for target `{target}`.",
                    at=source_location(call.operation.location),
                )
        return {target: kernels[target] for target in by_preference(targets)}


def by_preference(targets: tuple[Target, ...]) -> list[Target]:
    """Gives the targets from the most to the least specific: newest chips first."""

    def newness(target: Target) -> tuple[int, str]:
        is_cuda = target.backend == "cuda"
        return (target.capability if is_cuda else 0, target.chip)

    return sorted(targets, key=newness, reverse=True)


class _Executable:
    """The executable of one kernel, and the calls of it."""

    def __init__(
        self,
        call: CallOp,
        kernels: dict[Target, CompiledKernel],
        with_kernel_ir: bool,
    ) -> None:
        self._kernels = kernels
        key = call.kernel.value
        symbol = re.sub(r"\W", "_", f"{call.callee.value}_{key[:_KEY_CHARS]}")
        executable = ExecutableOp.create(
            location=call.operation.location,
            sym_name=ir.StringAttr.get(symbol),
            kernel=call.kernel,
        )
        with ir.InsertionPoint(executable.operation.regions[0].blocks[0]):
            for target, kernel in kernels.items():
                _create_export(target, kernel, call.operation.location)
            if with_kernel_ir:
                _append_module(executable, next(iter(kernels.values())).ttir)
        self._entry_points = ir.ArrayAttr.get(
            [
                ir.SymbolRefAttr.get([symbol, export.sym_name.value])
                for export in executable.exports
            ]
        )

    def launch(self, call: CallOp) -> None:
        """Replaces `call` by a dispatch. Raises SignatureError if it does not fit."""
        for target, kernel in self._kernels.items():
            check_call(call, kernel, target)
        location = call.operation.location
        with ir.InsertionPoint(call.operation), location:
            dispatch = DispatchOp.create(
                results=[result.type for result in call.results],
                location=location,
                entry_points=self._entry_points,
                parameters=call.parameters,
                zeroed=call.zeroed,
                grid=call.grid,
                arguments=fit_arguments(call, next(iter(self._kernels.values()))),
                result_dims=call.result_dims,
            )
        for old, new in zip(call.results, dispatch.results, strict=True):
            old.replace_all_uses_with(new)
        call.operation.erase()


def _create_export(
    target: Target, kernel: CompiledKernel, location: ir.Location
) -> None:
    i64 = ir.IntegerType.get_signless(64)

    def number(value: int) -> ir.IntegerAttr:
        return ir.IntegerAttr.get(i64, value)

    export = ExportOp.create(
        location=location,
        sym_name=ir.StringAttr.get(re.sub(r"\W", "_", target.chip)),
        entry_point=ir.StringAttr.get(kernel.name),
        target=ir.StringAttr.get(str(target)),
        parameters=ir.ArrayAttr.get([encode_parameter(p) for p in kernel.parameters]),
        num_warps=number(kernel.num_warps),
        warp_size=number(kernel.warp_size),
        shared_bytes=number(kernel.shared_bytes),
        scratch_bytes=number(kernel.scratch_bytes),
        scratch_alignment=number(kernel.scratch_alignment)
        if kernel.scratch_bytes
        else None,
        **_gpu_fields(target, kernel),
    )
    if target.backend == "cpu":
        _append_module(export, kernel.cpu_code)


def _gpu_fields(target: Target, kernel: CompiledKernel) -> dict[str, Any]:
    if target.backend == "cpu":
        return {}
    if kernel.abi is None:
        raise PassError(f"kernel `{kernel.name}` for `{target}` has no ABI.")
    suffix = "cubin" if target.backend == "cuda" else "hsaco"
    objects = [_executable_object(f"{kernel.name}.{suffix}", kernel.binary)]
    if kernel.ptx and not _SPECIFIC_PTX.search(kernel.ptx):
        objects.append(_executable_object(f"{kernel.name}.ptx", kernel.ptx.encode()))
    return {
        "bindings": ir.DenseI64ArrayAttr.get(list(kernel.abi.bindings)),
        "constants": ir.DenseI64ArrayAttr.get(
            [number for pair in kernel.abi.constants for number in pair]
        ),
        "has_scratch": ir.BoolAttr.get(kernel.abi.has_scratch),
        "objects": ir.ArrayAttr.get(objects),
    }


def _executable_object(path: str, content: bytes) -> ir.Attribute:
    """A binary as IREE's attribute, with its bytes in it: nothing is read from disk."""
    return ir.Attribute.parse(
        f"#hal.executable.object<{{path = {ir.StringAttr.get(path)}, "
        f'data = dense<"0x{content.hex()}"> : vector<{len(content)}xi8>}}>'
    )


def _append_module(op: TritonOp, text: str) -> None:
    """Parses a module and puts it at the end of the block of `op`."""
    module = parse_module(text, op.operation.context)
    block = op.operation.regions[0].blocks[0]
    block.append(module.operation.clone(ip=False))
