# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What a kernel does to the memory behind each of its arguments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import SourceLocation, UnsupportedError
from ..mlir import ir, source_location, walk
from .provenance import Provenance, Summaries, entry_function, is_address

_READS = frozenset(
    {
        "tt.atomic_load",
        "tt.atomic_poll",
        "tt.descriptor_gather",
        "tt.descriptor_load",
        "tt.load",
    }
)
_WRITES = frozenset(
    {"tt.atomic_store", "tt.descriptor_scatter", "tt.descriptor_store", "tt.store"}
)
_UPDATES = frozenset({"tt.atomic_cas", "tt.atomic_rmw", "tt.descriptor_reduce"})
_FOREIGN = frozenset({"tt.elementwise_inline_asm", "tt.extern_elementwise"})


@dataclass
class ArgumentEffect:
    """What a function does to the memory behind one of its arguments.

    Attributes:
        written_at: the first store through it.
    """

    is_read: bool = False
    is_written: bool = False
    written_at: SourceLocation | None = None

    @property
    def effect(self) -> str:
        """`none`, `read`, `write` or `readwrite`."""
        if self.is_written:
            return "readwrite" if self.is_read else "write"
        return "read" if self.is_read else "none"

    def add(self, other: ArgumentEffect) -> None:
        """Takes in what one more operation does."""
        self.is_read |= other.is_read
        if other.is_written:
            self.is_written = True
            self.written_at = self.written_at or other.written_at


def argument_effects(module: ir.Module, *, kernel: str) -> list[ArgumentEffect]:
    """Gives the effect on each argument of a module's one public function.

    It follows pointers through arithmetic, casts, loops, branches, descriptors and
    calls of functions that are not inlined.

    Args:
        module: generic TTIR.
        kernel: name for errors.

    Raises: UnsupportedError: if memory is touched whose address comes from nowhere
        in the arguments, such as an address loaded from memory.
    """
    analysis = _Analysis(module, kernel)
    return analysis.effects_of(entry_function(module))


class _Analysis:
    def __init__(self, module: ir.Module, kernel: str) -> None:
        self.kernel = kernel
        self.summaries = Summaries(module)
        self.done: dict[str, list[ArgumentEffect]] = {}

    def effects_of(self, function: ir.Operation) -> list[ArgumentEffect]:
        name = self.summaries.name_of(function)
        if name in self.done:
            return self.done[name]
        count = len(function.regions[0].blocks[0].arguments)
        result = [ArgumentEffect() for _ in range(count)]
        self.done[name] = result
        provenance = self.summaries.provenance_of(function)
        for operation in walk(function):
            for operand, effect in self._effects(operation):
                self._attribute(provenance, operand, effect, operation, result)
        return result

    def _effects(
        self, operation: ir.Operation
    ) -> Iterator[tuple[ir.Value, ArgumentEffect]]:
        """Gives the operands through which `operation` touches memory, and how."""
        if operation.name == "tt.call":
            callee = self.summaries.callee_of(operation)
            if callee is not None:
                effects = self.effects_of(callee)
                yield from zip(operation.operands, effects, strict=True)
            return
        effect = _own_effect(operation)
        if effect is None:
            return
        if operation.name in _FOREIGN:
            yield from ((v, effect) for v in operation.operands if is_address(v))
        else:
            yield operation.operands[0], effect

    def _attribute(
        self,
        provenance: Provenance,
        operand: ir.Value,
        effect: ArgumentEffect,
        operation: ir.Operation,
        result: list[ArgumentEffect],
    ) -> None:
        if effect.effect == "none":
            return
        roots = provenance.roots(operand)
        if not roots and (operation.name != "tt.call" or is_address(operand)):
            self._refuse(operation, effect)
        for root in roots:
            result[root].add(effect)

    def _refuse(self, operation: ir.Operation, effect: ArgumentEffect) -> None:
        verb = "writes" if effect.is_written else "reads"
        raise UnsupportedError(
            f"kernel `{self.kernel}`: `{operation.name}` {verb} memory at an address "
            "that comes from none of its arguments.",
            at=source_location(operation.location),
            hint="pass the buffer itself as an argument",
        )


def _own_effect(operation: ir.Operation) -> ArgumentEffect | None:
    name = operation.name
    if name in _READS:
        return ArgumentEffect(is_read=True)
    if name in _WRITES:
        return ArgumentEffect(False, True, source_location(operation.location))
    if name in _UPDATES:
        return ArgumentEffect(True, True, source_location(operation.location))
    if name in _FOREIGN:
        if _is_pure(operation):
            return ArgumentEffect(is_read=True)
        return ArgumentEffect(True, True, source_location(operation.location))
    return None


def _is_pure(operation: ir.Operation) -> bool:
    attributes: Any = operation.attributes
    return "pure" in attributes and str(attributes["pure"]) == "true"
