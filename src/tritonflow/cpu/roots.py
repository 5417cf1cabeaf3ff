# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What can be said of a TTIR value before the code that computes it is emitted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..mlir import ir
from .analysis import defining, is_block
from .values import Binding, Pointer

if TYPE_CHECKING:
    from .lower import Lowering

_SAME_ROOT = frozenset(
    {
        "tt.addptr",
        "tt.splat",
        "tt.broadcast",
        "tt.expand_dims",
        "tt.trans",
        "tt.reshape",
    }
)


def root_of(
    lowering: Lowering,
    value: ir.Value,
    assumed: dict[ir.Value, Binding | None] | None = None,
) -> Binding | None:
    """Gives the buffer that a pointer will point into; None if that is not certain.

    Args:
        assumed: roots of values that are still to be defined, as a loop's arguments.
    """
    while True:
        if assumed and value in assumed:
            return assumed[value]
        meaning = lowering.environment.get(value)
        if isinstance(meaning, Pointer):
            return meaning.root
        operation = defining(value)
        if operation is None or operation.name not in _SAME_ROOT:
            return None
        value = operation.operands[0]


def is_uniform(value: ir.Value) -> bool:
    """Whether a TTIR value is a scalar, or a block of surely equal elements."""
    if not is_block(value.type):
        return True
    operation = defining(value)
    if operation is None:
        return False
    name = operation.name
    if name == "tt.splat":
        return True
    if name == "arith.constant":
        return ir.DenseElementsAttr(operation.attributes["value"]).is_splat
    if name in ("tt.broadcast", "tt.expand_dims", "tt.reshape", "tt.trans"):
        return is_uniform(operation.operands[0])
    return name.startswith("arith.") and all(map(is_uniform, operation.operands))


def uniform_steps(argument: ir.Value, result: ir.Value) -> list[ir.Value] | None:
    """Gives the uniform values whose sum a loop adds to `argument` in one trip.

    None if `result`, what the loop yields for it, is not such a sum.
    """
    steps: list[ir.Value] = []
    value = result
    while value != argument:
        operation = defining(value)
        if operation is None or operation.name not in ("tt.addptr", "arith.addi"):
            return None
        lhs, rhs = operation.operands
        if is_uniform(rhs):
            value, step = lhs, rhs
        elif operation.name == "arith.addi" and is_uniform(lhs):
            value, step = rhs, lhs
        else:
            return None
        steps.append(step)
    return steps
