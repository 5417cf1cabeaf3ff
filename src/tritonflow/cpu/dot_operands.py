# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""How the factors of a dot are read: from scratch, in place, or through a callback.

The left factor is read one element at a time and each element is broadcast, so any
layout of it is read in place at full speed. The right factor is read in vectors along
n; a dot reads each of them from its source once and keeps a packed panel for the rest.

What a callback or a view reads must not change between the `tt.load` that it stands
for and the dot: the caller checks that no store or atomic lies between them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..mlir import arith, ir, memref, vector

ElementReader = Callable[[ir.Value], ir.Value]
"""Gives the value at index `k` of a row that was fixed outside the k loop."""

StripLoader = Callable[[ir.Value, ir.Value, int], ir.Value]
"""`load(row, column, width)`: the vector of `width` elements at `[row, column...]`.

It is called inside loops and may emit masks, conversions and branches.
"""


@dataclass(frozen=True)
class Matrix:
    """Rows of elements, one after the other in a flat buffer: scratch.

    IREE's scratch cannot be seen through a memref of another shape, so the index is
    computed here.

    Attributes:
        buffer: memref of rank 1.
        columns: elements in a row.
        start: index of the first element; None is 0.
    """

    buffer: ir.Value
    columns: int
    start: ir.Value | None = None

    @property
    def element(self) -> ir.Type:
        """Type of one element."""
        return ir.MemRefType(self.buffer.type).element_type

    def load_element(self, row: ir.Value, column: ir.Value) -> ir.Value:
        """Emits the load of one element."""
        return memref.load(self.buffer, [self._index(row, column)])

    def load(self, row: ir.Value, column: ir.Value, width: int) -> ir.Value:
        """Emits the load of `width` elements of a row as a vector."""
        strip = ir.VectorType.get([width], self.element)
        return vector.load(strip, self.buffer, [self._index(row, column)])

    def store(self, row: ir.Value, column: ir.Value, strip: ir.Value) -> None:
        """Emits the store of a vector into a row."""
        vector.store(strip, self.buffer, [self._index(row, column)])

    def _index(self, row: ir.Value, column: ir.Value) -> ir.Value:
        stride = arith.constant(ir.IndexType.get(), self.columns)
        index = arith.addi(arith.muli(row, stride), column)
        return index if self.start is None else arith.addi(self.start, index)


@dataclass(frozen=True)
class LeftScratch:
    """The left factor in scratch.

    Attributes:
        matrix: `[m, k]`, or `[k, m]` if `is_k_major`.
    """

    matrix: Matrix
    is_k_major: bool = False

    @property
    def element(self) -> ir.Type:
        """Type of one element."""
        return self.matrix.element

    @property
    def has_pairs(self) -> bool:
        """Whether elements k and k + 1 of a row lie side by side."""
        return not self.is_k_major

    def element_reader(self, i: ir.Value) -> ElementReader:
        """Gives a function that emits the load of element `[i, k]`."""
        if self.is_k_major:
            return lambda k: self.matrix.load_element(k, i)
        return lambda k: self.matrix.load_element(i, k)

    def pair_reader(self, i: ir.Value) -> ElementReader:
        """Gives a function that emits the load of `[i, k]` and `[i, k + 1]`."""
        return lambda k: self.matrix.load(i, k, 2)


@dataclass(frozen=True)
class LeftInPlace:
    """The left factor in a flat buffer, wherever its rows lie there.

    Fits wrapped rows (`offs % M`), transposed factors and run-time strides alike; no
    copy is made.

    Attributes:
        buffer: rank 1 with unit stride.
        row: emits the index of element `[i, 0]` and the distance of elements along k;
            called outside the k loop.
        has_pairs: that distance is 1 for all rows.
    """

    buffer: ir.Value
    row: Callable[[ir.Value], tuple[ir.Value, ir.Value]]
    has_pairs: bool = False

    @property
    def element(self) -> ir.Type:
        """Type of one element."""
        return ir.MemRefType(self.buffer.type).element_type

    def element_reader(self, i: ir.Value) -> ElementReader:
        """Gives a function that emits the load of element `[i, k]`."""
        start, stride = self.row(i)
        return lambda k: memref.load(
            self.buffer, [arith.addi(start, arith.muli(k, stride))]
        )

    def pair_reader(self, i: ir.Value) -> ElementReader:
        """Gives a function that emits the load of `[i, k]` and `[i, k + 1]`."""
        start, _ = self.row(i)
        pair = ir.VectorType.get([2], self.element)
        return lambda k: vector.load(pair, self.buffer, [arith.addi(start, k)])


@dataclass(frozen=True)
class RightScratch:
    """The right factor in scratch.

    Attributes:
        matrix: `[k, n]`.
    """

    matrix: Matrix

    @property
    def element(self) -> ir.Type:
        """Type of one element."""
        return self.matrix.element

    def load(self, k: ir.Value, j: ir.Value, width: int) -> ir.Value:
        """Emits the load of `[k, j .. j + width]`."""
        return self.matrix.load(k, j, width)


@dataclass(frozen=True)
class RightRows:
    """The right factor through a callback whose strips run along n.

    Attributes:
        load: `load(k, j, width)`.
    """

    element: ir.Type
    load: StripLoader


@dataclass(frozen=True)
class RightColumns:
    """The right factor through a callback whose strips run along k: `q @ k.T`.

    Attributes:
        load: `load(j, k, width)`: elements `[k .. k + width, j]` of the factor.
    """

    element: ir.Type
    load: StripLoader


LeftOperand = LeftScratch | LeftInPlace
RightOperand = RightScratch | RightRows | RightColumns
