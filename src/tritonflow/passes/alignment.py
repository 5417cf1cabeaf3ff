# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Where in a buffer a tensor may begin: GPU kernels are compiled for 16-byte pointers.

Buffers begin at multiples of 64 bytes and more, but IREE passes a contiguous slice of a
tensor as the same buffer with an offset, which can be any multiple of an element.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..mlir import ir, walk

POINTER_ALIGNMENT = 16
"""What Triton's launcher promises of pointers, and kernels are specialised for."""

_SAME_START = (
    "flow.tensor.bitcast",
    "flow.tensor.reshape",
    "flow.tensor.tie_shape",
    "stablehlo.bitcast_convert",
    "stablehlo.optimization_barrier",
    "stablehlo.reshape",
    "stablehlo.dynamic_reshape",
    "tensor.cast",
    "tensor.collapse_shape",
    "tensor.expand_shape",
    "tensor.reshape",
)
_SLICES = (
    "flow.tensor.slice",
    "stablehlo.real_dynamic_slice",
    "tensor.extract_slice",
)
_ALL_SLICES = (*_SLICES, "stablehlo.slice", "stablehlo.dynamic_slice")
_BRANCHES = ("stablehlo.case", "stablehlo.if", "scf.if", "scf.index_switch")
_LOOPS = ("stablehlo.while", "scf.while")


class Alignment:
    """Answers whether a tensor of `module` may begin at an odd place of a buffer.

    The answer errs to yes. It looks through views, branches, loops and calls; what any
    other operation computes has a buffer of its own.
    """

    def __init__(self, module: ir.Module) -> None:
        self._functions: dict[str, ir.Operation] = {}
        self._calls: dict[str, list[ir.Operation]] = {}
        for operation in walk(module.operation):
            if operation.name == "func.func":
                name = ir.StringAttr(operation.attributes["sym_name"]).value
                self._functions[name] = operation
            elif operation.name == "func.call":
                self._calls.setdefault(_callee(operation), []).append(operation)

    def may_be_odd(self, tensor: ir.Value) -> bool:
        """Whether `tensor` may begin off a multiple of `POINTER_ALIGNMENT` bytes."""
        seen: set[ir.Value] = set()
        stack = [tensor]
        while stack:
            value = stack.pop()
            if value in seen:
                continue
            seen.add(value)
            if isinstance(value.owner, ir.Block):
                stack += self._sources_of_argument(ir.BlockArgument(value))
                continue
            result = ir.OpResult(value)
            if _starts_odd(result.owner.operation):
                return True
            stack += self._sources_of_result(result)
        return False

    def _sources_of_argument(self, argument: ir.BlockArgument) -> Iterator[ir.Value]:
        owner = argument.owner.owner.operation
        if owner.name == "func.func":
            name = ir.StringAttr(owner.attributes["sym_name"]).value
            for call in self._calls.get(name, ()):
                yield call.operands[argument.arg_number]
        elif owner.name in _LOOPS:
            yield owner.operands[argument.arg_number]
            yield from _yielded(owner, argument.arg_number)

    def _sources_of_result(self, result: ir.OpResult) -> Iterator[ir.Value]:
        owner, number = result.owner.operation, result.result_number
        if owner.name == "stablehlo.optimization_barrier":
            yield owner.operands[number]
        elif owner.name in _SAME_START or owner.name in _ALL_SLICES:
            yield owner.operands[0]
        elif owner.name in _BRANCHES:
            yield from _yielded(owner, number)
        elif owner.name in _LOOPS:
            yield owner.operands[number]
            yield from _yielded(owner, number)
        elif owner.name == "func.call" and _callee(owner) in self._functions:
            yield from _yielded(self._functions[_callee(owner)], number)


def _callee(call: ir.Operation) -> str:
    return ir.FlatSymbolRefAttr(call.attributes["callee"]).value


def _yielded(operation: ir.Operation, number: int) -> Iterator[ir.Value]:
    """What the last operation of each block of `operation` gives as its `number`th."""
    for region in operation.regions:
        for block in region.blocks:
            operands = list(list(block.operations)[-1].operands)
            if number < len(operands):
                yield operands[number]


def _starts_odd(operation: ir.Operation) -> bool:
    """Whether a slice may begin off the alignment within the tensor it is cut from."""
    if operation.name in _SLICES:
        return True
    if operation.name not in _ALL_SLICES:
        return False
    source = ir.RankedTensorType(operation.operands[0].type)
    starts: list[int | None] = [None] * source.rank
    if operation.name == "stablehlo.slice":
        starts = list(ir.DenseI64ArrayAttr(operation.attributes["start_indices"]))
    result = ir.RankedTensorType(operation.results[0].type)
    for axis, start in enumerate(starts):
        is_whole = not source.is_dynamic_dim(axis) and (
            result.get_dim_size(axis) == source.get_dim_size(axis)
        )
        if is_whole or start == 0:
            continue
        step = _step_bytes(source, axis)
        if step is None or (step * (1 if start is None else start)) % POINTER_ALIGNMENT:
            return True
    return False


def _step_bytes(tensor: ir.RankedTensorType, axis: int) -> int | None:
    """Bytes from one index of `axis` to the next; None if only run time knows."""
    inner = range(axis + 1, tensor.rank)
    if any(tensor.is_dynamic_dim(dimension) for dimension in inner):
        return None
    elements = math.prod(tensor.get_dim_size(dimension) for dimension in inner)
    return elements * max(_bits(tensor.element_type) // 8, 1)


def _bits(element: ir.Type) -> int:
    if isinstance(element, ir.IntegerType | ir.FloatType):
        return element.width
    return 8 if not isinstance(element, ir.ComplexType) else 64
