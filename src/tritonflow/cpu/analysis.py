# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What happens to the values of a TTIR function: who evaluates them, and when."""

from __future__ import annotations

from ..mlir import ir, walk

LAZY_OPERATIONS = frozenset(
    {
        "tt.splat",
        "tt.expand_dims",
        "tt.broadcast",
        "tt.addptr",
        "tt.load",
        "tt.trans",
        "tt.reshape",
        "tt.bitcast",
        "tt.fp_to_fp",
        "tt.clampf",
        "tt.mulhiui",
        "tt.precise_sqrt",
        "tt.precise_divf",
        "tt.extern_elementwise",
        "tt.int_to_ptr",
        "tt.ptr_to_int",
    }
)
"""Operations on blocks that emit nothing until their result is evaluated."""

STORES = frozenset(
    {"tt.store", "tt.atomic_rmw", "tt.atomic_cas", "tt.call", "tt.descriptor_store"}
)
"""Operations that may write memory."""

YIELDS = frozenset({"scf.yield", "tt.return", "cf.br", "cf.cond_br"})
"""Terminators that hand values on."""


def is_lazy(operation: ir.Operation) -> bool:
    """Whether an operation on blocks becomes an expression."""
    dialect = operation.name.partition(".")[0]
    return dialect in ("arith", "math") or operation.name in LAZY_OPERATIONS


def is_block(type_: ir.Type) -> bool:
    """Whether a value of `type_` is a block."""
    return isinstance(type_, ir.RankedTensorType)


class Uses:
    """Who evaluates each block of a function, in program order.

    An operation that is not lazy, say a store or a reduction, evaluates its operands
    and all expressions behind them: it is a sink of those values.
    """

    def __init__(self, function: ir.Operation) -> None:
        self._order: dict[ir.Operation, int] = {}
        self._stores: list[int] = []
        for number, operation in enumerate(walk(function)):
            self._order[operation] = number
            if operation.name in STORES:
                self._stores.append(number)
        self._sinks: dict[ir.Value, frozenset[tuple[int, int]]] = {}

    def sinks(self, value: ir.Value) -> frozenset[tuple[int, int]]:
        """Gives the evaluations of `value`: position in program order, and a number.

        The number tells the operands of a terminator apart, which evaluates each of
        them on its own.
        """
        # No recursion: unrolled loops make chains of thousands of operations.
        pending = [value]
        while pending:
            current = pending[-1]
            own, passed_on = self._uses(current)
            waiting = [each for each in passed_on if each not in self._sinks]
            if waiting:
                pending.extend(waiting)
                continue
            pending.pop()
            self._sinks[current] = own.union(*(self._sinks[v] for v in passed_on))
        return self._sinks[value]

    def _uses(
        self, value: ir.Value
    ) -> tuple[frozenset[tuple[int, int]], list[ir.Value]]:
        """Gives where `value` itself is evaluated, and the lazy values made of it."""
        if value in self._sinks:
            return self._sinks[value], []
        own: set[tuple[int, int]] = set()
        passed_on: list[ir.Value] = []
        for use in value.uses:
            user = use.owner.operation
            if is_lazy(user) and is_block(user.results[0].type):
                passed_on.append(user.results[0])
            else:
                number = use.operand_number if user.name in YIELDS else 0
                own.add((self._order[user], number))
        return frozenset(own), passed_on

    def is_shared(self, value: ir.Value) -> bool:
        """Whether several operations evaluate `value`."""
        return len(self.sinks(value)) > 1

    def crosses_store(self, value: ir.Value) -> bool:
        """Whether memory may be written between `value` and its last evaluation."""
        sinks = self.sinks(value)
        if not sinks:
            return False
        operation = defining(value)
        assert operation is not None
        first, last = self._order[operation], max(sinks)[0]
        return any(first < store < last for store in self._stores)


def contains_store(operation: ir.Operation) -> bool:
    """Whether an operation or one inside its regions may write memory."""
    return any(each.name in STORES for each in walk(operation))


def captured(operation: ir.Operation) -> list[ir.Value]:
    """Gives the values from outside that operations in the regions of `operation` use.

    A value is given once for each use.
    """
    found = []
    for each in walk(operation):
        if each == operation:
            continue
        for operand in each.operands:
            if not _is_inside(operand, operation):
                found.append(operand)
    return found


def _is_inside(value: ir.Value, operation: ir.Operation) -> bool:
    owner = value.owner
    parent = owner.owner if isinstance(owner, ir.Block) else owner.operation.parent
    while parent is not None:
        if parent.operation == operation:
            return True
        parent = parent.operation.parent
    return False


def block_of(value: ir.Value) -> ir.Block:
    """Gives the MLIR block in which a value is defined."""
    owner = value.owner
    return owner if isinstance(owner, ir.Block) else owner.operation.block


def defining(value: ir.Value) -> ir.Operation | None:
    """Gives the operation that a value is a result of, None for a block's argument."""
    owner = value.owner
    return None if isinstance(owner, ir.Block) else owner.operation
