# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Copies of blocks into scratch: row by row, and transposing 16x16 pieces.

Code size does not depend on the block: every copy is a loop nest around one strip or
one square piece.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..mlir import arith, ir, scf, vector
from .dot_operands import Matrix, StripLoader
from .float_formats import widen_bf16

TRANSPOSE_EDGE = 16
"""Rows and columns of a transposed piece. Source: facts measured with IREE 3.13."""

LANE_BITS = 128
"""Inside lanes of this size a shuffle is cheap on every CPU."""

StripStore = Callable[[ir.Value, ir.Value, ir.Value], None]
"""`store(row, column, strip)` puts a vector at `[row, column...]`."""


def index_constant(value: int) -> ir.Value:
    """Emits a constant of index type."""
    return arith.constant(ir.IndexType.get(), value)


def loop(count: int, step: int = 1, *, start: int = 0) -> Iterator[ir.Value]:
    """Emits `scf.for` up to `count`; the body is what the `for` statement emits."""
    operation = scf.ForOp(
        index_constant(start), index_constant(count), index_constant(step)
    )
    with ir.InsertionPoint(operation.body):
        yield operation.induction_variable
        scf.YieldOp([])


def widen(value: ir.Value, element: ir.Type) -> ir.Value:
    """Emits the exact conversion of a scalar or vector to a type that is no narrower.

    Integers are signed, as they are in `tl.dot`.
    """
    shape = ir.VectorType(value.type).shape if is_vector(value.type) else None
    source = ir.VectorType(value.type).element_type if shape else value.type
    if source == element:
        return value
    target = ir.VectorType.get(shape, element) if shape else element
    if isinstance(element, ir.IntegerType):
        return arith.extsi(target, value)
    if isinstance(source, ir.BF16Type):
        value = widen_bf16(value)
    return value if value.type == target else arith.extf(target, value)


def split(strip: ir.Value, parts: int) -> list[ir.Value]:
    """Emits the equal parts of a vector."""
    if parts == 1:
        return [strip]
    type_ = ir.VectorType(strip.type)
    size = type_.shape[0] // parts
    part = ir.VectorType.get([size], type_.element_type)
    return [
        vector.extract_strided_slice(part, strip, [start], [size], [1])
        for start in range(0, parts * size, size)
    ]


def is_vector(type_: ir.Type) -> bool:
    """Whether `type_` is a vector type."""
    return isinstance(type_, ir.VectorType)


def power_of_two_divisor(extent: int, limit: int) -> int:
    """Gives the largest power of two that divides `extent` and is at most `limit`."""
    divisor = 1
    while divisor * 2 <= limit and extent % (divisor * 2) == 0:
        divisor *= 2
    return divisor


def emit_copy(load: StripLoader, target: Matrix, rows: int, *, width: int = 16) -> None:
    """Emits the copy of a block into `target`, converted to the target's element type.

    Args:
        load: gives strips of the block along its columns.
        target: of as many columns.
        rows: of the block.
        width: strip to aim for; shorter where the columns are not a multiple of it.
    """
    strip = power_of_two_divisor(target.columns, width)
    for i in loop(rows):
        for j in loop(target.columns, strip):
            target.store(i, j, widen(load(i, j, strip), target.element))


def emit_transposing_copy(load: StripLoader, target: Matrix, columns: int) -> None:
    """Emits the copy of a block's transpose into `target`, converted to its type.

    Args:
        load: gives strips of the block along its columns: `[row, column...]`.
        target: one row for each column of the block.
        columns: of the block.
    """
    emit_transposed_pieces(
        lambda i, j, width: widen(load(i, j, width), target.element),
        target.store,
        rows=target.columns,
        columns=columns,
    )


def emit_transposed_pieces(
    load: StripLoader, store: StripStore, *, rows: int, columns: int
) -> None:
    """Emits loops over square pieces of a block: strips in, transposed strips out.

    Args:
        load: `load(row, column, width)` of the block.
        store: `store(column, row, strip)` of its transpose.
        rows: of the block.
        columns: of the block.
    """
    height = power_of_two_divisor(rows, TRANSPOSE_EDGE)
    width = power_of_two_divisor(columns, TRANSPOSE_EDGE)
    for i in loop(rows, height):
        for j in loop(columns, width):
            strips = [load(offset(i, r), j, width) for r in range(height)]
            for c, strip in enumerate(transpose(strips)):
                store(offset(j, c), i, strip)


def transpose(strips: Sequence[ir.Value]) -> list[ir.Value]:
    """Emits the transpose of a piece that is given and taken as vectors, one a row.

    Square pieces of 16, 32 or 64 bits take shuffles that are single instructions
    with SSE, AVX, AVX-512 and NEON: log2(n) for each row.
    """
    row = ir.VectorType(strips[0].type)
    height, width, element = len(strips), row.shape[0], row.element_type
    in_lane = LANE_BITS // _bits(element)
    if height == width and in_lane in (2, 4, 8) and width >= in_lane:
        return _transpose_square(list(strips), in_lane)
    piece_type = ir.VectorType.get([height, width], element)
    piece = arith.constant(piece_type, zero_attribute(piece_type))
    for r, strip in enumerate(strips):
        piece = vector.insert(strip, piece, [], [r])
    turned_type = ir.VectorType.get([width, height], element)
    turned = vector.transpose(turned_type, piece, [1, 0])
    return [vector.extract(turned, [], [c]) for c in range(width)]


def _transpose_square(rows: list[ir.Value], in_lane: int) -> list[ir.Value]:
    """Transposes inside lanes of 128 bits, then sorts the lanes of all vectors.

    After the first part, lane L of `rows[g + c]` holds column `L * in_lane + c` of the
    rows `g ..` of a group. Each step of the second part halves the number of columns
    in a vector, until each holds one.
    """
    size = len(rows)
    distance = 1
    while distance < in_lane:
        for first in _heads(size, distance):
            pair = rows[first], rows[first + distance]
            rows[first], rows[first + distance] = _unpack(*pair, in_lane, distance)
        distance *= 2
    # The unpacks leave the columns of a lane in bit-reversed order.
    rows = [
        rows[g + _reversed_bits(c, in_lane)]
        for g in range(0, size, in_lane)
        for c in range(in_lane)
    ]
    while distance < size:
        for first in _heads(size, distance):
            pair = rows[first], rows[first + distance]
            rows[first], rows[first + distance] = _deal_lanes(*pair, in_lane)
        distance *= 2
    return rows


def _heads(size: int, distance: int) -> list[int]:
    return [i for i in range(size) if not i & distance]


def _unpack(
    a: ir.Value, b: ir.Value, in_lane: int, run: int
) -> tuple[ir.Value, ir.Value]:
    """Interleaves the lower, then the upper halves of each lane, runs of `run`."""
    width = ir.VectorType(a.type).shape[0]
    halves: list[list[int]] = [[], []]
    for lane in range(0, width, in_lane):
        for half in range(2):
            start = lane + half * in_lane // 2
            for i in range(start, start + in_lane // 2, run):
                halves[half] += range(i, i + run)
                halves[half] += range(width + i, width + i + run)
    return vector.shuffle(a, b, halves[0]), vector.shuffle(a, b, halves[1])


def _deal_lanes(a: ir.Value, b: ir.Value, in_lane: int) -> tuple[ir.Value, ir.Value]:
    """Gives the even lanes of both, then the odd lanes of both."""
    width = ir.VectorType(a.type).shape[0]
    lanes = [range(i, i + in_lane) for i in range(0, 2 * width, in_lane)]
    even = [i for lane in lanes[0::2] for i in lane]
    odd = [i for lane in lanes[1::2] for i in lane]
    return vector.shuffle(a, b, even), vector.shuffle(a, b, odd)


def _reversed_bits(number: int, size: int) -> int:
    result = 0
    while size > 1:
        result, number, size = 2 * result + number % 2, number // 2, size // 2
    return result


def _bits(element: ir.Type) -> int:
    if isinstance(element, ir.IntegerType | ir.FloatType):
        return element.width
    return 0


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
