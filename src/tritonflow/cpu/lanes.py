# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What a strip of a block is while it is computed: uniform, affine, or a vector.

A strip is a run of elements along one axis. Most integers of a kernel are affine along
it (`pid * BLOCK + arange`), most row indices uniform; both cost scalar operations, and
tell without an analysis that a load is contiguous. Where that depends on numbers known
only at run time, the lanes are guarded: affine if a condition holds, else a vector.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..mlir import arith, ir
from .builder import Builder


@dataclass(frozen=True)
class Uniform:
    """The same scalar in every lane."""

    value: ir.Value


@dataclass(frozen=True)
class Affine:
    """Integers `base + lane * step`; both are scalars of the lanes' type."""

    base: ir.Value
    step: ir.Value


@dataclass(frozen=True)
class Guarded:
    """Affine lanes if `condition` (i1) holds; in general what `vector` emits."""

    condition: ir.Value
    affine: Affine
    vector: Callable[[], ir.Value]


@dataclass(frozen=True)
class Vector:
    """One SSA vector."""

    value: ir.Value


Lanes = Uniform | Affine | Guarded | Vector


def element_of(lanes: Lanes) -> ir.Type:
    """Gives the type of one lane."""
    match lanes:
        case Uniform(value):
            return value.type
        case Affine(base, _):
            return base.type
        case Guarded(_, affine, _):
            return affine.base.type
        case Vector(value):
            return ir.VectorType(value.type).element_type


def as_vector(builder: Builder, lanes: Lanes, width: int) -> ir.Value:
    """Emits the lanes as one vector."""
    match lanes:
        case Uniform(value):
            return builder.broadcast(value, width)
        case Affine(base, step):
            return _affine_vector(builder, base, step, width)
        case Guarded(condition, affine, vector):
            type_ = builder.vector_type(width, affine.base.type)
            return builder.if_(
                condition,
                [type_],
                lambda: [as_vector(builder, affine, width)],
                lambda: [vector()],
            )[0]
        case Vector(value):
            return value


def _affine_vector(
    builder: Builder, base: ir.Value, step: ir.Value, width: int
) -> ir.Value:
    if builder.known(step) == 0:
        return builder.broadcast(base, width)
    ramp = builder.iota(width, base.type)
    if builder.known(step) != 1:
        ramp = arith.muli(ramp, builder.broadcast(step, width))
    if builder.known(base) == 0:
        return ramp
    return arith.addi(ramp, builder.broadcast(base, width))


def add(builder: Builder, lhs: Lanes, rhs: Lanes, width: int) -> Lanes:
    """Gives the sum of two integer lanes, affine where both are."""
    return _linear(builder, lhs, rhs, width, builder.add, arith.addi)


def subtract(builder: Builder, lhs: Lanes, rhs: Lanes, width: int) -> Lanes:
    """Gives the difference of two integer lanes, affine where both are."""
    return _linear(builder, lhs, rhs, width, builder.sub, arith.subi)


def _linear(
    builder: Builder,
    lhs: Lanes,
    rhs: Lanes,
    width: int,
    scalar: Callable[[ir.Value, ir.Value], ir.Value],
    vector: Callable[[ir.Value, ir.Value], ir.Value],
) -> Lanes:
    if isinstance(lhs, Uniform) and isinstance(rhs, Uniform):
        return Uniform(scalar(lhs.value, rhs.value))

    def emit() -> ir.Value:
        return vector(as_vector(builder, lhs, width), as_vector(builder, rhs, width))

    if isinstance(lhs, Vector) or isinstance(rhs, Vector):
        return Vector(emit())
    left, right = affine_part(builder, lhs), affine_part(builder, rhs)
    total = Affine(scalar(left.base, right.base), scalar(left.step, right.step))
    return _guard(builder, conditions(lhs, rhs), total, emit)


def multiply(builder: Builder, lhs: Lanes, rhs: Lanes, width: int) -> Lanes:
    """Gives the product of two integer lanes, affine where one is uniform."""
    if isinstance(lhs, Uniform) and isinstance(rhs, Uniform):
        return Uniform(builder.mul(lhs.value, rhs.value))
    if isinstance(lhs, Uniform):
        lhs, rhs = rhs, lhs

    def emit() -> ir.Value:
        return arith.muli(
            as_vector(builder, lhs, width), as_vector(builder, rhs, width)
        )

    if isinstance(lhs, Vector) or not isinstance(rhs, Uniform):
        return Vector(emit())
    left = affine_part(builder, lhs)
    factor = rhs.value
    product = Affine(builder.mul(left.base, factor), builder.mul(left.step, factor))
    return _guard(builder, conditions(lhs), product, emit)


def extend(builder: Builder, lanes: Lanes, type_: ir.Type, width: int) -> Lanes:
    """Gives integer lanes in another integer type, sign-extended or truncated.

    Affine lanes are taken not to overflow inside a strip, as Triton's own analysis of
    contiguity takes them.
    """
    if element_of(lanes) == type_:
        return lanes

    def emit() -> ir.Value:
        source = as_vector(builder, lanes, width)
        target = builder.vector_type(width, type_)
        narrow = ir.IntegerType(element_of(lanes)).width
        if ir.IntegerType(type_).width > narrow:
            return arith.extsi(target, source)
        return arith.trunci(target, source)

    if isinstance(lanes, Uniform):
        return Uniform(builder.cast_integer(lanes.value, type_))
    if isinstance(lanes, Vector):
        return Vector(emit())
    part = affine_part(builder, lanes)
    wide = Affine(
        builder.cast_integer(part.base, type_), builder.cast_integer(part.step, type_)
    )
    return _guard(builder, conditions(lanes), wide, emit)


def remainder(
    builder: Builder, lhs: Lanes, rhs: Lanes, width: int, rules: Division
) -> Lanes:
    """Gives `lhs rem rhs`, affine as long as the strip does not wrap."""
    return _divide(builder, lhs, rhs, width, rules, is_remainder=True)


def quotient(
    builder: Builder, lhs: Lanes, rhs: Lanes, width: int, rules: Division
) -> Lanes:
    """Gives `lhs / rhs`, uniform as long as the strip does not wrap."""
    return _divide(builder, lhs, rhs, width, rules, is_remainder=False)


@dataclass(frozen=True)
class Division:
    """How to emit a division, on scalars and on vectors."""

    quotient: Callable[[ir.Value, ir.Value], ir.Value]
    remainder: Callable[[ir.Value, ir.Value], ir.Value]


def _divide(
    builder: Builder,
    lhs: Lanes,
    rhs: Lanes,
    width: int,
    rules: Division,
    *,
    is_remainder: bool,
) -> Lanes:
    divide = rules.remainder if is_remainder else rules.quotient
    if isinstance(lhs, Uniform) and isinstance(rhs, Uniform):
        return Uniform(divide(lhs.value, rhs.value))

    def emit() -> ir.Value:
        return divide(as_vector(builder, lhs, width), as_vector(builder, rhs, width))

    if not isinstance(lhs, Affine | Guarded) or not isinstance(rhs, Uniform):
        return Vector(emit())
    part = affine_part(builder, lhs)
    if builder.known(part.step) != 1:
        return Vector(emit())
    zero = builder.constant(part.base.type, 0)
    first = rules.remainder(part.base, rhs.value)
    last = builder.add(first, builder.constant(part.base.type, width - 1))
    starts_positive = arith.cmpi(arith.CmpIPredicate.sge, part.base, zero)
    fits = arith.cmpi(arith.CmpIPredicate.slt, last, rhs.value)
    guards = [*conditions(lhs), starts_positive, fits]
    result = Affine(first, part.step)
    if not is_remainder:
        result = Affine(rules.quotient(part.base, rhs.value), zero)
    return _guard(builder, guards, result, emit)


def affine_part(builder: Builder, lanes: Lanes) -> Affine:
    """Gives the affine form of lanes that have one."""
    if isinstance(lanes, Uniform):
        return Affine(lanes.value, builder.constant(lanes.value.type, 0))
    if isinstance(lanes, Guarded):
        return lanes.affine
    if isinstance(lanes, Affine):
        return lanes
    raise AssertionError("a vector has no affine form")


def conditions(*lanes: Lanes) -> list[ir.Value]:
    """Gives the conditions of the guarded ones among `lanes`."""
    return [each.condition for each in lanes if isinstance(each, Guarded)]


def _guard(
    builder: Builder,
    guards: list[ir.Value],
    affine: Affine,
    emit: Callable[[], ir.Value],
) -> Lanes:
    if not guards:
        return affine
    return Guarded(builder.conjunction(*guards), affine, emit)
