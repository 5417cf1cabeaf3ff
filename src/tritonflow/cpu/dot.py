# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`tt.dot`: which factors are read in place, and where the sum is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING

from ..mlir import arith, ir
from .dot_factors import Candidate, LoopScope, left_in_place, runs_along_rows
from .dot_kernels import TileLoad, emit_dot
from .dot_methods import DotMethod, choose_method
from .dot_operands import (
    LeftScratch,
    Matrix,
    RightColumns,
    RightOperand,
    RightRows,
    RightScratch,
    StripLoader,
)
from .scratch import Scratch
from .transpose_kernels import emit_copy, emit_transposing_copy, loop
from .values import Block, StoredBlock, ViewBlock

if TYPE_CHECKING:
    from .builder import Builder
    from .lower import Lowering, Rule


def lower_dot(lowering: Lowering, operation: ir.Operation) -> None:
    """Emits `acc + left @ right`; the result is in scratch, that of `acc` if it may."""
    left, right, acc = (lowering.block(each) for each in list(operation.operands)[:3])
    m, n = acc.shape[-2:]
    shape = (m, n, left.shape[-1])
    method = choose_method(
        shape, left.element, right.element, acc.element, lowering.features
    )
    environment = lowering.environment
    environment.pin([left, right, acc])
    target = environment.reusable(operation.operands[2], acc)
    if target is None:
        target = environment.allocate(acc.shape, acc.element)
    scope = LoopScope.here(lowering.builder)
    dot = _Dot(lowering, left, right, acc, shape, method, target, scope)
    if len(acc.shape) == 2:
        dot.emit()
    else:
        dot.emit_batch()
    lowering.define(operation.results[0], StoredBlock(target))


@dataclass(frozen=True)
class _Dot:
    lowering: Lowering
    left: Block
    right: Block
    acc: Block
    shape: tuple[int, int, int]
    method: DotMethod
    target: Scratch
    scope: LoopScope
    batch: tuple[ir.Value, ...] = ()

    @property
    def builder(self) -> Builder:
        return self.lowering.builder

    def emit_batch(self) -> None:
        """Emits a loop over the products of blocks of rank 3."""
        environment = self.lowering.environment
        self._prepare(self.left)
        self._prepare(self.right)
        self._prepare(self.acc)
        environment.materialize(self.left)
        for position in loop(self.acc.shape[0]):
            with environment.region():
                replace(self, batch=(position,)).emit()

    def emit(self) -> None:
        """Emits the product, twice if only run time tells how to read the left."""
        emit_product = partial(
            emit_dot,
            right=self._right(),
            acc=self._matrix(self.target),
            shape=self.shape,
            method=self.method,
            # Both branches below may keep their panel in the same place.
            allocate=cache(self._allocate),
            initial=self._initial(),
        )
        candidate = self._left_in_place()
        if candidate is None:
            emit_product(self._packed_left())
            return

        def in_place() -> Sequence[ir.Value]:
            emit_product(candidate.factor)
            return []

        def packed() -> Sequence[ir.Value]:
            with self.lowering.environment.region():
                emit_product(self._packed_left())
            return []

        self.builder.if_(candidate.condition, [], in_place, packed)

    def _matrix(self, scratch: Scratch) -> Matrix:
        """Gives the scratch of a block, of its part at `batch`."""
        rows, columns = scratch.shape[-2:]
        if not self.batch:
            return Matrix(scratch.buffer, columns)
        size = self.builder.idx(rows * columns)
        return Matrix(scratch.buffer, columns, arith.muli(self.batch[0], size))

    def _strips(self, block: Block, lane_axis: int) -> StripLoader:
        return self.scope.strips_of(block, lane_axis, *self.batch)

    def _allocate(self, count: int, element: ir.Type) -> ir.Value:
        return self.lowering.environment.allocate((count,), element).buffer

    def _prepare(self, block: Block) -> None:
        """Materialises what strips of a block read, and itself if others read it."""
        environment = self.lowering.environment
        captures = environment.prepare([block], block.shape)
        for each, scratch in captures.items():
            environment.materialize(each, scratch)
        environment.finish(captures)

    def _initial(self) -> TileLoad | None:
        """Gives what sums start with, unless it is in the target already."""
        if self.acc.storage is self.target:
            return None
        self._prepare(self.acc)
        return self._strips(self.acc, 1)

    def _is_transposed(self, block: Block) -> bool:
        """Whether rows of a block are columns of another one of rank 2."""
        is_turned = isinstance(block, ViewBlock) and block.turns_lanes
        return is_turned and block.storage is None and len(block.shape) == 2

    # ---- the left factor ----

    def _left_in_place(self) -> Candidate | None:
        if self.left.storage is not None or self.batch:
            return None
        candidate = left_in_place(self.builder, self.left)
        if candidate is None:
            return None
        factor = candidate.factor
        if self.method.wants_packed_left(factor.element, has_pairs=factor.has_pairs):
            return None
        return candidate

    def _packed_left(self) -> LeftScratch:
        """Emits the left factor into scratch, unless it is there, and widens it."""
        left, environment = self.left, self.lowering.environment
        if not self.method.wants_packed_left(left.element, has_pairs=True):
            if self._is_transposed(left) and self.method.k_step == 1:
                source = left.operands[0]
                self._prepare(source)
                rows = self._matrix(environment.materialize(source))
                return LeftScratch(rows, is_k_major=True)
            self._prepare(left)
            return LeftScratch(self._matrix(environment.materialize(left)))
        m, _, k = self.shape
        target = Matrix(self._allocate(m * k, self.method.left_element), k)
        if self._is_transposed(left):
            source = left.operands[0]
            self._prepare(source)
            emit_transposing_copy(self._strips(source, 1), target, m)
            return LeftScratch(target)
        self._prepare(left)
        if not self.batch and runs_along_rows(self.builder, left):
            emit_transposing_copy(self._strips(left, 0), target, m)
        else:
            load = self._strips(left, 1)
            emit_copy(load, target, m, width=environment.lanes)
        return LeftScratch(target)

    # ---- the right factor ----

    def _right(self) -> RightOperand:
        """Gives the right factor, in strips along the axis that is contiguous."""
        block = self.right
        if self._is_transposed(block):
            # Strips along k are those along the last axis of what is transposed.
            source = block.operands[0]
            self._prepare(source)
            return RightColumns(block.element, self._strips(source, 1))
        self._prepare(block)
        if block.storage is not None:
            return RightScratch(self._matrix(block.storage))
        if not self.batch and runs_along_rows(self.builder, block):
            return RightColumns(block.element, self._strips(block, 0))
        return RightRows(block.element, self._strips(block, 1))


RULES: dict[str, Rule] = {"tt.dot": lower_dot}
