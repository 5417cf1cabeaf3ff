# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Values that come out of a branch: scalars in registers, blocks in scratch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..mlir import ir
from .analysis import is_block
from .pointers import absolute, is_pointer_like, target_of
from .roots import root_of
from .scratch import Scratch
from .values import Binding, Block, Pointer, StoredBlock, Value

if TYPE_CHECKING:
    from .lower import Lowering


class Merge:
    """Results that several branches give, one of which runs.

    Attributes:
        types: of the values that the emitted branches yield.
    """

    def __init__(
        self,
        lowering: Lowering,
        results: Sequence[ir.Value],
        sources: Sequence[Sequence[ir.Value]],
    ) -> None:
        self._lowering = lowering
        self._results = list(results)
        self._roots: list[Binding | None] = []
        self._scratch: list[Scratch | None] = []
        self.types: list[ir.Type] = []
        for number, result in enumerate(self._results):
            self._roots.append(self._common_root(number, result, sources))
            self._scratch.append(self._allocate(result))
            if self._scratch[-1] is None:
                i64 = lowering.builder.i64
                is_pointer = is_pointer_like(result.type)
                self.types.append(i64 if is_pointer else result.type)

    def enter(self, values: Sequence[Value]) -> list[ir.Value]:
        """Emits, in a branch, what hands `values` on; gives what the branch yields."""
        environment = self._lowering.environment
        yields: list[ir.Value] = []
        blocks: list[tuple[Block, Scratch]] = []
        for value, root, scratch in zip(
            values, self._roots, self._scratch, strict=True
        ):
            if isinstance(value, Pointer):
                moved = value if root is not None else absolute(self._lowering, value)
                value = moved.offset
            if scratch is None:
                assert isinstance(value, ir.Value)
                yields.append(value)
            else:
                assert isinstance(value, Block)
                blocks.append((value, scratch))
        for block, scratch in blocks:
            environment.materialize(block, scratch)
        return yields

    def nothing(self) -> list[ir.Value]:
        """Gives values to yield where the results are not used."""
        builder = self._lowering.builder
        return [builder.constant(type_, 0) for type_ in self.types]

    def define(self, values: Sequence[ir.Value]) -> None:
        """Gives the results their meaning, behind the branches."""
        left = list(values)
        for result, meaning in zip(self._results, self.meanings(left), strict=True):
            self._lowering.define(result, meaning)

    def meanings(self, values: Sequence[ir.Value]) -> list[Value]:
        """Gives the meanings of the results."""
        left = list(values)
        found: list[Value] = []
        for result, root, scratch in zip(
            self._results, self._roots, self._scratch, strict=True
        ):
            value = left.pop(0) if scratch is None else StoredBlock(scratch)
            if is_pointer_like(result.type):
                found.append(Pointer(root, target_of(result.type), value))
            else:
                found.append(value)
        return found

    def _allocate(self, result: ir.Value) -> Scratch | None:
        if not is_block(result.type):
            return None
        type_ = ir.RankedTensorType(result.type)
        is_pointer = is_pointer_like(result.type)
        element = self._lowering.builder.i64 if is_pointer else type_.element_type
        return self._lowering.environment.allocate(list(type_.shape), element)

    def _common_root(
        self, number: int, result: ir.Value, sources: Sequence[Sequence[ir.Value]]
    ) -> Binding | None:
        if not is_pointer_like(result.type):
            return None
        roots = {root_of(self._lowering, source[number]) for source in sources}
        return roots.pop() if len(roots) == 1 else None
