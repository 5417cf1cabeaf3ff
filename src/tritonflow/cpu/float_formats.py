# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Conversions of floats, where one operation does not say what Triton means."""

from __future__ import annotations

from ..mlir import arith, ir, math
from .builder import Builder


def widen_float(builder: Builder, value: ir.Value, target: ir.Type) -> ir.Value:
    """Emits a conversion to a wider float type, which is exact."""
    if ir.FloatType(_element(value)).width == 8 and target != builder.f32:
        # IREE converts formats of 8 bits from and to f32 only.
        value = arith.extf(builder.like(value, builder.f32), value)
        if ir.FloatType(target).width < 32:
            return arith.truncf(builder.like(value, target), value)
    if isinstance(_element(value), ir.BF16Type):
        value = widen_bf16(value)
    if _element(value) == target:
        return value
    return arith.extf(builder.like(value, target), value)


def widen_bf16(value: ir.Value) -> ir.Value:
    """Emits the conversion of a bf16, or a vector of them, to f32 as a shift of bits.

    IREE cancels an `extf` against the `truncf` that made the bf16, and the value would
    not have been rounded: `x - x.to(bfloat16)` would always be 0.
    """
    types: list[ir.Type] = [
        ir.IntegerType.get_signless(16),
        ir.IntegerType.get_signless(32),
        ir.F32Type.get(),
    ]
    if isinstance(value.type, ir.VectorType):
        types = [ir.VectorType.get(value.type.shape, each) for each in types]
    half, word, float_ = types
    sixteen: ir.Attribute = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), 16)
    if isinstance(word, ir.VectorType):
        sixteen = ir.DenseElementsAttr.get_splat(word, sixteen)
    bits = arith.extui(word, arith.bitcast(half, value))
    return arith.bitcast(float_, arith.shli(bits, arith.constant(word, sixteen)))


def narrow_float(
    builder: Builder, value: ir.Value, target: ir.Type, *, to_nearest: bool
) -> ir.Value:
    """Emits a conversion to a float type that is no wider."""
    source = _element(value)
    if source == target:
        return value
    if ir.FloatType(source).width == ir.FloatType(target).width:
        # Between f16 and bf16, or two formats of 8 bits: exactly through f32.
        value = arith.extf(builder.like(value, builder.f32), value)
    if ir.FloatType(target).width == 8 or source == builder.f64 != target:
        value = _as_f32(builder, value, will_round=ir.FloatType(target).width < 32)
    if target == builder.f32:
        return value
    if not to_nearest:
        value = _drop_low_bits(builder, value, target)
    if isinstance(target, ir.BF16Type) and not builder.rounds_to_bf16:
        return _round_to_bf16(builder, value)
    return arith.truncf(builder.like(value, target), value)


def _round_to_bf16(builder: Builder, value: ir.Value) -> ir.Value:
    """Emits the rounding of an f32 to the nearest bf16 in integer arithmetic."""
    words = builder.like(value, builder.i32)
    halves = builder.like(value, ir.IntegerType.get_signless(16))

    def number(value_: int) -> ir.Value:
        scalar = builder.constant(builder.i32, value_)
        if isinstance(words, ir.VectorType):
            return builder.broadcast(scalar, words.shape[0])
        return scalar

    bits = arith.bitcast(words, value)
    last = arith.andi(arith.shrui(bits, number(16)), number(1))
    rounded = arith.addi(bits, arith.addi(last, number(0x7FFF)))
    is_nan = arith.cmpf(arith.CmpFPredicate.UNO, value, value)
    quiet = arith.ori(bits, number(0x400000))
    kept = arith.shrui(arith.select(is_nan, quiet, rounded), number(16))
    bf16 = builder.like(value, ir.BF16Type.get())
    return arith.bitcast(bf16, arith.trunci(halves, kept))


def _as_f32(builder: Builder, value: ir.Value, *, will_round: bool) -> ir.Value:
    """Emits a float as an f32; of an f64 that will be rounded again, one that is odd.

    An odd last bit stands for all that was cut off, so that rounding twice is the same
    as rounding once.
    """
    width = ir.FloatType(_element(value)).width
    narrow = builder.like(value, builder.f32)
    if width < 32:
        return arith.extf(narrow, value)
    if width == 32:
        return value
    result = arith.truncf(narrow, value)
    if not will_round:
        return result
    back = arith.extf(value.type, result)
    is_inexact = arith.cmpf(arith.CmpFPredicate.ONE, back, value)
    went_up = arith.cmpf(arith.CmpFPredicate.OGT, math.absf(back), math.absf(value))
    bits_type = builder.like(value, builder.i32)
    bits = arith.bitcast(bits_type, result)
    cut = arith.subi(bits, arith.extui(bits_type, went_up))
    odd = arith.ori(cut, arith.extui(bits_type, is_inexact))
    return arith.bitcast(narrow, odd)


def _drop_low_bits(builder: Builder, value: ir.Value, target: ir.Type) -> ir.Value:
    """Clears the bits that the target has no room for: rounds towards zero."""
    value = _as_f32(builder, value, will_round=True)
    kept = _MANTISSA_BITS[str(target)]
    mask = -(1 << (23 - kept))
    bits_type = builder.like(value, builder.i32)
    bits = arith.bitcast(bits_type, value)
    keep = builder.constant(builder.i32, mask)
    if isinstance(bits_type, ir.VectorType):
        keep = builder.broadcast(keep, bits_type.shape[0])
    return arith.bitcast(value.type, arith.andi(bits, keep))


_MANTISSA_BITS = {
    "bf16": 7,
    "f16": 10,
    "f8E4M3FN": 3,
    "f8E5M2": 2,
    "f8E4M3FNUZ": 3,
    "f8E5M2FNUZ": 2,
}


def _element(value: ir.Value) -> ir.Type:
    type_ = value.type
    return type_.element_type if isinstance(type_, ir.VectorType) else type_
