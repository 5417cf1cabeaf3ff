# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`tt.extern_elementwise`: functions of NVIDIA's libdevice, by their names there.

Functions of f32 that IREE lacks are computed in f64, where short formulas leave enough
digits for a result that is right to an ulp or so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..mlir import arith, ir, math
from . import approximations as own
from .approximations import Emitter
from .arith import DIVISION_COST, element_type
from .builder import Builder
from .elementwise import ValueRule, define_elementwise, pointwise
from .float_formats import narrow_float

if TYPE_CHECKING:
    from .lower import Lowering, Rule

_PI = 3.141592653589793
_LOG10_2 = 0.3010299956639812
_LOG2_10 = 3.321928094887362

_ATAN = (
    0.0306594571753840729,
    -0.0587431320974369625,
    0.0756365334187216496,
    -0.0907838528229362276,
    0.111103845401118851,
    -0.142856904034899366,
    0.199999996044930859,
    -0.333333333308004933,
    0.999999999999973196,
)
"""atan(x) / x in powers of x**2 for |x| <= tan(pi/8), made as in `approximations`."""


def _through_f64(rule: ValueRule) -> ValueRule:
    """Gives a rule on f32 for one on f64; f64 operands are taken as they are."""

    def emit(builder: Builder, *operands: ir.Value) -> ir.Value:
        first = operands[0]
        if element_of(first) == builder.f64:
            return rule(builder, *operands)
        wide = [
            arith.extf(builder.like(each, builder.f64), each)
            if isinstance(element_of(each), ir.FloatType)
            else each
            for each in operands
        ]
        result = rule(builder, *wide)
        return narrow_float(builder, result, element_of(first), to_nearest=True)

    return emit


def element_of(value: ir.Value) -> ir.Type:
    """Gives the type of a scalar, or of a vector's lanes."""
    type_ = value.type
    return type_.element_type if isinstance(type_, ir.VectorType) else type_


def _plain(function: Callable[..., ir.Value]) -> ValueRule:
    return lambda _, *operands: function(*operands)


def _compare(predicate: arith.CmpFPredicate, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    return arith.cmpf(predicate, lhs, rhs)


def _where_small(
    emit: Emitter, x: ir.Value, limit: float, small: ir.Value, large: ir.Value
) -> ir.Value:
    is_small = _compare(arith.CmpFPredicate.OLT, math.absf(x), emit.number(limit))
    return arith.select(is_small, small, large)


def _by_width(name: str, ours: ValueRule, theirs: ValueRule) -> ValueRule:
    """Gives `ours` for the widths that the table of the `math` dialect has ours for."""
    from .maths import OUR_OWN

    def emit(builder: Builder, x: ir.Value) -> ir.Value:
        width = ir.FloatType(element_of(x)).width
        rule = ours if (name, width) in OUR_OWN else theirs
        return rule(builder, x)

    return emit


def _exp10(builder: Builder, x: ir.Value) -> ir.Value:
    emit = Emitter(builder, x)
    return own.exp2(builder, arith.mulf(x, emit.number(_LOG2_10)))


def _log10(builder: Builder, x: ir.Value) -> ir.Value:
    emit = Emitter(builder, x)
    return arith.mulf(own.log2(builder, x), emit.number(_LOG10_2))


def _expm1(builder: Builder, x: ir.Value) -> ir.Value:
    emit = Emitter(builder, x)
    series = emit.polynomial(x, (1 / 6, 0.5, 1.0))
    large = arith.subf(own.exp(builder, x), emit.number(1.0))
    return _where_small(emit, x, 1e-4, arith.mulf(series, x), large)


def _log1p(builder: Builder, x: ir.Value) -> ir.Value:
    emit = Emitter(builder, x)
    series = emit.polynomial(x, (1 / 3, -0.5, 1.0))
    large = math.log(arith.addf(x, emit.number(1.0)))
    return _where_small(emit, x, 1e-4, arith.mulf(series, x), large)


def _tan(builder: Builder, x: ir.Value) -> ir.Value:
    return arith.divf(own.sin(builder, x), own.cos(builder, x))


def _sinh(builder: Builder, x: ir.Value) -> ir.Value:
    emit = Emitter(builder, x)
    power = own.exp(builder, x)
    inverse = arith.divf(emit.number(1.0), power)
    large = arith.mulf(arith.subf(power, inverse), emit.number(0.5))
    series = emit.polynomial(arith.mulf(x, x), (1 / 6, 1.0))
    return _where_small(emit, x, 1e-4, arith.mulf(series, x), large)


def _cosh(builder: Builder, x: ir.Value) -> ir.Value:
    emit = Emitter(builder, x)
    power = own.exp(builder, x)
    inverse = arith.divf(emit.number(1.0), power)
    return arith.mulf(arith.addf(power, inverse), emit.number(0.5))


def _asinh(builder: Builder, x: ir.Value) -> ir.Value:
    emit = Emitter(builder, x)
    size = math.absf(x)
    root = math.sqrt(math.fma(x, x, emit.number(1.0)))
    large = math.copysign(math.log(arith.addf(size, root)), x)
    series = emit.polynomial(arith.mulf(x, x), (-1 / 6, 1.0))
    return _where_small(emit, x, 1e-4, arith.mulf(series, x), large)


def _acosh(builder: Builder, x: ir.Value) -> ir.Value:
    emit = Emitter(builder, x)
    root = math.sqrt(math.fma(x, x, emit.number(-1.0)))
    return math.log(arith.addf(x, root))


def _atanh(builder: Builder, x: ir.Value) -> ir.Value:
    emit = Emitter(builder, x)
    one = emit.number(1.0)
    ratio = arith.divf(arith.addf(one, x), arith.subf(one, x))
    large = arith.mulf(math.log(ratio), emit.number(0.5))
    series = emit.polynomial(arith.mulf(x, x), (1 / 3, 1.0))
    return _where_small(emit, x, 1e-4, arith.mulf(series, x), large)


def _atan(builder: Builder, x: ir.Value) -> ir.Value:
    """Reduces to |x| <= tan(pi/8) by atan(x) = pi/4 + atan((x - 1) / (x + 1)), ..."""
    emit = Emitter(builder, x)
    ogt = arith.CmpFPredicate.OGT
    size, one = math.absf(x), emit.number(1.0)
    is_large = _compare(ogt, size, emit.number(2.414213562373095))
    is_middle = _compare(ogt, size, emit.number(0.4142135623730951))
    inverse = arith.divf(emit.number(-1.0), size)
    turned = arith.divf(arith.subf(size, one), arith.addf(size, one))
    rest = arith.select(is_large, inverse, arith.select(is_middle, turned, size))
    middle = arith.select(is_middle, emit.number(_PI / 4), emit.number(0.0))
    start = arith.select(is_large, emit.number(_PI / 2), middle)
    odd = emit.polynomial(arith.mulf(rest, rest), _ATAN)
    return math.copysign(math.fma(odd, rest, start), x)


def _atan2(builder: Builder, y: ir.Value, x: ir.Value) -> ir.Value:
    emit = Emitter(builder, x)
    zero = emit.number(0.0)
    oeq = arith.CmpFPredicate.OEQ
    is_origin = arith.andi(_compare(oeq, x, zero), _compare(oeq, y, zero))
    quotient = arith.divf(y, arith.select(is_origin, emit.number(1.0), x))
    angle = _atan(builder, quotient)
    is_left = _compare(
        arith.CmpFPredicate.OLT, math.copysign(emit.number(1.0), x), zero
    )
    half_turn = math.copysign(emit.number(_PI), y)
    right = arith.select(is_origin, math.copysign(zero, y), angle)
    turned = arith.addf(arith.select(is_origin, zero, angle), half_turn)
    return arith.select(is_left, turned, right)


def _asin(builder: Builder, x: ir.Value) -> ir.Value:
    emit = Emitter(builder, x)
    one = emit.number(1.0)
    rest = math.sqrt(arith.mulf(arith.subf(one, x), arith.addf(one, x)))
    return _atan(builder, arith.divf(x, rest))


def _acos(builder: Builder, x: ir.Value) -> ir.Value:
    emit = Emitter(builder, x)
    return arith.subf(emit.number(_PI / 2), _asin(builder, x))


def _cbrt(builder: Builder, x: ir.Value) -> ir.Value:
    emit = Emitter(builder, x)
    power = arith.mulf(own.log2(builder, math.absf(x)), emit.number(1 / 3))
    return math.copysign(own.exp2(builder, power), x)


def _pow(builder: Builder, x: ir.Value, y: ir.Value) -> ir.Value:
    """Emits x**y with the special cases of C."""
    emit = Emitter(builder, x)
    oeq, une = arith.CmpFPredicate.OEQ, arith.CmpFPredicate.UNE
    zero, one = emit.number(0.0), emit.number(1.0)
    size = math.absf(x)
    power = own.exp2(builder, arith.mulf(y, own.log2(builder, size)))
    half = arith.mulf(y, emit.number(0.5))
    is_whole = _compare(oeq, math.floor(y), y)
    is_odd = arith.andi(is_whole, _compare(une, math.floor(half), half))
    is_negative = _compare(arith.CmpFPredicate.OLT, math.copysign(one, x), zero)
    signed = arith.select(arith.andi(is_negative, is_odd), arith.negf(power), power)
    is_below_zero = _compare(arith.CmpFPredicate.OLT, x, zero)
    is_finite = _compare(une, size, emit.number(float("inf")))
    has_no_value = arith.andi(
        arith.andi(is_below_zero, is_finite), _compare(une, math.floor(y), y)
    )
    result = arith.select(has_no_value, emit.number(float("nan")), signed)
    is_flat = arith.andi(
        _compare(oeq, size, one),
        _compare(oeq, math.absf(y), emit.number(float("inf"))),
    )
    is_one = arith.ori(_compare(oeq, y, zero), _compare(oeq, x, one))
    return arith.select(arith.ori(is_one, is_flat), one, result)


def _powi(builder: Builder, x: ir.Value, power: ir.Value) -> ir.Value:
    return _pow(builder, x, arith.sitofp(builder.like(x, element_of(x)), power))


def _round(builder: Builder, x: ir.Value) -> ir.Value:
    """Emits the nearest integer, halves away from zero."""
    emit = Emitter(builder, x)
    whole = math.trunc(x)
    rest = math.absf(arith.subf(x, whole))
    is_up = _compare(arith.CmpFPredicate.OGE, rest, emit.number(0.5))
    step = arith.select(is_up, emit.number(1.0), emit.number(0.0))
    return math.copysign(arith.addf(math.absf(whole), step), x)


def _to_whole(rounded: ValueRule, bits: int) -> ValueRule:
    def emit(builder: Builder, x: ir.Value) -> ir.Value:
        type_ = ir.IntegerType.get_signless(bits)
        return arith.fptosi(builder.like(x, type_), rounded(builder, x))

    return emit


def _flag(condition: Callable[[Emitter, ir.Value], ir.Value]) -> ValueRule:
    """Gives a rule for a test whose result is an i32."""

    def emit(builder: Builder, x: ir.Value) -> ir.Value:
        found = condition(Emitter(builder, x), x)
        return arith.extui(builder.like(x, builder.i32), found)

    return emit


def _is_nan(_: Emitter, x: ir.Value) -> ir.Value:
    return _compare(arith.CmpFPredicate.UNO, x, x)


def _is_infinite(emit: Emitter, x: ir.Value) -> ir.Value:
    return _compare(arith.CmpFPredicate.OEQ, math.absf(x), emit.number(float("inf")))


def _is_finite(emit: Emitter, x: ir.Value) -> ir.Value:
    return _compare(arith.CmpFPredicate.OLT, math.absf(x), emit.number(float("inf")))


def _sign_bit(emit: Emitter, x: ir.Value) -> ir.Value:
    zero = emit.number(0.0)
    return _compare(arith.CmpFPredicate.OLT, math.copysign(emit.number(1.0), x), zero)


def _find_first_set(builder: Builder, x: ir.Value) -> ir.Value:
    one, zero = builder.one_like(x), builder.zero_like(x)
    place = arith.addi(math.cttz(x), one)
    is_zero = arith.cmpi(arith.CmpIPredicate.eq, x, zero)
    found = arith.select(is_zero, zero, place)
    narrow = builder.like(x, builder.i32)
    return found if found.type == narrow else arith.trunci(narrow, found)


def _count(function: Callable[[ir.Value], ir.Value]) -> ValueRule:
    def emit(builder: Builder, x: ir.Value) -> ir.Value:
        narrow = builder.like(x, builder.i32)
        counted = function(x)
        return counted if counted.type == narrow else arith.trunci(narrow, counted)

    return emit


_NEAREST = _plain(math.roundeven)

FUNCTIONS: dict[str, tuple[ValueRule, float]] = {
    "exp": (_by_width("math.exp", own.exp, _plain(math.exp)), 12.0),
    "exp2": (own.exp2, 12.0),
    "exp10": (_through_f64(_exp10), 24.0),
    "expm1": (_through_f64(_expm1), 30.0),
    "log": (_plain(math.log), 14.0),
    "log2": (_by_width("math.log2", own.log2, _plain(math.log2)), 14.0),
    "log10": (_through_f64(_log10), 28.0),
    "log1p": (_through_f64(_log1p), 30.0),
    "sin": (own.sin, 24.0),
    "cos": (own.cos, 24.0),
    "tan": (_through_f64(_tan), 60.0),
    "sinh": (_through_f64(_sinh), 40.0),
    "cosh": (_through_f64(_cosh), 40.0),
    "tanh": (own.tanh, 20.0),
    "asin": (_through_f64(_asin), 50.0),
    "acos": (_through_f64(_acos), 50.0),
    "atan": (_through_f64(_atan), 40.0),
    "atan2": (_through_f64(_atan2), 50.0),
    "asinh": (_through_f64(_asinh), 50.0),
    "acosh": (_through_f64(_acosh), 50.0),
    "atanh": (_through_f64(_atanh), 50.0),
    "erf": (_by_width("math.erf", own.erf, _plain(math.erf)), 20.0),
    "cbrt": (_through_f64(_cbrt), 50.0),
    "pow": (_through_f64(_pow), 60.0),
    "powi": (_through_f64(_powi), 60.0),
    "sqrt": (_plain(math.sqrt), DIVISION_COST),
    "fsqrt_rn": (_plain(math.sqrt), DIVISION_COST),
    "dsqrt_rn": (_plain(math.sqrt), DIVISION_COST),
    "rsqrt": (_plain(math.rsqrt), DIVISION_COST),
    "fdiv_rn": (_plain(arith.divf), DIVISION_COST),
    "ddiv_rn": (_plain(arith.divf), DIVISION_COST),
    "fdivide": (_plain(arith.divf), DIVISION_COST),
    "fmod": (_plain(arith.remf), 20.0),
    "fma": (_plain(math.fma), 1.0),
    "fabs": (_plain(math.absf), 1.0),
    "abs": (_plain(math.absi), 1.0),
    "llabs": (_plain(math.absi), 1.0),
    "copysign": (_plain(math.copysign), 2.0),
    "floor": (_plain(math.floor), 1.0),
    "ceil": (_plain(math.ceil), 1.0),
    "trunc": (_plain(math.trunc), 1.0),
    "round": (_round, 6.0),
    "rint": (_NEAREST, 1.0),
    "nearbyint": (_NEAREST, 1.0),
    "llrint": (_to_whole(_NEAREST, 64), 3.0),
    "llround": (_to_whole(_round, 64), 8.0),
    "float2int_rn": (_to_whole(_NEAREST, 32), 3.0),
    "isnan": (_flag(_is_nan), 2.0),
    "isinf": (_flag(_is_infinite), 2.0),
    "finite": (_flag(_is_finite), 2.0),
    "isfinite": (_flag(_is_finite), 2.0),
    "signbit": (_flag(_sign_bit), 2.0),
    "ffs": (_find_first_set, 4.0),
    "ffsll": (_find_first_set, 4.0),
    "clz": (_count(math.ctlz), 2.0),
    "clzll": (_count(math.ctlz), 2.0),
    "popc": (_count(math.ctpop), 2.0),
    "popcll": (_count(math.ctpop), 2.0),
}
"""By libdevice's name, without `__nv_`, `fast_` and the letter of the type."""

_FEW_DIGITS_IN_F64 = frozenset(
    {"expm1", "log1p", "sinh", "asin", "acos", "atan", "atan2", "asinh", "atanh", "pow"}
    | {"powi", "cbrt", "acosh"}
)
"""Formulas that are good for f32 results only."""


def lower_extern_elementwise(lowering: Lowering, operation: ir.Operation) -> None:
    """Emits a function of libdevice."""
    symbol = ir.StringAttr(operation.attributes["symbol"]).value
    name = symbol.removeprefix("__nv_").removeprefix("fast_")
    if name not in FUNCTIONS and name[-1:] in ("f", "d"):
        name = name[:-1]
    is_f64 = element_type(operation.operands[0].type) == lowering.builder.f64
    if name not in FUNCTIONS or (is_f64 and name in _FEW_DIGITS_IN_F64):
        raise lowering.unsupported(operation, f"of `{symbol}`")
    rule, cost = FUNCTIONS[name]
    define_elementwise(lowering, operation, pointwise(rule), cost=cost)


RULES: dict[str, Rule] = {"tt.extern_elementwise": lower_extern_elementwise}
