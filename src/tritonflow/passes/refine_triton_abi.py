# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`refine-triton-abi`: dispatches in the order and the words of the binary.

    %r = "triton.dispatch"(%gx, %gy, %gz, %x, %n) {parameters = [
        {operand = 0}, {result = 0}, {operand = 1}], ...}      // %n : i64

becomes, for a GPU,

    %e = flow.tensor.empty : tensor<...>
    %low, %high = ... : i32
    %r = "triton.dispatch"(%gx, %gy, %gz, %x, %e, %low, %high) {tied_operands = [1]}

Every result is tied to an argument, so that buffers stand where the kernel has them: a
result of its own starts as an empty tensor, or as zeros; scratch memory is one more
result that nobody reads. A CPU takes its arguments in the kernel's order as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..compiler.compiled import Abi
from ..dialect.base import find_ops
from ..dialect.dispatch import DispatchOp
from ..dialect.executable import ExecutableOp, ExportOp
from ..dialect.launch import LaunchParameter, decode_parameters
from ..dialect.shapes import dynamic_dimensions
from ..errors import UnsupportedError
from ..mlir import PassManager, arith, ir, source_location
from .alignment import Alignment
from .base import ModulePass
from .call_checks import constant_value
from .constant_words import split_words
from .private_buffers import create_copy, create_zeros, separate_written
from .scalar_folding import tensor_dim


class RefineTritonAbiPass(ModulePass):
    """Puts the arguments of every dispatch in the order that the binary takes."""

    name = "refine-triton-abi"

    def run(self, module: ir.Module) -> None:
        """Rewrites the dispatches of `module` and lays out its exports."""
        abis = {
            executable.sym_name.value: _refine_executable(executable)
            for executable in find_ops(module.operation, ExecutableOp)
        }
        dispatches = list(find_ops(module.operation, DispatchOp))
        if any(_updates_in_place(dispatch) for dispatch in dispatches):
            # What IREE will find to be one tensor has to be seen as one here.
            PassManager.parse("builtin.module(cse)").run(module.operation)
        alignment = Alignment(module)
        for dispatch in list(find_ops(module.operation, DispatchOp)):
            if not dispatch.is_refined:
                _refine_dispatch(dispatch, abis[dispatch.executable_name], alignment)


def _updates_in_place(dispatch: DispatchOp) -> bool:
    return not dispatch.is_refined and any(
        parameter.operand is not None and parameter.result is not None
        for parameter in decode_parameters(dispatch.parameters)
    )


@dataclass(frozen=True)
class _ExecutableAbi:
    """What all exports of an executable agree on; `abi` None is the kernel's order."""

    abi: Abi | None
    scratch_bytes: int
    scratch_padding: int
    needs_empty_grid: bool


def _refine_executable(executable: ExecutableOp) -> _ExecutableAbi:
    exports = list(executable.exports)
    if exports[0].parsed_target.backend == "cpu":
        return _ExecutableAbi(None, 0, 0, False)
    abis = {export.abi for export in exports}
    if len(abis) > 1:
        # One dispatch serves all variants, so they have to take the same arguments.
        raise UnsupportedError(
            f"kernel `{exports[0].entry_point.value}`: its code for "
            f"{', '.join(str(e.parsed_target) for e in exports)} takes different "
            "arguments (scratch memory for some), expected the same.",
            at=source_location(executable.operation.location),
            hint="compile one artifact for each target",
        )
    for export in exports:
        export.layout = _pipeline_layout(export)
    return _ExecutableAbi(
        exports[0].abi,
        max(export.scratch_bytes.value for export in exports),
        # The kernel begins at the first address that is aligned as it wants it.
        max(_scratch_alignment(export) for export in exports),
        True,
    )


def _scratch_alignment(export: ExportOp) -> int:
    alignment = export.scratch_alignment
    return 1 if alignment is None else alignment.value


def _pipeline_layout(export: ExportOp) -> ir.Attribute:
    parameters, abi = export.kernel_parameters, export.abi
    bindings = [
        "storage_buffer" if parameters[index].is_written else "storage_buffer, ReadOnly"
        for index in abi.bindings
    ]
    bindings += ["storage_buffer"] * abi.has_scratch
    listed = ", ".join(f"#hal.pipeline.binding<{binding}>" for binding in bindings)
    return ir.Attribute.parse(
        f"#hal.pipeline.layout<constants = {len(abi.constants)}, bindings = [{listed}]>"
    )


def _refine_dispatch(
    dispatch: DispatchOp, executable: _ExecutableAbi, alignment: Alignment
) -> None:
    location = dispatch.operation.location
    with ir.InsertionPoint(dispatch.operation), location:
        refined = _Refinement(dispatch, executable, alignment).build()
    for old, new in zip(dispatch.results, refined.results, strict=False):
        old.replace_all_uses_with(new)
    dispatch.operation.erase()


class _Refinement:
    """Builds one dispatch in the binary's order, at the current insertion point."""

    def __init__(
        self, dispatch: DispatchOp, executable: _ExecutableAbi, alignment: Alignment
    ) -> None:
        self.dispatch = dispatch
        self.alignment = alignment
        self.abi = executable.abi
        self.scratch_bytes = executable.scratch_bytes
        self.scratch_padding = executable.scratch_padding
        self.parameters = decode_parameters(dispatch.parameters)
        self.grid = dispatch.grid
        if executable.needs_empty_grid:
            self.grid = _empty_if_any_empty(self.grid)
        self.result_types = [result.type for result in dispatch.results]
        self.result_dims = _dims_by_result(dispatch)
        self.arguments: list[ir.Value] = []
        self.argument_dims: list[ir.Value] = []
        self.ties = [-1] * len(self.result_types)
        self.fresh_types: list[ir.Type] = []
        self.has_zeros = False

    def build(self) -> DispatchOp:
        """Gives the new dispatch."""
        if self.abi is None:
            for parameter in self.parameters:
                self._add(parameter)
        else:
            self._add_abi(self.abi)
        arguments = separate_written(self.arguments, self.ties)
        return DispatchOp.create(
            results=self.result_types,
            location=self.dispatch.operation.location,
            entry_points=self.dispatch.entry_points,
            tied_operands=ir.DenseI64ArrayAttr.get(self.ties),
            grid=self.grid,
            arguments=arguments,
            argument_dims=self.argument_dims,
            result_dims=[dim for dims in self.result_dims for dim in dims],
        )

    def _add_abi(self, abi: Abi) -> None:
        for index in abi.bindings:
            self._add(self.parameters[index])
        if abi.has_scratch:
            self._add_scratch()
        words: dict[int, list[ir.Value]] = {}
        for index, word in abi.constants:
            if index not in words:
                words[index] = split_words(self._argument(self.parameters[index]))
            self.arguments.append(words[index][word])

    def _add(self, parameter: LaunchParameter) -> None:
        result = parameter.result
        if result is not None:
            self.ties[result] = len(self.arguments)
        if parameter.operand is None:
            assert result is not None
            dims = self.result_dims[result]
            is_zeroed = result in list(self.dispatch.zeroed)
            create = self._create_zeros if is_zeroed else self._create_fresh
            self.arguments.append(create(self.result_types[result], dims))
            self.argument_dims += dims
            return
        argument = self._argument(parameter)
        if self.abi is not None and self.alignment.may_be_odd(argument):
            argument = create_copy(argument)
        self.arguments.append(argument)
        for dimension in dynamic_dimensions(argument.type):
            self.argument_dims.append(tensor_dim(argument, dimension))

    def _create_fresh(self, tensor_type: ir.Type, dims: Sequence[ir.Value]) -> ir.Value:
        """Gives memory for one result, never the same as for another of this dispatch.

        IREE takes two empty tensors of one type for one value, and two results tied to
        it would share their memory. Allocations stay apart, but cost more.
        """
        is_first = tensor_type not in self.fresh_types
        self.fresh_types.append(tensor_type)
        name = "flow.tensor.empty" if is_first else "flow.tensor.alloca"
        return ir.Operation.create(
            name, results=[tensor_type], operands=list(dims)
        ).results[0]

    def _create_zeros(self, tensor_type: ir.Type, dims: Sequence[ir.Value]) -> ir.Value:
        """Gives zeros for one result, never the same as for another of this dispatch.

        The first zeros are a constant, which is the cheapest to fill memory with.
        """
        is_first = not self.has_zeros
        self.has_zeros = True
        return create_zeros(
            ir.RankedTensorType(tensor_type), dims, is_opaque=not is_first
        )

    def _add_scratch(self) -> None:
        """Adds memory for all workgroups, as a result that nobody reads.

        As a result, so that IREE gives each dispatch memory of its own.
        """
        size = _index(self.scratch_bytes)
        for programs in self.grid:
            size = arith.muli(size, programs)
        # Never empty: a binding of no bytes is a null pointer.
        size = arith.addi(size, _index(self.scratch_padding))
        i8 = ir.IntegerType.get_signless(8)
        scratch_type = ir.RankedTensorType.get([ir.ShapedType.get_dynamic_size()], i8)
        self.ties.append(len(self.arguments))
        self.arguments.append(self._create_fresh(scratch_type, [size]))
        self.argument_dims.append(size)
        self.result_types.append(scratch_type)
        self.result_dims.append([size])

    def _argument(self, parameter: LaunchParameter) -> ir.Value:
        assert parameter.operand is not None
        return self.dispatch.arguments[parameter.operand]


def _dims_by_result(dispatch: DispatchOp) -> list[list[ir.Value]]:
    dims = iter(dispatch.result_dims)
    return [
        [next(dims) for _ in dynamic_dimensions(result.type)]
        for result in dispatch.results
    ]


def _empty_if_any_empty(grid: Sequence[ir.Value]) -> list[ir.Value]:
    """Gives the grid with all of it 0 where any of it is 0.

    A GPU refuses a launch with some dimensions 0, and IREE skips one with all 0.
    """
    sizes = [constant_value(size) for size in grid]
    if 0 in sizes:
        return [_index(0)] * 3
    unknown = [s for s, size in zip(grid, sizes, strict=True) if size is None]
    if not unknown:
        return list(grid)
    zero = _index(0)
    is_empty: ir.Value | None = None
    for size in unknown:
        is_zero = arith.cmpi(0, size, zero)
        is_empty = is_zero if is_empty is None else arith.ori(is_empty, is_zero)
    return [arith.select(is_empty, zero, size) for size in grid]


def _index(value: int) -> ir.Value:
    index = ir.IndexType.get()
    return arith.constant(index, ir.IntegerAttr.get(index, value))
