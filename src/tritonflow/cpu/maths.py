# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Functions of the `math` dialect and of libdevice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..mlir import arith, ir, math
from .arith import DIVISION_COST, element_type, same_operation
from .elementwise import define_elementwise, pointwise

if TYPE_CHECKING:
    from .lower import Lowering, Rule

_COSTS = {
    "math.exp": 12.0,
    "math.exp2": 12.0,
    "math.log": 14.0,
    "math.log2": 14.0,
    "math.sin": 20.0,
    "math.cos": 20.0,
    "math.sqrt": DIVISION_COST,
    "math.rsqrt": DIVISION_COST,
    "math.erf": 20.0,
    "math.tanh": 16.0,
    "math.floor": 1.0,
    "math.ceil": 1.0,
    "math.absf": 1.0,
    "math.absi": 2.0,
    "math.fma": 1.0,
}


def lower_math(lowering: Lowering, operation: ir.Operation) -> None:
    """Emits the function as it is."""
    element = element_type(operation.results[0].type)
    rule = pointwise(same_operation(operation, element))
    define_elementwise(lowering, operation, rule, cost=_COSTS[operation.name])


def lower_precise_sqrt(lowering: Lowering, operation: ir.Operation) -> None:
    """Emits a correctly rounded square root, which any is here."""
    rule = pointwise(lambda _, value: math.sqrt(value))
    define_elementwise(lowering, operation, rule, cost=DIVISION_COST)


def lower_precise_division(lowering: Lowering, operation: ir.Operation) -> None:
    """Emits a correctly rounded division, which any is here."""
    rule = pointwise(lambda _, lhs, rhs: arith.divf(lhs, rhs))
    define_elementwise(lowering, operation, rule, cost=DIVISION_COST)


RULES: dict[str, Rule] = {
    **dict.fromkeys(_COSTS, lower_math),
    "tt.precise_sqrt": lower_precise_sqrt,
    "tt.precise_divf": lower_precise_division,
}
