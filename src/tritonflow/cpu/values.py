# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Values of a kernel while it is lowered: scalars, pointers, and blocks.

A scalar is an SSA value. A block (a Triton tensor) is an expression that is evaluated
strip by strip where it is needed, or scratch memory that holds its elements. So a chain
of elementwise operations costs no memory, whatever the size of the block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..mlir import ir
from .builder import Builder
from .lanes import Affine, Lanes, Uniform
from .strips import Coordinate, Strip

if TYPE_CHECKING:
    from .scratch import Scratch

LOAD_COST = 2.0
"""Cost of a contiguous load, in simple vector operations."""


class Block:
    """A block of elements, evaluated strip by strip.

    Attributes:
        shape: of the block.
        element: MLIR type of an element.
        axes: along which the elements may differ.
        operands: blocks that this one is computed from.
        own_cost: of computing one strip from strips of the operands, in simple vector
            operations.
        is_symbolic: whether it is integer arithmetic on ranges and scalars only, which
            is kept as an expression so that contiguity stays visible.
        depth: operations in a row from the farthest block behind it to this one.
        storage: scratch that holds the elements, once they were materialised.
    """

    def __init__(
        self,
        shape: Sequence[int],
        element: ir.Type,
        *,
        axes: frozenset[int],
        operands: Sequence[Block] = (),
        own_cost: float = 0.0,
        is_symbolic: bool = False,
    ) -> None:
        self.shape = tuple(shape)
        self.element = element
        self.axes = frozenset(axis for axis in axes if self.shape[axis] > 1)
        self.operands = tuple(operands)
        self.own_cost = own_cost
        self.is_symbolic = is_symbolic
        self.depth = 1 + max((operand.depth for operand in operands), default=0)
        self.storage: Scratch | None = None

    @property
    def is_aligned(self) -> bool:
        """Whether operands are read at the very coordinates that are computed."""
        return True

    def compute(self, strip: Strip, level: int) -> Lanes:
        """Emits a strip, in loop `level` of the strip's nest."""
        raise NotImplementedError


class SplatBlock(Block):
    """One scalar in every element."""

    def __init__(self, shape: Sequence[int], scalar: ir.Value) -> None:
        is_integer = isinstance(scalar.type, ir.IntegerType)
        super().__init__(shape, scalar.type, axes=frozenset(), is_symbolic=is_integer)
        self.scalar = scalar

    def compute(self, strip: Strip, level: int) -> Lanes:
        """Gives the scalar."""
        return Uniform(self.scalar)


class RangeBlock(Block):
    """`start + coordinate`, of rank 1."""

    def __init__(self, extent: int, start: int, element: ir.Type) -> None:
        super().__init__([extent], element, axes=frozenset({0}), is_symbolic=True)
        self.start = start

    def compute(self, strip: Strip, level: int) -> Lanes:
        """Gives affine lanes of step 1."""
        builder = strip.builder
        with strip.nest.at(level):
            first = builder.cast_integer(strip.position[0].value, self.element)
            base = builder.add(first, builder.constant(self.element, self.start))
        if strip.lane_axis is None:
            return Uniform(base)
        return Affine(base, builder.constant(self.element, 1))


class StoredBlock(Block):
    """Elements that exist in scratch only."""

    def __init__(self, scratch: Scratch) -> None:
        shape = scratch.shape
        super().__init__(shape, scratch.element, axes=frozenset(range(len(shape))))
        self.storage = scratch


ElementwiseRule = Callable[[Builder, Sequence[Lanes], int], Lanes]
"""Emits an operation on the lanes of its operands, of the given width."""


class ElementwiseBlock(Block):
    """An operation on elements at the same coordinates."""

    def __init__(
        self,
        shape: Sequence[int],
        element: ir.Type,
        operands: Sequence[Block],
        rule: ElementwiseRule,
        *,
        cost: float = 1.0,
        name: str = "",
    ) -> None:
        is_symbolic = isinstance(element, ir.IntegerType) and all(
            operand.is_symbolic for operand in operands
        )
        axes = frozenset().union(*(operand.axes for operand in operands))
        super().__init__(
            shape,
            element,
            axes=axes,
            operands=operands,
            own_cost=cost,
            is_symbolic=is_symbolic,
        )
        self.rule = rule
        self.name = name

    def compute(self, strip: Strip, level: int) -> Lanes:
        """Emits the operation."""
        lanes = [strip.evaluate(operand) for operand in self.operands]
        with strip.nest.at(level):
            return self.rule(strip.builder, lanes, strip.width)


class ViewBlock(Block):
    """Elements of another block at other coordinates.

    Attributes:
        source_axes: for each axis of the source, the axis of the view whose coordinate
            it takes; None where the source has one element that all share.
    """

    def __init__(
        self, source: Block, shape: Sequence[int], source_axes: Sequence[int | None]
    ) -> None:
        axes = frozenset(
            axis
            for number, axis in enumerate(source_axes)
            if axis is not None and number in source.axes
        )
        super().__init__(
            shape,
            source.element,
            axes=axes,
            operands=(source,),
            is_symbolic=source.is_symbolic,
        )
        self.source_axes = tuple(source_axes)

    @property
    def is_aligned(self) -> bool:
        """A view reads other coordinates."""
        return False

    @property
    def turns_lanes(self) -> bool:
        """Whether strips along the last axis run across the rows of the source."""
        last = len(self.source_axes) - 1
        rows = self.source_axes[last] if last >= 0 else None
        return (
            rows is not None
            and rows != len(self.shape) - 1
            and len(self.shape) - 1 in self.source_axes
            and self.shape[rows] > 1
            and self.shape[-1] > 1
        )

    def compute(self, strip: Strip, level: int) -> Lanes:
        """Gives the strip of the source."""
        position: list[Coordinate] = []
        lane_axis = None
        for number, axis in enumerate(self.source_axes):
            position.append(strip.zero() if axis is None else strip.position[axis])
            if axis is not None and axis == strip.lane_axis:
                lane_axis = number
        return strip.moved(position, lane_axis).evaluate(self.operands[0])


@dataclass(frozen=True)
class Binding:
    """A kernel's pointer parameter: `argument` is its index."""

    argument: int


@dataclass(frozen=True)
class Pointer:
    """A scalar pointer, or a block of pointers into one buffer.

    Attributes:
        root: the buffer; None for an absolute address.
        element: type that it points to.
        offset: from the root, in elements; absolute addresses count in bytes. An i64
            scalar, or a block of i64.
    """

    root: Binding | None
    element: ir.Type
    offset: ir.Value | Block

    @property
    def block(self) -> Block:
        """The offsets of a block of pointers."""
        assert isinstance(self.offset, Block)
        return self.offset

    @property
    def scalar(self) -> ir.Value:
        """The offset of a scalar pointer."""
        assert not isinstance(self.offset, Block)
        return self.offset


Value = ir.Value | Block | Pointer


def reachable(blocks: Sequence[Block]) -> Iterator[Block]:
    """Gives the blocks that an evaluation computes, each once, operands first.

    What stands in scratch is given, what it was computed from is not.
    """
    seen: set[Block] = set()
    for root in blocks:
        if root in seen:
            continue
        seen.add(root)
        # No recursion: unrolled loops make chains of thousands of operations.
        path = [(root, _inputs(root))]
        while path:
            block, operands = path[-1]
            following = next((each for each in operands if each not in seen), None)
            if following is None:
                path.pop()
                yield block
                continue
            seen.add(following)
            path.append((following, _inputs(following)))


def _inputs(block: Block) -> Iterator[Block]:
    return iter(block.operands if block.storage is None else ())


def aligned(roots: Sequence[Block]) -> set[Block]:
    """Gives the blocks that are computed at the very coordinates of `roots`."""
    found: set[Block] = set()
    pending = list(roots)
    while pending:
        block = pending.pop()
        if block in found:
            continue
        found.add(block)
        if block.storage is None and block.is_aligned:
            pending.extend(block.operands)
    return found


def cost_of(block: Block) -> float:
    """Gives the cost of one strip from what stands in memory, in simple operations."""
    return sum(
        1.0 if each.storage is not None else each.own_cost
        for each in reachable([block])
    )
