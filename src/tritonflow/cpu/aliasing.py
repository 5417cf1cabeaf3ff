# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a load may be read strip by strip while a store writes strip by strip.

A kernel may read and write one buffer: through one parameter, or through two that the
caller aliased. The block is read as a whole before it is written. Reading it strip by
strip is the same if each strip is read where it is then written.
"""

from __future__ import annotations

from .values import (
    Block,
    ElementwiseBlock,
    Pointer,
    RangeBlock,
    SplatBlock,
    ViewBlock,
)


def moves_in_lockstep(load: Pointer, store: Pointer) -> bool:
    """Whether strips of a load and a store meet only at the same coordinates.

    Through two parameters the buffers are the same or do not overlap, so what matters
    is whether both would walk over one buffer in the same way. Scalars that differ,
    such as the strides of two arrays, are then taken to be equal for equal buffers.
    """
    if load.block is store.block and load.root == store.root:
        return True
    is_same_buffer = load.root == store.root or load.root is None or store.root is None
    if is_same_buffer and load.element != store.element:
        return False
    return _Comparison(strict=is_same_buffer).alike(load.block, store.block)


class _Comparison:
    """Compares two expressions; if not `strict`, any two uniform ones are alike."""

    def __init__(self, *, strict: bool) -> None:
        self._strict = strict
        self._known: dict[tuple[Block, Block], bool] = {}

    def alike(self, lhs: Block, rhs: Block) -> bool:
        """Whether two blocks have the same elements."""
        if lhs is rhs or (not self._strict and not lhs.axes and not rhs.axes):
            return True
        key = (lhs, rhs)
        if key not in self._known:
            self._known[key] = self._compare(lhs, rhs)
        return self._known[key]

    def _compare(self, lhs: Block, rhs: Block) -> bool:
        if lhs.shape != rhs.shape or type(lhs) is not type(rhs):
            return False
        match lhs, rhs:
            case SplatBlock(), SplatBlock():
                return lhs.scalar == rhs.scalar
            case RangeBlock(), RangeBlock():
                return lhs.start == rhs.start
            case ViewBlock(), ViewBlock():
                is_same = lhs.source_axes == rhs.source_axes
            case ElementwiseBlock(), ElementwiseBlock():
                is_same = lhs.name == rhs.name
            case _:
                return False
        pairs = zip(lhs.operands, rhs.operands, strict=False)
        return (
            is_same
            and len(lhs.operands) == len(rhs.operands)
            and all(self.alike(left, right) for left, right in pairs)
        )
