# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Which arguments of a function the addresses in it come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..errors import PassError
from ..mlir import ir, walk

Roots = frozenset[int]
_NONE: Roots = frozenset()

_DATA = frozenset(
    {
        "tt.atomic_cas",
        "tt.atomic_load",
        "tt.atomic_poll",
        "tt.atomic_rmw",
        "tt.descriptor_gather",
        "tt.descriptor_load",
        "tt.load",
        "arith.cmpi",
        "arith.cmpf",
    }
)
"""Operations whose results are no longer addresses that their operands were."""


class Summaries:
    """The functions of a module, and the provenance inside of each."""

    def __init__(self, module: ir.Module) -> None:
        self._functions = {
            self.name_of(operation.operation): operation.operation
            for operation in module.body.operations
            if operation.operation.name == "tt.func"
        }
        self._done: dict[str, Provenance | None] = {}

    @staticmethod
    def name_of(function: ir.Operation) -> str:
        """Gives the symbol of a `tt.func`."""
        return ir.StringAttr(function.attributes["sym_name"]).value

    def callee_of(self, call: ir.Operation) -> ir.Operation | None:
        """Gives the function that a `tt.call` calls, unless it is only declared."""
        callee = ir.FlatSymbolRefAttr(call.attributes["callee"]).value
        function = self._functions.get(callee)
        if function is None or not len(function.regions[0].blocks):
            return None
        return function

    def provenance_of(self, function: ir.Operation) -> Provenance:
        """Gives where the addresses in `function` come from.

        Raises: PassError: if functions call each other in a circle.
        """
        name = self.name_of(function)
        if name not in self._done:
            self._done[name] = None
            self._done[name] = Provenance(function, self)
        known = self._done[name]
        if known is None:
            raise PassError(f"function `{name}` calls itself.")
        return known


def entry_function(module: ir.Module) -> ir.Operation:
    """Gives the public function of generic TTIR."""
    for operation in module.body.operations:
        function = operation.operation
        if function.name == "tt.func" and is_public(function):
            return function
    raise PassError("the kernel's IR has no public function.")


def is_public(function: ir.Operation) -> bool:
    """Whether a `tt.func` is what a launch enters."""
    attributes = function.attributes
    if "sym_visibility" not in attributes:
        return True
    return ir.StringAttr(attributes["sym_visibility"]).value == "public"


def is_address(value: ir.Value) -> bool:
    """Whether `value` is a pointer, a block of pointers or a tensor descriptor."""
    text = str(value.type)
    return "!tt.ptr" in text or "!tt.tensordesc" in text


class Provenance:
    """For each value of a function the arguments that it may be an address into.

    Attributes:
        returned: the same for each result of the function.
    """

    def __init__(self, function: ir.Operation, summaries: Summaries) -> None:
        self._summaries = summaries
        self._roots: dict[ir.Value, Roots] = {}
        self.returned: list[Roots] = []
        entry = function.regions[0].blocks[0]
        # An integer of the entry is an offset; to a callee it may bring an address.
        is_entry = is_public(function)
        for index, argument in enumerate(entry.arguments):
            if is_address(argument) or not is_entry:
                self._roots[argument] = frozenset({index})
        operations = [o for o in walk(function) if o != function]
        # Loops and branches go backwards, so sweep until nothing changes.
        self._changed = True
        while self._changed:
            self._changed = False
            for operation in operations:
                self._transfer(operation)

    def roots(self, value: ir.Value) -> Roots:
        """Gives the arguments that `value` may be an address into."""
        return self._roots.get(value, _NONE)

    def _flow(self, sources: Iterable[ir.Value], targets: Iterable[ir.Value]) -> None:
        for source, target in zip(sources, targets, strict=True):
            self._add(target, self.roots(source))

    def _add(self, target: ir.Value, roots: Roots) -> None:
        before = self.roots(target)
        if not roots <= before:
            self._roots[target] = before | roots
            self._changed = True

    def _transfer(self, operation: ir.Operation) -> None:
        name = operation.name
        if name in _DATA:
            return
        if name == "scf.for":
            self._flow(list(operation.operands)[3:], _arguments(operation, 0)[1:])
        elif name == "scf.while":
            self._flow(operation.operands, _arguments(operation, 0))
        elif name == "scf.yield":
            self._yield(operation)
        elif name == "scf.condition":
            self._condition(operation)
        elif name == "tt.return":
            self._return(operation)
        elif name == "tt.call":
            self._call(operation)
        elif len(operation.successors):
            self._branch(operation)
        elif name != "scf.if":
            self._compute(operation)

    def _compute(self, operation: ir.Operation) -> None:
        """Lets every result, and value in a reduction, come from every operand."""
        roots = _NONE.union(*map(self.roots, operation.operands))
        if not roots:
            return
        for target in _targets(operation):
            self._add(target, roots)

    def _yield(self, operation: ir.Operation) -> None:
        parent = _parent(operation)
        operands = list(operation.operands)
        if parent.name == "scf.while":
            self._flow(operands, _arguments(parent, 0))
            return
        self._flow(operands, parent.results)
        if parent.name == "scf.for":
            self._flow(operands, _arguments(parent, 0)[1:])
            # A loop that runs no time at all gives its first values.
            self._flow(list(parent.operands)[3:], parent.results)

    def _condition(self, operation: ir.Operation) -> None:
        parent = _parent(operation)
        carried = list(operation.operands)[1:]
        self._flow(carried, _arguments(parent, 1))
        self._flow(carried, parent.results)

    def _branch(self, operation: ir.Operation) -> None:
        carried = list(operation.operands)
        counts = [len(block.arguments) for block in operation.successors]
        # A condition or flag stands before what goes to the successors.
        position = len(carried) - sum(counts)
        for block, count in zip(operation.successors, counts, strict=True):
            self._flow(carried[position : position + count], block.arguments)
            position += count

    def _return(self, operation: ir.Operation) -> None:
        roots = [self.roots(value) for value in operation.operands]
        before = self.returned or [_NONE] * len(roots)
        self.returned = [a | b for a, b in zip(before, roots, strict=True)]

    def _call(self, operation: ir.Operation) -> None:
        callee = self._summaries.callee_of(operation)
        if callee is None:
            self._compute(operation)
            return
        returned = self._summaries.provenance_of(callee).returned
        operands = list(operation.operands)
        for result, sources in zip(operation.results, returned, strict=True):
            roots = _NONE.union(*(self.roots(operands[i]) for i in sources))
            self._add(result, roots)


def _arguments(operation: ir.Operation, region: int) -> list[ir.Value]:
    return list(operation.regions[region].blocks[0].arguments)


def _parent(operation: ir.Operation) -> ir.Operation:
    parent = operation.parent
    if parent is None:
        raise PassError(f"`{operation.name}` stands outside of any operation.")
    return parent.operation


def _targets(operation: ir.Operation) -> Iterator[ir.Value]:
    yield from operation.results
    for region in operation.regions:
        for block in region.blocks:
            yield from block.arguments
