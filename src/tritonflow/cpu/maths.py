# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Functions of the `math` dialect."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..mlir import arith, ir, math
from . import approximations
from .arith import DIVISION_COST, element_type, same_operation
from .builder import Builder
from .elementwise import define_elementwise, pointwise

if TYPE_CHECKING:
    from .lower import Lowering, Rule

COSTS = {
    "math.exp": 12.0,
    "math.exp2": 12.0,
    "math.log": 14.0,
    "math.log2": 14.0,
    "math.sin": 24.0,
    "math.cos": 24.0,
    "math.sqrt": DIVISION_COST,
    "math.rsqrt": DIVISION_COST,
    "math.erf": 20.0,
    "math.tanh": 20.0,
    "math.floor": 1.0,
    "math.ceil": 1.0,
    "math.absf": 1.0,
    "math.absi": 2.0,
    "math.fma": 1.0,
    "math.copysign": 2.0,
    "math.roundeven": 1.0,
    "math.trunc": 1.0,
    "math.powf": 40.0,
    "math.log1p": 20.0,
    "math.expm1": 20.0,
    "math.atan": 20.0,
}
"""What the functions cost, in simple vector operations."""

Function = Callable[[Builder, ir.Value], ir.Value]

OUR_OWN: dict[tuple[str, int], Function] = {
    ("math.exp", 32): approximations.exp,
    ("math.exp", 64): approximations.exp,
    ("math.exp2", 32): approximations.exp2,
    ("math.exp2", 64): approximations.exp2,
    ("math.log2", 64): approximations.log2,
    ("math.sin", 32): approximations.sin,
    ("math.sin", 64): approximations.sin,
    ("math.cos", 32): approximations.cos,
    ("math.cos", 64): approximations.cos,
    ("math.tanh", 32): approximations.tanh,
    ("math.tanh", 64): approximations.tanh,
    ("math.erf", 64): approximations.erf,
}
"""Functions, by width of the float, that IREE lacks or computes badly."""


def lower_math(lowering: Lowering, operation: ir.Operation) -> None:
    """Emits a function: IREE's, or ours where that is better."""
    element = element_type(operation.results[0].type)
    emit = same_operation(operation, element)
    if isinstance(element, ir.FloatType):
        emit = OUR_OWN.get((operation.name, ir.FloatType(element).width), emit)
    define_elementwise(lowering, operation, pointwise(emit), cost=COSTS[operation.name])


def lower_precise_sqrt(lowering: Lowering, operation: ir.Operation) -> None:
    """Emits a correctly rounded square root, which any is here."""
    rule = pointwise(lambda _, value: math.sqrt(value))
    define_elementwise(lowering, operation, rule, cost=DIVISION_COST)


def lower_precise_division(lowering: Lowering, operation: ir.Operation) -> None:
    """Emits a correctly rounded division, which any is here."""
    rule = pointwise(lambda _, lhs, rhs: arith.divf(lhs, rhs))
    define_elementwise(lowering, operation, rule, cost=DIVISION_COST)


RULES: dict[str, Rule] = {
    **dict.fromkeys(COSTS, lower_math),
    "tt.precise_sqrt": lower_precise_sqrt,
    "tt.precise_divf": lower_precise_division,
}
