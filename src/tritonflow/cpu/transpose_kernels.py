# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Copies of blocks into scratch: row by row, and transposing 16x16 pieces.

Code size does not depend on the block: every copy is a loop nest around one strip or
one square piece.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..mlir import arith, ir, scf, vector
from .dot_operands import StripLoader

TRANSPOSE_EDGE = 16
"""Rows and columns of a transposed piece. Source: facts measured with IREE 3.13."""

StripStore = Callable[[ir.Value, ir.Value, ir.Value], None]
"""`store(row, column, strip)` puts a vector at `[row, column...]`."""


def index_constant(value: int) -> ir.Value:
    """Emits a constant of index type."""
    return arith.constant(ir.IndexType.get(), value)


def loop(count: int, step: int = 1, *, start: int = 0) -> Iterator[ir.Value]:
    """Emits `scf.for` up to `count`; the body is what the `for` statement emits."""
    bounds = [index_constant(value) for value in (start, count, step)]
    for position in scf.for_(*bounds):
        yield position
        scf.yield_([])


def widen(value: ir.Value, element: ir.Type) -> ir.Value:
    """Emits the exact conversion of a scalar or vector to `element`, which is no narrower.

    Integers are signed, as they are in `tl.dot`.
    """
    shape = ir.VectorType(value.type).shape if is_vector(value.type) else None
    source = ir.VectorType(value.type).element_type if shape else value.type
    if source == element:
        return value
    target = ir.VectorType.get(shape, element) if shape else element
    if isinstance(element, ir.IntegerType):
        return arith.extsi(target, value)
    return arith.extf(target, value)


def is_vector(type_: ir.Type) -> bool:
    """Whether `type_` is a vector type."""
    return isinstance(type_, ir.VectorType)


def power_of_two_divisor(extent: int, limit: int) -> int:
    """Gives the largest power of two that divides `extent` and is at most `limit`."""
    divisor = 1
    while divisor * 2 <= limit and extent % (divisor * 2) == 0:
        divisor *= 2
    return divisor


def emit_copy(
    load: StripLoader,
    target: ir.Value,
    *,
    width: int = 16,
) -> None:
    """Emits the copy of a block into `target`, converted to the target's element type.

    Args:
        load: gives strips of the block along its columns.
        target: memref `[rows, columns]` with inner stride 1.
        width: strip to aim for; shorter where `columns` is not a multiple of it.
    """
    rows, columns, element = _block(target)
    strip = power_of_two_divisor(columns, width)
    for i in loop(rows):
        for j in loop(columns, strip):
            vector.store(widen(load(i, j, strip), element), target, [i, j])


def emit_transposing_copy(load: StripLoader, target: ir.Value) -> None:
    """Emits the copy of a block's transpose into `target`, converted to its type.

    Args:
        load: gives strips of the block along its columns: `[row, column...]`.
        target: memref `[columns, rows]` with inner stride 1.
    """
    columns, rows, element = _block(target)
    emit_transposed_pieces(
        lambda i, j, width: widen(load(i, j, width), element),
        lambda j, i, strip: vector.store(strip, target, [j, i]),
        rows=rows,
        columns=columns,
    )


def emit_transposed_pieces(
    load: StripLoader, store: StripStore, *, rows: int, columns: int
) -> None:
    """Emits loops over square pieces of a block: strips in, transposed strips out.

    Args:
        load: `load(row, column, width)` of the block.
        store: `store(column, row, strip)` of its transpose.
    """
    height = power_of_two_divisor(rows, TRANSPOSE_EDGE)
    width = power_of_two_divisor(columns, TRANSPOSE_EDGE)
    for i in loop(rows, height):
        for j in loop(columns, width):
            strips = [load(offset(i, r), j, width) for r in range(height)]
            for c, strip in enumerate(transpose(strips)):
                store(offset(j, c), i, strip)


def transpose(strips: Sequence[ir.Value]) -> list[ir.Value]:
    """Emits the transpose of a piece that is given and taken as vectors, one a row."""
    row = ir.VectorType(strips[0].type)
    height, width, element = len(strips), row.shape[0], row.element_type
    piece_type = ir.VectorType.get([height, width], element)
    piece = arith.constant(piece_type, zero_attribute(piece_type))
    for r, strip in enumerate(strips):
        piece = vector.insert(strip, piece, [], [r])
    turned_type = ir.VectorType.get([width, height], element)
    turned = vector.transpose(turned_type, piece, [1, 0])
    return [vector.extract(turned, [], [c]) for c in range(width)]


def offset(position: ir.Value, distance: int) -> ir.Value:
    """Emits `position + distance`."""
    if distance == 0:
        return position
    return arith.addi(position, index_constant(distance))


def zero_attribute(type_: ir.VectorType) -> ir.Attribute:
    """Gives the attribute of an all-zero vector of `type_`."""
    element = type_.element_type
    if isinstance(element, ir.IntegerType):
        zero: ir.Attribute = ir.IntegerAttr.get(element, 0)
    else:
        zero = ir.FloatAttr.get(element, 0.0)
    return ir.DenseElementsAttr.get_splat(type_, zero)


def _block(buffer: ir.Value) -> tuple[int, int, ir.Type]:
    type_ = ir.MemRefType(buffer.type)
    rows, columns = type_.shape
    return rows, columns, type_.element_type
