# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Scalars as the 32-bit words in which IREE passes them to a GPU binary."""

from __future__ import annotations

from ..mlir import arith, ir

_WORD_BITS = 32


def split_words(value: ir.Value) -> list[ir.Value]:
    """Gives the bits of an integer or float as `i32` words, the low word first.

    Narrow values fill the low bits of one word, the rest of it zero.
    """
    bits = _bits(value)
    width = ir.IntegerType(bits.type).width
    word = ir.IntegerType.get_signless(_WORD_BITS)
    if width < _WORD_BITS:
        return [arith.extui(word, bits)]
    if width == _WORD_BITS:
        return [bits]
    words = []
    for shift in range(0, width, _WORD_BITS):
        amount = arith.constant(bits.type, ir.IntegerAttr.get(bits.type, shift))
        words.append(arith.trunci(word, arith.shrui(bits, amount)))
    return words


def _bits(value: ir.Value) -> ir.Value:
    if isinstance(value.type, ir.IntegerType):
        return value
    width = ir.FloatType(value.type).width
    return arith.bitcast(ir.IntegerType.get_signless(width), value)
