# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Integer and float arithmetic, comparisons, selection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..mlir import arith, ir
from . import lanes as lane_math
from .analysis import defining
from .builder import Builder
from .elementwise import define_elementwise, pointwise
from .float_formats import narrow_float, widen_float
from .lanes import Lanes, Uniform
from .pointers import is_pointer_like, lower_pointer_select

if TYPE_CHECKING:
    from .lower import Lowering, Rule

DIVISION_COST = 6.0
"""Cost of a division, in simple vector operations."""

_GENERIC = {
    "arith.addf": 1.0,
    "arith.subf": 1.0,
    "arith.mulf": 1.0,
    "arith.divf": DIVISION_COST,
    "arith.remf": 20.0,
    "arith.negf": 1.0,
    "arith.maxnumf": 2.0,
    "arith.minnumf": 2.0,
    "arith.maximumf": 2.0,
    "arith.minimumf": 2.0,
    "arith.cmpf": 1.0,
    "arith.cmpi": 1.0,
    "arith.andi": 1.0,
    "arith.ori": 1.0,
    "arith.xori": 1.0,
    "arith.maxsi": 1.0,
    "arith.minsi": 1.0,
    "arith.maxui": 1.0,
    "arith.minui": 1.0,
    "arith.shli": 1.0,
    "arith.shrsi": 1.0,
    "arith.shrui": 1.0,
    "arith.select": 1.0,
}
"""Operations that mean the same on vectors, and what they cost."""


def same_operation(
    operation: ir.Operation, element: ir.Type
) -> Callable[..., ir.Value]:
    """Gives a rule that emits `operation` itself, on scalars or vectors.

    Args:
        element: type of one element of the result.
    """
    name = operation.name
    attributes = {each: operation.attributes[each] for each in operation.attributes}

    def emit(builder: Builder, *operands: ir.Value) -> ir.Value:
        type_ = builder.like(operands[-1], element)
        return ir.Operation.create(
            name, results=[type_], operands=operands, attributes=attributes
        ).result

    return emit


def element_type(type_: ir.Type) -> ir.Type:
    """Gives the type of an element of a block, or of a scalar itself."""
    if isinstance(type_, ir.RankedTensorType):
        return type_.element_type
    return type_


def lower_same(lowering: Lowering, operation: ir.Operation) -> None:
    """Emits the operation as it is."""
    element = element_type(operation.results[0].type)
    rule = same_operation(operation, element)
    is_bf16 = isinstance(element, ir.BF16Type) and operation.name in _ROUNDING
    if is_bf16 and not lowering.builder.rounds_to_bf16:
        rule = _through_f32(same_operation(operation, lowering.builder.f32))
    define_elementwise(
        lowering, operation, pointwise(rule), cost=_GENERIC[operation.name]
    )


_ROUNDING = frozenset(
    {"arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.remf"}
)


def _through_f32(emit: Callable[..., ir.Value]) -> Callable[..., ir.Value]:
    def apply(builder: Builder, *operands: ir.Value) -> ir.Value:
        wide = [widen_float(builder, each, builder.f32) for each in operands]
        result = emit(builder, *wide)
        return narrow_float(builder, result, ir.BF16Type.get(), to_nearest=True)

    return apply


def lower_select(lowering: Lowering, operation: ir.Operation) -> None:
    """Selects numbers or pointers."""
    if is_pointer_like(operation.results[0].type):
        lower_pointer_select(lowering, operation)
    else:
        lower_same(lowering, operation)


def lower_float_minmax(lowering: Lowering, operation: ir.Operation) -> None:
    """Emits a minimum or maximum of floats; of 16-bit ones by comparing.

    IREE 3.13 breaks those of f16 that keep NaN, and LLVM calls libm for the others.
    """
    element = element_type(operation.results[0].type)
    if ir.FloatType(element).width != 16:
        lower_same(lowering, operation)
        return
    rule = short_minmax(operation.name.removeprefix("arith."))
    define_elementwise(lowering, operation, pointwise(rule), cost=4.0)


def short_minmax(name: str) -> Callable[[Builder, ir.Value, ir.Value], ir.Value]:
    """Gives a minimum or maximum of 16-bit floats, `name` as in `arith`."""
    keeps_nan = name in ("maximumf", "minimumf")
    is_max = name.startswith("max")
    order = arith.CmpFPredicate.OGT if is_max else arith.CmpFPredicate.OLT

    def emit(_: Builder, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
        nan = lhs if keeps_nan else rhs
        is_nan = arith.cmpf(arith.CmpFPredicate.UNO, nan, nan)
        takes_left = arith.ori(arith.cmpf(order, lhs, rhs), is_nan)
        return arith.select(takes_left, lhs, rhs)

    return emit


def _plain(name: str) -> Callable[[Builder, ir.Value, ir.Value], ir.Value]:
    emit = getattr(arith, name)
    return lambda _, lhs, rhs: emit(lhs, rhs)


def _affine_rule(
    rule: Callable[[Builder, Lanes, Lanes, int], Lanes],
) -> Rule:
    def lower(lowering: Lowering, operation: ir.Operation) -> None:
        define_elementwise(
            lowering,
            operation,
            lambda builder, lanes, width: rule(builder, lanes[0], lanes[1], width),
        )

    return lower


def _multiply(builder: Builder, lhs: Lanes, rhs: Lanes, width: int) -> Lanes:
    return lane_math.multiply(builder, lhs, rhs, width)


def _shift_left(builder: Builder, lanes: Sequence[Lanes], width: int) -> Lanes:
    """A shift by a constant is a product, which may be affine."""
    value, distance = lanes
    known = builder.known(distance.value) if isinstance(distance, Uniform) else None
    type_ = lane_math.element_of(value)
    if known is not None and 0 <= known < ir.IntegerType(type_).width - 1:
        factor = Uniform(builder.constant(type_, 1 << known))
        return lane_math.multiply(builder, value, factor, width)
    return pointwise(lambda _, lhs, rhs: arith.shli(lhs, rhs))(builder, lanes, width)


def lower_shift_left(lowering: Lowering, operation: ir.Operation) -> None:
    """Shifts left."""
    define_elementwise(lowering, operation, _shift_left)


def _safe_division(name: str) -> Callable[[Builder, ir.Value, ir.Value], ir.Value]:
    """Gives a division that does not trap, whatever stands in masked-off lanes."""
    emit = getattr(arith, name)
    is_signed = name.endswith("si")

    def divide(builder: Builder, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
        if _is_nonzero_constant(rhs):
            return emit(lhs, rhs)
        one = builder.one_like(rhs)
        zero = builder.zero_like(rhs)
        bad = arith.cmpi(arith.CmpIPredicate.eq, rhs, zero)
        if is_signed:
            # The smallest integer divided by -1 traps too.
            minus = arith.subi(zero, one)
            lowest = builder.lowest_like(lhs)
            is_minus = arith.cmpi(arith.CmpIPredicate.eq, rhs, minus)
            is_lowest = arith.cmpi(arith.CmpIPredicate.eq, lhs, lowest)
            bad = arith.ori(bad, arith.andi(is_minus, is_lowest))
        return emit(lhs, arith.select(bad, one, rhs))

    return divide


def _is_nonzero_constant(value: ir.Value) -> bool:
    operation = defining(value)
    if operation is None or operation.name != "arith.constant":
        return False
    attribute = operation.attributes["value"]
    if isinstance(attribute, ir.DenseElementsAttr):
        if not attribute.is_splat:
            return False
        attribute = attribute.get_splat_value()
    return ir.IntegerAttr(attribute).value not in (0, -1)


def _rounding_division(name: str) -> Rule:
    def lower(lowering: Lowering, operation: ir.Operation) -> None:
        rule = pointwise(_safe_division(name))
        define_elementwise(lowering, operation, rule, cost=3 * DIVISION_COST)

    return lower


def _division(sign: str, *, is_remainder: bool) -> Rule:
    divide, modulo = _safe_division(f"div{sign}"), _safe_division(f"rem{sign}")
    apply = lane_math.remainder if is_remainder else lane_math.quotient

    def rule(builder: Builder, lanes: Sequence[Lanes], width: int) -> Lanes:
        rules = lane_math.Division(
            quotient=lambda lhs, rhs: divide(builder, lhs, rhs),
            remainder=lambda lhs, rhs: modulo(builder, lhs, rhs),
        )
        return apply(builder, lanes[0], lanes[1], width, rules)

    def lower(lowering: Lowering, operation: ir.Operation) -> None:
        define_elementwise(lowering, operation, rule, cost=3 * DIVISION_COST)

    return lower


def lower_mulhiui(lowering: Lowering, operation: ir.Operation) -> None:
    """Gives the high half of an unsigned product."""

    def high(_: Builder, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
        return arith.mului_extended(lhs, rhs)[1]

    define_elementwise(lowering, operation, pointwise(high), cost=4.0)


def lower_clampf(lowering: Lowering, operation: ir.Operation) -> None:
    """Clamps a float; with `propagateNan` (0xFFFF in TTIR) a NaN stays a NaN."""
    propagates = ir.IntegerAttr(operation.attributes["propagateNan"]).value != 0
    names = ("maximumf", "minimumf") if propagates else ("maxnumf", "minnumf")
    largest, smallest = (short_minmax(name) for name in names)
    if ir.FloatType(element_type(operation.results[0].type)).width != 16:
        largest, smallest = (_plain(name) for name in names)

    def clamp(b: Builder, value: ir.Value, low: ir.Value, high: ir.Value) -> ir.Value:
        return smallest(b, largest(b, value, low), high)

    define_elementwise(lowering, operation, pointwise(clamp), cost=4.0)


RULES: dict[str, Rule] = {
    **dict.fromkeys(_GENERIC, lower_same),
    "arith.select": lower_select,
    "arith.maximumf": lower_float_minmax,
    "arith.minimumf": lower_float_minmax,
    "arith.maxnumf": lower_float_minmax,
    "arith.minnumf": lower_float_minmax,
    "arith.addi": _affine_rule(lane_math.add),
    "arith.subi": _affine_rule(lane_math.subtract),
    "arith.muli": _affine_rule(_multiply),
    "arith.shli": lower_shift_left,
    "arith.divsi": _division("si", is_remainder=False),
    "arith.divui": _division("ui", is_remainder=False),
    "arith.remsi": _division("si", is_remainder=True),
    "arith.remui": _division("ui", is_remainder=True),
    "arith.ceildivsi": _rounding_division("ceildivsi"),
    "arith.floordivsi": _rounding_division("floordivsi"),
    "tt.mulhiui": lower_mulhiui,
    "tt.clampf": lower_clampf,
}
