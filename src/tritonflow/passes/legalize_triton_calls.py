# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`legalize-triton-calls`: calls as JAX exports them become `triton.call`.

    %g = ... : tensor<i32>
    %r = stablehlo.custom_call @tritonflow.call(%x, %g) {mhlo.backend_config = {...}}

becomes

    %r = "triton.call"(%gx, %gy, %gz, %x, %n) {callee = @kernel, kernel = "key", ...}

What the call reads out of shapes, its grid, its integers and the dimensions of its
results, becomes arithmetic on the host; constants become operands.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..dialect.call import CallOp
from ..dialect.launch import LaunchParameter, encode_parameters
from ..dialect.shapes import dynamic_dimensions
from ..errors import UnsupportedError
from ..mlir import arith, ir, walk
from .base import ModulePass
from .call_configuration import ArgumentSource, CallConfiguration
from .scalar_folding import ScalarFolder
from .signless import cast, signless, signless_type

CUSTOM_CALL_TARGET = "tritonflow.call"
"""Name of the custom call that `triton_call` becomes in StableHLO."""


class LegalizeTritonCallsPass(ModulePass):
    """Replaces every `stablehlo.custom_call @tritonflow.call` by a `triton.call`."""

    name = "legalize-triton-calls"

    def run(self, module: ir.Module) -> None:
        """Rewrites the calls of `module`."""
        calls = [op for op in walk(module.operation) if _is_triton_call(op)]
        sites = self.options.call_sites
        folder = ScalarFolder()
        for call in calls:
            configuration = CallConfiguration.read(call, sites)
            try:
                _legalize(call, configuration, folder)
            except UnsupportedError as error:
                # It knows the operation in the module; the user wrote the call.
                raise UnsupportedError(
                    f"call of kernel `{configuration.name}`: {error.message}",
                    at=configuration.location or error.at,
                    hint=error.hint,
                ) from error


def _is_triton_call(operation: ir.Operation) -> bool:
    return (
        operation.name == "stablehlo.custom_call"
        and ir.StringAttr(operation.attributes["call_target_name"]).value
        == CUSTOM_CALL_TARGET
    )


def _legalize(
    call: ir.Operation, configuration: CallConfiguration, folder: ScalarFolder
) -> None:
    location = configuration.mlir_location or call.location
    operands = list(call.operands)
    # Scalars are folded first, each behind the tensor that it replaces.
    run_time = {
        index: folder.scalar(operands[index])
        for index in configuration.run_time_operands
    }
    result_dims = _result_dimensions(call, configuration, folder)
    grid = [_grid_dimension(call, entry, folder) for entry in configuration.grid]
    with ir.InsertionPoint(call), location:
        arguments: list[ir.Value] = []
        parameters: list[LaunchParameter] = []
        for source in configuration.arguments:
            value = _argument(source, operands, run_time)
            position = None
            if value is not None:
                position = len(arguments)
                arguments.append(signless(value))
            parameters.append(LaunchParameter(position, source.result))
        op = CallOp.create(
            results=[signless_type(result.type) for result in call.results],
            location=location,
            callee=ir.FlatSymbolRefAttr.get(configuration.name),
            kernel=ir.StringAttr.get(configuration.kernel),
            parameters=encode_parameters(parameters),
            zeroed=ir.DenseI64ArrayAttr.get(list(configuration.zeroed)),
            grid=grid,
            arguments=arguments,
            result_dims=result_dims,
        )
        new_results = [
            cast(new, old.type)
            for old, new in zip(call.results, op.results, strict=True)
        ]
    for old, new in zip(list(call.results), new_results, strict=True):
        old.replace_all_uses_with(new)
    call.erase()


def _argument(
    source: ArgumentSource, operands: Sequence[ir.Value], run_time: dict[int, ir.Value]
) -> ir.Value | None:
    if source.constant is not None:
        return arith.constant(source.constant.type, source.constant)
    if source.operand is None:
        return None
    return run_time.get(source.operand, operands[source.operand])


def _grid_dimension(
    call: ir.Operation, entry: int | ArgumentSource, folder: ScalarFolder
) -> ir.Value:
    if isinstance(entry, ArgumentSource):
        assert entry.operand is not None
        return folder.index(call.operands[entry.operand])
    index = ir.IndexType.get()
    with ir.InsertionPoint(call):
        return arith.constant(index, ir.IntegerAttr.get(index, entry))


def _result_dimensions(
    call: ir.Operation, configuration: CallConfiguration, folder: ScalarFolder
) -> list[ir.Value]:
    """The dynamic dimensions of the results, from the call's shape operands."""
    dims: list[ir.Value] = []
    for index, result in enumerate(call.results):
        for dimension in dynamic_dimensions(result.type):
            operand = configuration.shape_operand(call, index)
            dims.append(folder.index(call.operands[operand], dimension))
    return dims
