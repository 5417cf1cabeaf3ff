# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Register-tiled micro-kernels for `tt.dot`: `acc[m, n] += left[m, k] * right[k, n]`.

For a factor of each kind see `dot_operands`. How a caller uses this::

    method = choose_method((m, n, k), left_type, right_type, acc_type, cpu)
    if method.wants_packed_left(left.element, has_pairs=left.has_pairs):
        packed = Matrix(allocate(m * k, method.left_element), k)
        emit_copy(load_strip_of_left, packed, m)
        left = LeftScratch(packed)
    emit_dot(left, right, acc, (m, n, k), method, allocate=allocate)

The loop nest is: for each panel of `tile.columns` columns, for each `tile.rows` rows,
a loop over k with the whole tile of the accumulator in registers. The first tile of a
panel reads the right factor from its source and leaves it packed in scratch, all others
read that panel. So packing costs a few stores, and masks, conversions and long strides
of the right factor are paid once for a panel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ..mlir import arith, ir, scf
from .dot_methods import DotMethod, choose_method
from .dot_operands import (
    LeftInPlace,
    LeftOperand,
    LeftScratch,
    Matrix,
    RightColumns,
    RightOperand,
    RightRows,
    RightScratch,
    StripLoader,
)
from .transpose_kernels import (
    emit_transposed_pieces,
    index_constant,
    loop,
    offset,
    widen,
)

__all__ = [
    "Allocate",
    "DotMethod",
    "LeftInPlace",
    "LeftScratch",
    "Matrix",
    "RightColumns",
    "RightRows",
    "RightScratch",
    "choose_method",
    "emit_dot",
]


class Allocate(Protocol):
    """`allocate(count, element)` gives flat `#iree_codegen.workgroup_local` scratch.

    The allocation must dominate the dot; the dot writes it before it reads it.
    """

    def __call__(self, count: int, element: ir.Type, /) -> ir.Value: ...


RowReader = Callable[[ir.Value], list[ir.Value]]
"""`read(step)`: the vectors of the right factor for one step of the k loop."""

TileLoad = StripLoader


def emit_dot(
    left: LeftOperand,
    right: RightOperand,
    acc: Matrix,
    shape: tuple[int, int, int],
    method: DotMethod,
    *,
    allocate: Allocate,
    initial: TileLoad | None = None,
) -> None:
    """Emits `acc += left * right`, or `acc = initial + left * right`.

    Args:
        left: `[m, k]`.
        right: `[k, n]`.
        acc: `[m, n]` in scratch; its elements may be narrower than
            `method.acc`, sums are then rounded once at the end.
        shape: `(m, n, k)`; powers of two are fast, anything is right.
        method: from `choose_method` for this shape and these types.
        allocate: makes scratch, at most `k * 64` elements.
        initial: `initial(row, column, width)` gives what a strip of the sum starts
            with, instead of the load from `acc`.
    """
    _Dot(
        left=left,
        right=right,
        acc=acc,
        shape=shape,
        method=method,
        allocate=allocate,
        initial=initial,
    ).emit()


@dataclass(frozen=True, kw_only=True)
class _Dot:
    left: LeftOperand
    right: RightOperand
    acc: Matrix
    shape: tuple[int, int, int]
    method: DotMethod
    allocate: Allocate
    initial: TileLoad | None

    def emit(self) -> None:
        m, n, _ = self.shape
        tile = self.method.tile
        panel = self._allocate_panel()
        for j in loop(n, tile.columns):
            first_row = 0
            if panel is None:
                read = self._source_reader(j)
            else:
                read = self._panel_reader(panel)
                first_row = self._fill_panel(panel, j)
            for i in loop(m, tile.rows, start=first_row):
                self._emit_tile(i, j, read)

    # ---- the right factor ----

    def _allocate_panel(self) -> Matrix | None:
        """Gives scratch for a panel, or None where the source is as good to read."""
        m, _, k = self.shape
        tile, step = self.method.tile, self.method.k_step
        if not isinstance(self.right, RightColumns):
            is_ready = self.method.reads_right(self.right.element)
            is_packed = isinstance(self.right, RightScratch)
            if m == tile.rows or (is_packed and is_ready):
                return None
        columns = tile.columns * step
        buffer = self.allocate(k // step * columns, self.method.right_element)
        return Matrix(buffer, columns)

    def _fill_panel(self, panel: Matrix, j: ir.Value) -> int:
        """Emits the packing of columns `j ..`; gives the rows of `acc` done by that."""
        if isinstance(self.right, RightColumns):
            self._transpose_into(panel, self.right, j)
            return 0
        read = self._source_reader(j)

        def read_and_keep(step: ir.Value) -> list[ir.Value]:
            strips = read(step)
            for chunk, strip in enumerate(strips):
                panel.store(step, self._panel_column(chunk), strip)
            return strips

        self._emit_tile(index_constant(0), j, read_and_keep)
        return self.method.tile.rows

    def _transpose_into(self, panel: Matrix, right: RightColumns, j: ir.Value) -> None:
        method, step = self.method, index_constant(self.method.k_step)
        emit_transposed_pieces(
            lambda column, s, steps: method.column_strip(
                right.load, arith.addi(j, column), s, steps
            ),
            lambda s, column, strip: panel.store(
                s, arith.muli(column, step), method.panel_strip(strip)
            ),
            rows=method.tile.columns,
            columns=self.shape[2] // method.k_step,
        )

    def _source_reader(self, j: ir.Value) -> RowReader:
        right = self.right
        assert not isinstance(right, RightColumns), "columns are always packed"
        return lambda step: self.method.right_strips(right.load, self._k(step), j)

    def _panel_reader(self, panel: Matrix) -> RowReader:
        lanes = self.method.tile.lanes * self.method.k_step
        chunks = range(self.method.tile.chunks)
        return lambda step: [
            panel.load(step, self._panel_column(chunk), lanes) for chunk in chunks
        ]

    def _panel_column(self, chunk: int) -> ir.Value:
        return index_constant(chunk * self.method.tile.lanes * self.method.k_step)

    # ---- one tile of the accumulator ----

    def _emit_tile(self, i: ir.Value, j: ir.Value, read: RowReader) -> None:
        tile, method = self.method.tile, self.method
        rows = [offset(i, r) for r in range(tile.rows)]
        columns = [offset(j, c * tile.lanes) for c in range(tile.chunks)]
        places = [(row, column) for row in rows for column in columns]
        readers = [method.left_reader(self.left, row) for row in rows]
        sums = scf.ForOp(
            index_constant(0),
            index_constant(self.shape[2] // method.k_step),
            index_constant(1),
            [self._initial(row, column) for row, column in places],
        )
        with ir.InsertionPoint(sums.body):
            step = sums.induction_variable
            right = read(step)
            k = self._k(step)
            partial = iter(sums.inner_iter_args)
            scf.yield_(
                [
                    method.multiply_add(a, b, next(partial))
                    for a in (reader(k) for reader in readers)
                    for b in right
                ]
            )
        for (row, column), result in zip(places, sums.results_, strict=True):
            self._finish(row, column, result)

    def _k(self, step: ir.Value) -> ir.Value:
        if self.method.k_step == 1:
            return step
        return arith.muli(step, index_constant(self.method.k_step))

    def _initial(self, row: ir.Value, column: ir.Value) -> ir.Value:
        load = self.acc.load if self.initial is None else self.initial
        return widen(load(row, column, self.method.tile.lanes), self.method.acc)

    def _finish(self, row: ir.Value, column: ir.Value, result: ir.Value) -> None:
        if self.acc.element != self.method.acc:
            lanes = self.method.tile.lanes
            narrow = ir.VectorType.get([lanes], self.acc.element)
            result = arith.truncf(narrow, result)
        self.acc.store(row, column, result)
