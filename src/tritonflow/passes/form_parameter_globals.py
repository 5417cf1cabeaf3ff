# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`form-parameter-globals`: leading arguments become tensors of a weights file.

    func.func public @main(%w: tensor<4xf32>, %x: tensor<4xf32>) {...}

becomes

    util.global private @parameter_0 = #flow.parameter.named<"model"::"w">
        : tensor<4xf32>
    func.func public @main(%x: tensor<4xf32>) {
      %w = util.global.load immutable @parameter_0 : tensor<4xf32>
"""

from __future__ import annotations

from ..errors import PassError, UnsupportedError
from ..mlir import ir
from .base import ModulePass, ProgramParameter
from .entry_function import entry_function
from .signless import cast, signless_type

_ARGUMENT_ATTRIBUTES = "arg_attrs"


class FormParameterGlobalsPass(ModulePass):
    """Turns the arguments named in the options into `#flow.parameter.named` globals."""

    name = "form-parameter-globals"

    def run(self, module: ir.Module) -> None:
        """Rewrites the entry function of `module`."""
        parameters = self.options.parameters
        if not parameters:
            return
        function = entry_function(module)
        block = function.regions[0].blocks[0]
        _check(parameters, len(block.arguments))
        with ir.InsertionPoint.at_block_begin(module.body):
            for parameter in parameters:
                argument = block.arguments[parameter.argument]
                # IREE keeps the signs of integers out of its globals.
                _create_global(parameter, signless_type(argument.type))
        with ir.InsertionPoint.at_block_begin(block):
            for parameter in parameters:
                argument = block.arguments[parameter.argument]
                loaded = _load(parameter, signless_type(argument.type))
                argument.replace_all_uses_with(cast(loaded, argument.type))
        _erase_arguments(function, {parameter.argument for parameter in parameters})


def _check(parameters: tuple[ProgramParameter, ...], count: int) -> None:
    indices = [parameter.argument for parameter in parameters]
    if len(set(indices)) != len(indices):
        raise PassError(f"parameters: got arguments {indices}, expected no repeats.")
    for parameter in parameters:
        if not parameter.key.isprintable() or set(parameter.key) & set('"\\'):
            raise UnsupportedError(
                f"weight {parameter.key!r}: a name with quotes, backslashes or control "
                "characters cannot be stored.",
                hint="rename the key in the arguments' pytree",
            )
        if not 0 <= parameter.argument < count:
            raise PassError(
                f"parameter `{parameter.key}`: got argument {parameter.argument}, "
                f"expected one of the program's {count}."
            )


def _symbol(parameter: ProgramParameter) -> str:
    return f"parameter_{parameter.argument}"


def _create_global(parameter: ProgramParameter, tensor_type: ir.Type) -> None:
    scope = ir.StringAttr.get(parameter.scope)
    key = ir.StringAttr.get(parameter.key)
    ir.Operation.create(
        "util.global",
        attributes={
            "sym_name": ir.StringAttr.get(_symbol(parameter)),
            "sym_visibility": ir.StringAttr.get("private"),
            "type": ir.TypeAttr.get(tensor_type),
            "initial_value": ir.Attribute.parse(
                f"#flow.parameter.named<{scope}::{key}> : {tensor_type}"
            ),
        },
    )


def _load(parameter: ProgramParameter, tensor_type: ir.Type) -> ir.Value:
    operation = ir.Operation.create(
        "util.global.load",
        results=[tensor_type],
        attributes={
            "global": ir.FlatSymbolRefAttr.get(_symbol(parameter)),
            "is_immutable": ir.UnitAttr.get(),
        },
    )
    return operation.results[0]


def _erase_arguments(function: ir.Operation, erased: set[int]) -> None:
    """Removes arguments from a function, its type, and its argument attributes."""
    block = function.regions[0].blocks[0]
    kept = [i for i in range(len(block.arguments)) if i not in erased]
    for index in sorted(erased, reverse=True):
        block.erase_argument(index)
    function_type = ir.FunctionType(
        ir.TypeAttr(function.attributes["function_type"]).value
    )
    function.attributes["function_type"] = ir.TypeAttr.get(
        ir.FunctionType.get(
            [function_type.inputs[index] for index in kept], function_type.results
        )
    )
    if _ARGUMENT_ATTRIBUTES in function.attributes:
        attributes = ir.ArrayAttr(function.attributes[_ARGUMENT_ATTRIBUTES])
        function.attributes[_ARGUMENT_ATTRIBUTES] = ir.ArrayAttr.get(
            [attributes[index] for index in kept]
        )
