# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What can be said of a TTIR value before the code that computes it is emitted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..mlir import ir
from .analysis import is_block
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
        owner = value.owner
        if isinstance(owner, ir.Block) or owner.name not in _SAME_ROOT:
            return None
        value = owner.operands[0]


def is_uniform(value: ir.Value) -> bool:
    """Whether a TTIR value is a scalar, or a block whose elements are certainly equal."""
    if not is_block(value.type):
        return True
    owner = value.owner
    if isinstance(owner, ir.Block):
        return False
    name = owner.name
    if name == "tt.splat":
        return True
    if name == "arith.constant":
        return ir.DenseElementsAttr(owner.attributes["value"]).is_splat
    if name in ("tt.broadcast", "tt.expand_dims", "tt.reshape", "tt.trans"):
        return is_uniform(owner.operands[0])
    return name.startswith("arith.") and all(map(is_uniform, owner.operands))


def uniform_steps(argument: ir.Value, result: ir.Value) -> list[ir.Value] | None:
    """Gives the uniform values whose sum a loop adds to `argument` in one trip.

    None if `result`, what the loop yields for it, is not such a sum.
    """
    steps: list[ir.Value] = []
    value = result
    while value != argument:
        owner = value.owner
        if isinstance(owner, ir.Block) or owner.name not in ("tt.addptr", "arith.addi"):
            return None
        lhs, rhs = owner.operands
        if is_uniform(rhs):
            value, step = lhs, rhs
        elif owner.name == "arith.addi" and is_uniform(lhs):
            value, step = rhs, lhs
        else:
            return None
        steps.append(step)
    return steps
