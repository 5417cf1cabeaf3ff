# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Elementary functions where IREE's own are missing or off: f32 and f64, a few ulp.

IREE links no libm, and its expansions of `exp2`, `sin` and `cos` lose many digits. The
polynomials are Chebyshev fits made with mpmath's `chebyfit` in 60 digits, highest power
first; the relative error of each is below a quarter of an ulp of its type.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..mlir import arith, ir, math
from .builder import Builder

_EXP2 = {
    32: (
        1.54614446985691291e-4,
        1.34004281776158379e-3,
        9.61805667852463808e-3,
        5.55032722667030206e-2,
        2.40226509222887581e-1,
        6.93147206702832596e-1,
        1.0,
    ),
    64: (
        2.57335683087568912e-11,
        4.45667534104920588e-10,
        7.05489438634834804e-9,
        1.0178051192960649e-7,
        1.3215486815999977e-6,
        1.52527338562934664e-5,
        1.54035303933627553e-4,
        1.33335581463903528e-3,
        9.61812910762848305e-3,
        5.5504108664821699e-2,
        2.40226506959100712e-1,
        6.93147180559945308e-1,
        1.0,
    ),
}
"""2**r for |r| <= 1/2."""

_SIN = (
    -7.57671471851011581e-13,
    1.60583245777929445e-10,
    -2.50521045588452155e-8,
    2.75573192127045032e-6,
    -1.98412698412517777e-4,
    8.33333333333331913e-3,
    -1.66666666666666666e-1,
    1.0,
)
"""sin(r) / r in powers of r**2, for |r| <= pi/4; the f32 one follows."""

_SIN_F32 = (
    -1.94972099136310542e-4,
    8.33198363709886453e-3,
    -1.66666496988653356e-1,
    9.99999996664371755e-1,
)

_COS = (
    4.73544568967252179e-14,
    -1.14702268881432278e-11,
    2.08767536902574266e-9,
    -2.75573192117642316e-7,
    2.480158730156069e-5,
    -1.38888888888888563e-3,
    4.16666666666666665e-2,
    -0.5,
    1.0,
)
"""cos(r) in powers of r**2, for |r| <= pi/4; the f32 one follows."""

_COS_F32 = (
    2.43713614596624629e-5,
    -1.38865267287785682e-3,
    4.16666136454912118e-2,
    -4.99999995832061681e-1,
    9.9999999994755674e-1,
)

_TANH = {
    32: (
        -6.1571165209350887e-3,
        2.09850091203099159e-2,
        -5.38295183713182685e-2,
        1.33323326329510915e-1,
        -3.33333066779221869e-1,
        9.99999998841054575e-1,
    ),
    64: (
        7.22958768782874044e-6,
        -3.2575084158446932e-5,
        9.36624897518033755e-5,
        -2.38077634482587468e-4,
        5.89794273014527419e-4,
        -1.45579856764426024e-3,
        3.59212424923442011e-3,
        -8.86323526056763974e-3,
        2.1869488523828171e-2,
        -5.39682539679175192e-2,
        1.33333333333328554e-1,
        -3.33333333333333307e-1,
        1.0,
    ),
}
"""tanh(x) / x in powers of x**2, for |x| <= 0.56."""

_ERF = (
    -4.23094582429533782e-12,
    8.70904512905310669e-11,
    -1.21645600572834501e-9,
    1.4792401209404813e-8,
    -1.63646421581676153e-7,
    1.64620454414684189e-6,
    -1.49256475675193321e-5,
    1.20553329028887354e-4,
    -8.5483270219348296e-4,
    5.22397762542329831e-3,
    -2.68661706451298408e-2,
    1.12837916709551202e-1,
    -3.76126389031837524e-1,
    1.12837916709551257,
)
"""erf(x) / x in powers of x**2, for |x| <= 1."""

_ERFC = (
    1.97698215734780206e-7,
    -1.75903236172305085e-7,
    -5.47268917453953326e-7,
    -3.85126726620604033e-7,
    1.1973024108745439e-6,
    3.74356527040123388e-6,
    1.39396121298674724e-6,
    -1.39608109229774634e-5,
    -2.75805256310027363e-5,
    2.75248192567574477e-5,
    1.74361239249746822e-4,
    4.35556376448252948e-5,
    -9.81977030406946714e-4,
    -8.47143252006873459e-4,
    6.99746173929699091e-3,
    3.73289240434489951e-3,
    -7.8978581015733147e-2,
    2.41658194242466357e-1,
    -4.27185847413958394e-1,
    2.55395676310505744e-1,
)
"""erfc(x) * exp(x**2) in powers of (x - 2) / (x + 2), for 1 <= x <= 6.3."""

_HALF_PI = (
    float.fromhex("0x1.921fb54442d18p+0"),
    float.fromhex("0x1.1a62633145c07p-54"),
    float.fromhex("-0x1.f1976b7ed8fbcp-110"),
)
_LN2 = (
    float.fromhex("0x1.62e42fefa39efp-1"),
    float.fromhex("0x1.abc9e3b39803fp-56"),
)
_LN2_F32 = (0.693145751953125, 1.42860682030941723212e-6)
_LOG2_E = 1.4426950408889634

_ROUNDER = {32: 12582912.0, 64: 6755399441055744.0}
"""1.5 * 2**23 and 1.5 * 2**52: a sum with them has the rounded integer in its low bits.
"""

_LARGEST_ANGLE = 1.0e9
"""Angles beyond lose digits: the quotient by pi/2 must fit 32 bits."""


class Emitter:
    """Emits arithmetic on scalars or vectors of one float type.

    Args:
        like: a value of the type.
    """

    def __init__(self, builder: Builder, like: ir.Value) -> None:
        self.builder = builder
        self.type = like.type
        is_vector = isinstance(like.type, ir.VectorType)
        self.element = like.type.element_type if is_vector else like.type
        self.width = ir.FloatType(self.element).width
        self.integer = ir.IntegerType.get_signless(self.width)
        self.integers = builder.like(like, self.integer)

    def number(self, value: float) -> ir.Value:
        """Gives a constant."""
        return self._splat(self.element, value)

    def whole(self, value: int) -> ir.Value:
        """Gives an integer constant of the same width."""
        return self._splat(self.integer, value)

    def _splat(self, element: ir.Type, value: float) -> ir.Value:
        scalar = self.builder.constant(element, value)
        if isinstance(self.type, ir.VectorType):
            return self.builder.broadcast(scalar, self.type.shape[0])
        return scalar

    def polynomial(self, x: ir.Value, coefficients: Sequence[float]) -> ir.Value:
        """Emits Horner's scheme, highest power first."""
        result = self.number(coefficients[0])
        for coefficient in coefficients[1:]:
            result = math.fma(result, x, self.number(coefficient))
        return result

    def at_most(self, x: ir.Value, limit: float) -> ir.Value:
        """Emits min(x, limit), NaN for NaN."""
        bound = self.number(limit)
        is_above = arith.cmpf(arith.CmpFPredicate.OGT, x, bound)
        return arith.select(is_above, bound, x)

    def at_least(self, x: ir.Value, limit: float) -> ir.Value:
        """Emits max(x, limit), NaN for NaN."""
        bound = self.number(limit)
        is_below = arith.cmpf(arith.CmpFPredicate.OLT, x, bound)
        return arith.select(is_below, bound, x)

    def nearest(self, x: ir.Value, factor: float) -> tuple[ir.Value, ir.Value]:
        """Emits the integer nearest to `x * factor`: as a float and as an integer."""
        rounder = self.number(_ROUNDER[self.width])
        shifted = math.fma(x, self.number(factor), rounder)
        bits = arith.bitcast(self.integers, shifted)
        zero = arith.bitcast(self.integers, rounder)
        return arith.subf(shifted, rounder), arith.subi(bits, zero)

    def scale(self, x: ir.Value, power: ir.Value) -> ir.Value:
        """Emits `x * 2**power`, in two steps, as 2**power itself may overflow."""
        half = arith.shrsi(power, self.whole(1))
        for part in (half, arith.subi(power, half)):
            x = arith.mulf(x, self._power_of_two(part))
        return x

    def _power_of_two(self, power: ir.Value) -> ir.Value:
        mantissa, bias = (23, 127) if self.width == 32 else (52, 1023)
        biased = arith.addi(power, self.whole(bias))
        return arith.bitcast(self.type, arith.shli(biased, self.whole(mantissa)))


def exp2(builder: Builder, x: ir.Value) -> ir.Value:
    """Emits 2 to the power of x."""
    emit = Emitter(builder, x)
    largest = 129.0 if emit.width == 32 else 1025.0
    smallest = -151.0 if emit.width == 32 else -1080.0
    x = emit.at_least(emit.at_most(x, largest), smallest)
    whole, power = emit.nearest(x, 1.0)
    rest = arith.subf(x, whole)
    return emit.scale(emit.polynomial(rest, _EXP2[emit.width]), power)


def exp(builder: Builder, x: ir.Value) -> ir.Value:
    """Emits e to the power of x."""
    emit = Emitter(builder, x)
    largest = 89.5 if emit.width == 32 else 710.5
    smallest = -104.5 if emit.width == 32 else -748.0
    x = emit.at_least(emit.at_most(x, largest), smallest)
    whole, power = emit.nearest(x, _LOG2_E)
    rest = x
    for part in _LN2_F32 if emit.width == 32 else _LN2:
        rest = math.fma(whole, emit.number(-part), rest)
    return emit.scale(emit.polynomial(rest, _exp_coefficients(emit.width)), power)


def _exp_coefficients(width: int) -> list[float]:
    """Gives those of e**r in powers of r: those of 2**s with s = r * log2(e)."""
    coefficients = _EXP2[width]
    degree = len(coefficients) - 1
    return [c * _LOG2_E ** (degree - n) for n, c in enumerate(coefficients)]


def log2(builder: Builder, x: ir.Value) -> ir.Value:
    """Emits the logarithm to base 2, through the natural one."""
    emit = Emitter(builder, x)
    return arith.mulf(math.log(x), emit.number(_LOG2_E))


def sin(builder: Builder, x: ir.Value) -> ir.Value:
    """Emits the sine."""
    return _circular(builder, x, quarter=0)


def cos(builder: Builder, x: ir.Value) -> ir.Value:
    """Emits the cosine."""
    return _circular(builder, x, quarter=1)


def _circular(builder: Builder, x: ir.Value, *, quarter: int) -> ir.Value:
    """Emits sin(x + quarter * pi/2).

    The angle is reduced in f64 with pi/2 in three parts, which is exact enough up to
    1e9; beyond, the result is some number in [-1, 1].
    """
    narrow = Emitter(builder, x)
    angle = x
    if narrow.width == 32:
        angle = arith.extf(builder.like(x, builder.f64), x)
    wide = Emitter(builder, angle)
    bounded = wide.at_least(wide.at_most(angle, _LARGEST_ANGLE), -_LARGEST_ANGLE)
    whole, turns = wide.nearest(bounded, 2.0 / 3.141592653589793)
    rest = bounded
    parts = _HALF_PI[:2] if narrow.width == 32 else _HALF_PI
    for part in parts:
        rest = math.fma(whole, wide.number(-part), rest)
    if narrow.width == 32:
        rest = arith.truncf(x.type, rest)
        turns = arith.trunci(narrow.integers, turns)
    turns = arith.addi(turns, narrow.whole(quarter))
    result = _on_quarter(narrow, rest, turns)
    # Infinities and NaN give NaN: their product with zero is one.
    return arith.addf(result, arith.mulf(x, narrow.number(0.0)))


def _on_quarter(emit: Emitter, rest: ir.Value, turns: ir.Value) -> ir.Value:
    is_narrow = emit.width == 32
    square = arith.mulf(rest, rest)
    odd = emit.polynomial(square, _SIN_F32 if is_narrow else _SIN)
    sine = arith.mulf(odd, rest)
    cosine = emit.polynomial(square, _COS_F32 if is_narrow else _COS)
    one, two = emit.whole(1), emit.whole(2)
    zero = emit.whole(0)
    ne = arith.CmpIPredicate.ne
    is_cosine = arith.cmpi(ne, arith.andi(turns, one), zero)
    is_negative = arith.cmpi(ne, arith.andi(turns, two), zero)
    value = arith.select(is_cosine, cosine, sine)
    return arith.select(is_negative, arith.negf(value), value)


def tanh(builder: Builder, x: ir.Value) -> ir.Value:
    """Emits the hyperbolic tangent."""
    emit = Emitter(builder, x)
    size = math.absf(x)
    small = arith.mulf(x, emit.polynomial(arith.mulf(x, x), _TANH[emit.width]))
    power = exp(builder, arith.mulf(size, emit.number(2.0)))
    one = emit.number(1.0)
    rest = arith.divf(emit.number(2.0), arith.addf(power, one))
    large = math.copysign(arith.subf(one, rest), x)
    is_small = arith.cmpf(arith.CmpFPredicate.OLT, size, emit.number(0.56))
    return arith.select(is_small, small, large)


def erf(builder: Builder, x: ir.Value) -> ir.Value:
    """Emits the error function of an f64."""
    emit = Emitter(builder, x)
    small = arith.mulf(x, emit.polynomial(arith.mulf(x, x), _ERF))
    size = emit.at_most(math.absf(x), 6.3)
    two = emit.number(2.0)
    place = arith.divf(arith.subf(size, two), arith.addf(size, two))
    tail = emit.polynomial(place, _ERFC)
    decay = exp(builder, arith.negf(arith.mulf(size, size)))
    one = emit.number(1.0)
    rest = arith.subf(one, arith.mulf(tail, decay))
    large = math.copysign(rest, x)
    is_small = arith.cmpf(arith.CmpFPredicate.OLT, math.absf(x), one)
    return arith.select(is_small, small, large)
