# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Narrowing conversions of floats, where one operation does not say what Triton means."""

from __future__ import annotations

from ..mlir import arith, ir
from .builder import Builder


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
    if not to_nearest:
        value = _drop_low_bits(builder, value, target)
    return arith.truncf(builder.like(value, target), value)


def _drop_low_bits(builder: Builder, value: ir.Value, target: ir.Type) -> ir.Value:
    """Clears the bits of an f32 that the target has no room for: rounds towards zero."""
    if _element(value) != builder.f32:
        value = arith.extf(builder.like(value, builder.f32), value)
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
