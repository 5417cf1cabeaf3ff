# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Which arguments a program writes to or hands through, found in IREE's IR.

IREE updates an argument in place where a program needs its old value no more, and
returns it where a program does. Both are fine with memory that the caller gives away;
of such arguments the caller's own memory must not be shared, but copied.
"""

from __future__ import annotations

from ..mlir import ir, parse_module

PHASE = "stream"
"""The phase after which copies and updates are decided, and code is not yet made."""

_ENTRY = "main"
_READERS = frozenset(
    {
        "hal.buffer_view.assert",
        "hal.buffer_view.buffer",
        "hal.buffer_view.dim",
        "hal.buffer_view.element_type",
        "hal.buffer_view.encoding_type",
        "hal.buffer_view.rank",
        "stream.cmd.flush",
        "stream.resource.load",
        "stream.resource.size",
        "stream.tensor.sizeof",
    }
)
_COPY_TARGET = 3
"""Operand of `stream.cmd.copy`, after its source, the source's size and offset."""

_RENAMINGS = frozenset(
    {"stream.tensor.import", "stream.resource.subview", "stream.async.slice"}
)
_READ_ONLY = 1


def consumed_arguments(text: str | bytes) -> list[int]:
    """Gives the indices of arguments of which a call needs private copies.

    Args:
        text: the program's module after `PHASE`.
    """
    module = parse_module(text.decode() if isinstance(text, bytes) else text)
    for operation in module.body.operations:
        if operation.name == "util.func" and _is_entry(operation.operation):
            arguments = operation.regions[0].blocks[0].arguments
            return [i for i, value in enumerate(arguments) if not _is_only_read(value)]
    return []


def _is_entry(function: ir.Operation) -> bool:
    return ir.StringAttr(function.attributes["sym_name"]).value == _ENTRY


def _is_only_read(value: ir.Value) -> bool:
    """Whether nothing writes to `value`'s memory or lets it out of the function.

    What is not known to be harmless counts as a write.
    """
    pending, seen = [value], []
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.append(value)
        for use in value.uses:
            others = _other_names(use.owner.operation, use.operand_number)
            if others is None:
                return False
            pending += others
    return True


def _other_names(operation: ir.Operation, index: int) -> list[ir.Value] | None:
    """Gives the values that are the same memory as operand `index`; None on a write."""
    name = operation.name
    if name in _READERS:
        return []
    if name in _RENAMINGS:
        return list(operation.results)
    if name == "stream.cmd.copy":
        return None if index == _COPY_TARGET else []
    if name == "stream.cmd.dispatch":
        return _in_dispatch(operation, index)
    segments = _segments(operation)
    if name == "stream.cmd.execute":
        # Its operands are resources, their sizes, and what it waits for.
        is_resource = index < segments[0]
        block = operation.regions[0].blocks[0]
        return [block.arguments[index]] if is_resource else []
    if name == "stream.timepoint.await":
        return [operation.results[index]] if index < segments[0] else []
    return None


def _in_dispatch(operation: ir.Operation, index: int) -> list[ir.Value] | None:
    # Its operands are the workload, scalars, resources, then sizes and offsets of them.
    workload, scalars, resources = _segments(operation)[:3]
    position = index - workload - scalars
    if not 0 <= position < resources:
        return []
    access = ir.ArrayAttr(operation.attributes["resource_accesses"])[position]
    return [] if ir.IntegerAttr(access).value == _READ_ONLY else None


def _segments(operation: ir.Operation) -> list[int]:
    attributes = operation.attributes
    if "operandSegmentSizes" not in attributes:
        return []
    return list(ir.DenseI32ArrayAttr(attributes["operandSegmentSizes"]))
