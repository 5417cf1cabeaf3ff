# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Which blocks are kept in scratch, and when they are computed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from ..mlir import ir
from .analysis import Uses, block_of, captured, defining
from .builder import Builder
from .scratch import Scratch, ScratchPool
from .strips import for_each_strip
from .transpose import emit_transposed
from .values import (
    Block,
    ElementwiseBlock,
    Pointer,
    Value,
    ViewBlock,
    aligned,
    cost_of,
    reachable,
)

RECOMPUTE_LIMIT = 6.0
"""A block of at most this cost is computed again for each operation that reads it."""

REPEAT_LIMIT = 3.0
"""The same for a block that is broadcast, so computed again for each row."""


class Environment:
    """The values of the TTIR function that may still be used, and their scratch."""

    def __init__(self, builder: Builder, uses: Uses, lanes: int) -> None:
        self.builder = builder
        self.lanes = lanes
        self._uses = uses
        self._values: dict[ir.Value, Value] = {}
        self._names: dict[Block, ir.Value] = {}
        self._left: dict[ir.Value, int] = {}
        self._kept: set[ir.Value] = set()
        self._pool = ScratchPool(builder)
        self._pins: list[list[Scratch]] = [[]]
        self._scopes: list[list[Block]] = [[]]

    # Values.

    def __getitem__(self, value: ir.Value) -> Value:
        return self._values[value]

    def get(self, value: ir.Value) -> Value | None:
        """Gives the meaning of a value, None where it has none yet."""
        return self._values.get(value)

    def define(self, value: ir.Value, meaning: Value) -> None:
        """Gives a TTIR value its meaning. A value that nobody uses is forgotten."""
        self._left[value] = sum(1 for _ in value.uses) + (value in self._kept)
        if self._left[value]:
            self._values[value] = meaning
            if isinstance(meaning, Block):
                self._names.setdefault(meaning, value)

    def keep(self, value: ir.Value) -> None:
        """Keeps a value beyond its last use, whether it is defined yet or not."""
        if value not in self._kept:
            self._kept.add(value)
            self._left[value] = self._left.get(value, 0) + 1

    def release(self, values: Sequence[ir.Value]) -> None:
        """Notes one use of each of `values` as done."""
        for value in values:
            self._left[value] -= 1
            if self._left[value] == 0:
                self._values.pop(value, None)

    def live_blocks(self) -> list[Block]:
        """Gives the blocks that operations to come may evaluate."""
        return self._blocks(self._values)

    def live_blocks_after(self, operation: ir.Operation) -> list[Block]:
        """Gives the blocks that operations behind `operation` may evaluate."""
        done = Counter([*operation.operands, *captured(operation)])
        return self._blocks(
            value for value in self._values if self._left[value] > done[value]
        )

    def _blocks(self, names: Iterable[ir.Value]) -> list[Block]:
        found = []
        for name in names:
            value = self._values[name]
            if isinstance(value, Block):
                found.append(value)
            elif isinstance(value, Pointer) and isinstance(value.offset, Block):
                found.append(value.offset)
        return found

    # Scratch.

    def allocate(self, shape: Sequence[int], element: ir.Type) -> Scratch:
        """Gives scratch that is kept until the operation at hand has been lowered."""
        live = {
            block.storage.buffer
            for block in reachable(self.live_blocks())
            if block.storage is not None
        }
        live.update(pin.buffer for level in self._pins for pin in level)
        scratch = self._pool.allocate(shape, element, live)
        self._pins[-1].append(scratch)
        return scratch

    @contextmanager
    def operation(self) -> Iterator[None]:
        """Keeps scratch that is allocated inside until the end."""
        self._pins.append([])
        yield
        self._pins.pop()

    @contextmanager
    def region(self) -> Iterator[None]:
        """Forgets, at the end, the scratch of blocks that were materialised inside.

        The code inside may not run, or runs again with other values.
        """
        self._scopes.append([])
        yield
        for block in self._scopes.pop():
            block.storage = None

    def pin(self, blocks: Sequence[Block]) -> None:
        """Keeps the scratch behind `blocks` until the operation at hand is lowered."""
        for block in reachable(blocks):
            if block.storage is not None:
                self._pins[-1].append(block.storage)

    def reusable(self, value: ir.Value, block: Block) -> Scratch | None:
        """Gives scratch that an operation may overwrite strip by strip with its result.

        That is scratch which `block`, the meaning of `value`, reads at the coordinates
        that it is evaluated at, and which nobody reads after the operation at hand.
        """
        home = block_of(value)
        if self._left[value] != 1 or any(
            use.owner.operation.block != home for use in value.uses
        ):
            return None
        here = aligned([block])
        elsewhere = [each for each in reachable([block]) if each not in here]
        read_later = [each for each in self.live_blocks() if each is not block]
        taken = {
            each.storage.buffer
            for each in (*reachable(read_later), *elsewhere)
            if each.storage is not None
        }
        for each in reachable([block]):
            if each not in here:
                continue
            found = each.storage
            if found is None or found.buffer in taken:
                continue
            if found.shape == block.shape and found.element == block.element:
                return found
        return None

    # Materialisation.

    def prepare(
        self, roots: Sequence[Block], shape: Sequence[int], *, skip: Block | None = None
    ) -> dict[Block, Scratch]:
        """Materialises what a nest over `shape` that evaluates `roots` should read.

        Returns: the blocks that the nest itself should store while it computes them;
            they are in scratch once `finish` is called behind the nest.
        """
        self.pin(roots)
        here = aligned(roots)
        captures: dict[Block, Scratch] = {}
        for block in reachable(roots):
            if block.storage is not None or block is skip:
                continue
            if isinstance(block, ViewBlock):
                self._prepare_view(block)
            elif self._is_worth_keeping(block):
                if block in here and block.shape == tuple(shape):
                    captures[block] = self.allocate(block.shape, block.element)
                else:
                    self.materialize(block)
        # What one of them needed may have been materialised on the way.
        return {b: scratch for b, scratch in captures.items() if b.storage is None}

    def finish(self, captures: dict[Block, Scratch]) -> None:
        """Notes that a nest has stored its captures."""
        for block, scratch in captures.items():
            self.set_storage(block, scratch)

    def set_storage(self, block: Block, scratch: Scratch) -> None:
        """Notes that `scratch` holds the elements of `block`."""
        block.storage = scratch
        self._scopes[-1].append(block)

    def materialize(self, block: Block, scratch: Scratch | None = None) -> Scratch:
        """Emits the block into scratch, and gives that.

        Args:
            scratch: where to put it, for a caller that overwrites it later; by default
                the block is read from its new scratch from now on.
        """
        if block.storage is not None and scratch is None:
            return block.storage
        captures = self.prepare([block], block.shape, skip=block)
        target = scratch or self.allocate(block.shape, block.element)
        for_each_strip(
            self.builder,
            block.shape,
            lambda strip: target.store(strip, strip.evaluate(block)),
            lanes=self.lanes,
            captures=captures,
        )
        self.finish(captures)
        if scratch is None:
            self.set_storage(block, target)
        return target

    def _is_worth_keeping(self, block: Block) -> bool:
        value = self._names.get(block)
        if value is None or block.is_symbolic or not block.operands:
            return False
        operation = defining(value)
        is_load = operation is not None and operation.name == "tt.load"
        if is_load and self._uses.crosses_store(value):
            return True
        return self._uses.is_shared(value) and cost_of(block) > RECOMPUTE_LIMIT

    def _prepare_view(self, view: ViewBlock) -> None:
        core = view.operands[0]
        while isinstance(core, ViewBlock) and core.storage is None:
            core = core.operands[0]
        if core.storage is None and _repeats(view) and not core.is_symbolic:
            if cost_of(core) > REPEAT_LIMIT:
                self.materialize(core)
        is_worth_turning = view.turns_lanes and not view.is_symbolic and view.axes
        if is_worth_turning and not _runs_along(view, len(view.shape) - 1):
            self._materialize_turned(view)

    def _materialize_turned(self, view: ViewBlock) -> None:
        if cost_of(view.operands[0]) > RECOMPUTE_LIMIT:
            # A piece computes sixteen rows at once: that is much code for much work.
            self.materialize(view.operands[0])
        scratch = self.allocate(view.shape, view.element)
        emit_transposed(self, view, scratch)
        self.set_storage(view, scratch)


def _runs_along(block: Block, axis: int) -> bool:
    """Whether what stands behind a block is read fastest in strips along `axis`."""
    if axis not in block.axes:
        return True
    if block.storage is not None or not block.operands:
        return axis == len(block.shape) - 1
    if isinstance(block, ViewBlock):
        return _runs_along(block.operands[0], block.source_axes.index(axis))
    if isinstance(block, ElementwiseBlock):
        return block.is_symbolic or all(
            _runs_along(each, axis) for each in block.operands
        )
    return axis == len(block.shape) - 1


def _repeats(view: ViewBlock) -> bool:
    return math.prod(view.shape) > math.prod(view.operands[0].shape)
