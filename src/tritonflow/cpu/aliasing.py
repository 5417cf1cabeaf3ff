# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a load may be read strip by strip while a store writes strip by strip.

A kernel may read and write one buffer: through one parameter, or through two that the
caller aliased. The block is read as a whole before it is written. Reading it strip by
strip is the same if each strip is read where it is then written.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..mlir import ir
from .analysis import defining
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
    """Compares two expressions; if not `strict`, any two uniform parts are alike."""

    def __init__(self, *, strict: bool) -> None:
        self._strict = strict
        self._known: dict[tuple[Block, Block], bool] = {}

    def alike(self, lhs: Block, rhs: Block) -> bool:
        """Whether two blocks have the same elements."""
        if lhs is rhs:
            return True
        key = (lhs, rhs)
        if key not in self._known:
            self._known[key] = self._compare_sums(_Sum.of(lhs), _Sum.of(rhs))
        return self._known[key]

    def _compare_sums(self, lhs: _Sum, rhs: _Sum) -> bool:
        if lhs.constant != rhs.constant or len(lhs.varying) != len(rhs.varying):
            return False
        pairs = list(zip(lhs.varying, rhs.varying, strict=True))
        if self._strict:
            if len(lhs.uniform) != len(rhs.uniform):
                return False
            pairs += zip(lhs.uniform, rhs.uniform, strict=True)
        return all(left is right or self._compare(left, right) for left, right in pairs)

    def _compare(self, lhs: Block, rhs: Block) -> bool:
        if not self._strict and not lhs.axes and not rhs.axes:
            return True
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


@dataclass
class _Sum:
    """The terms of an integer expression.

    Attributes:
        varying: terms whose elements differ.
        uniform: terms that are the same for all elements, and not constant.
        constant: the sum of the constant ones.
    """

    varying: list[Block] = field(default_factory=list)
    uniform: list[Block] = field(default_factory=list)
    constant: int = 0

    @classmethod
    def of(cls, block: Block) -> _Sum:
        """Gives the terms of `block`, itself if it is no sum."""
        found = cls()
        found._add(block)
        return found

    def _add(self, block: Block) -> None:
        if isinstance(block, ElementwiseBlock) and block.name in _SUMS:
            for operand in block.operands:
                self._add(operand)
        elif block.axes:
            self.varying.append(block)
        elif (constant := _constant(block)) is not None:
            self.constant += constant
        else:
            self.uniform.append(block)


_SUMS = frozenset({"arith.addi", "tt.addptr", "arith.extsi"})


def _constant(block: Block) -> int | None:
    if not isinstance(block, SplatBlock):
        return None
    operation = defining(block.scalar)
    if operation is None or operation.name != "arith.constant":
        return None
    attribute = operation.attributes["value"]
    is_integer = isinstance(attribute, ir.IntegerAttr)
    return ir.IntegerAttr(attribute).value if is_integer else None
