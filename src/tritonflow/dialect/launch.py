# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Where each parameter of a launched kernel comes from, as the `parameters` attribute.

One dictionary for each run-time parameter, in the kernel's order:

    {operand = 0 : i64}                  a buffer the kernel reads, or a scalar
    {result = 0 : i64}                   a fresh buffer that becomes a result
    {operand = 0 : i64, result = 1 : i64}  a buffer updated in place and returned

`operand` counts the operation's `arguments`, `result` its results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..mlir import ir
from .base import TritonOp


@dataclass(frozen=True)
class LaunchParameter:
    """Source of one kernel parameter: an argument, a result, or both (in place)."""

    operand: int | None = None
    result: int | None = None


def encode_parameters(parameters: Sequence[LaunchParameter]) -> ir.ArrayAttr:
    """Gives the `parameters` attribute. An MLIR context must be current."""
    i64 = ir.IntegerType.get_signless(64)

    def encode(parameter: LaunchParameter) -> ir.DictAttr:
        entries = {}
        if parameter.operand is not None:
            entries["operand"] = ir.IntegerAttr.get(i64, parameter.operand)
        if parameter.result is not None:
            entries["result"] = ir.IntegerAttr.get(i64, parameter.result)
        return ir.DictAttr.get(entries)

    return ir.ArrayAttr.get([encode(parameter) for parameter in parameters])


def decode_parameters(attribute: ir.ArrayAttr) -> tuple[LaunchParameter, ...]:
    """Gives what `encode_parameters` encoded; the attribute must have been verified."""

    def entry(dictionary: ir.DictAttr, name: str) -> int | None:
        return ir.IntegerAttr(dictionary[name]).value if name in dictionary else None

    return tuple(
        LaunchParameter(entry(dictionary, "operand"), entry(dictionary, "result"))
        for dictionary in map(ir.DictAttr, attribute)
    )


def verify_parameters(op: TritonOp, arguments: Sequence[ir.Value]) -> None:
    """Raises VerifyError unless the parameters use each argument and result once.

    A buffer returned in place has the type of the result that it becomes.
    """
    attribute = ir.ArrayAttr(op.operation.attributes["parameters"])
    for index, dictionary in enumerate(attribute):
        if not _is_launch_parameter(dictionary):
            raise op.error(
                "parameters",
                f"entry {index} is `{dictionary}`, expected a dictionary with integers "
                "`operand`, `result` or both.",
            )
    parameters = decode_parameters(attribute)
    results = op.results
    _verify_once(op, "operand", [p.operand for p in parameters], len(arguments))
    _verify_once(op, "result", [p.result for p in parameters], len(results))
    for parameter in parameters:
        if parameter.operand is None or parameter.result is None:
            continue
        given = arguments[parameter.operand].type
        returned = results[parameter.result].type
        if given != returned:
            raise op.error(
                "parameters",
                f"argument {parameter.operand} of type `{given}` is returned as result "
                f"{parameter.result} of type `{returned}`, expected one type.",
            )


def _is_launch_parameter(attribute: ir.Attribute) -> bool:
    if not isinstance(attribute, ir.DictAttr) or len(attribute) == 0:
        return False
    known = [name for name in ("operand", "result") if name in attribute]
    return len(known) == len(attribute) and all(
        isinstance(attribute[name], ir.IntegerAttr) for name in known
    )


def _verify_once(
    op: TritonOp, role: str, indices: Sequence[int | None], count: int
) -> None:
    used = sorted(index for index in indices if index is not None)
    if used != list(range(count)):
        raise op.error(
            "parameters",
            f"the {role}s named are {used}, expected each of the {count} {role}s once.",
        )
