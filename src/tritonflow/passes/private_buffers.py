# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Tensors that a kernel may write: each in a buffer that nothing else is in.

IREE copies a tensor that is written while others still need it, but only between
operations: one dispatch that writes a tensor and has it as another argument too gets
one buffer for both (seen in IREE 3.13, which also removes copies made by hand). Equal
tensors become one tensor before that. What is made here stays apart: a value that the
compiler may not look into is in it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..mlir import arith, ir
from .linalg_builders import create_empty, create_generic, create_zero
from .scalar_folding import tensor_dim
from .signless import cast, signless

_CONSTANT_LIKE = (
    "stablehlo.constant",
    "stablehlo.broadcast_in_dim",
    "stablehlo.iota",
    "stablehlo.reshape",
    "stablehlo.convert",
    "arith.constant",
    "flow.tensor.splat",
)
_VIEWS = (
    "flow.tensor.bitcast",
    "flow.tensor.reshape",
    "stablehlo.bitcast_convert",
    "stablehlo.dynamic_slice",
    "stablehlo.reshape",
    "stablehlo.slice",
    "tensor.collapse_shape",
    "tensor.expand_shape",
    "tensor.extract_slice",
    "tensor.reshape",
)
"""Operations whose result IREE may find in the buffer of their first operand."""


def separate_written(
    arguments: Sequence[ir.Value], ties: Sequence[int]
) -> list[ir.Value]:
    """Gives the arguments of a dispatch with every written tensor in its own buffer.

    Args:
        arguments: tensors and scalars.
        ties: indices of the arguments that the dispatch writes.
    """
    separated = list(arguments)
    for position, tie in enumerate(ties):
        others = [
            index
            for index, other in enumerate(separated)
            if index != tie and index not in ties[position + 1 :]
        ]
        if any(_may_be_one(separated[tie], separated[other]) for other in others):
            separated[tie] = create_copy(separated[tie])
    return separated


def create_copy(tensor: ir.Value) -> ir.Value:
    """Gives a copy of `tensor` that IREE cannot take for `tensor` itself.

    It is element-wise and may be computed together with what `tensor` comes from.
    """
    bits = signless(tensor)
    if bits is not tensor:
        return cast(create_copy(bits), tensor.type)
    tensor_type = ir.RankedTensorType(tensor.type)
    element = tensor_type.element_type
    i1 = ir.IntegerType.get_signless(1)
    is_kept = create_opaque(arith.constant(i1, ir.IntegerAttr.get(i1, 1)))
    zero = create_zero(element)
    dims = [tensor_dim(tensor, dim) for dim in range(tensor_type.rank)]
    return create_generic(
        [tensor],
        create_empty(tensor_type, dims),
        [ir.AffineMap.get_identity(tensor_type.rank)] * 2,
        ["parallel"] * tensor_type.rank,
        lambda elements: arith.select(is_kept, elements[0], zero),
    )


def create_zeros(
    tensor_type: ir.RankedTensorType, dims: Sequence[ir.Value], *, is_opaque: bool
) -> ir.Value:
    """Gives a tensor of zeros; an opaque one is never taken for another one."""
    element = tensor_type.element_type
    if not is_opaque:
        return _create_splat(tensor_type, create_zero(element), dims)
    # As integers: the host does not know narrow floats.
    bits = ir.IntegerType.get_signless(_width(element))
    splat_type = ir.RankedTensorType.get(tensor_type.shape, bits)
    splat = _create_splat(splat_type, create_opaque(create_zero(bits)), dims)
    if splat_type == tensor_type:
        return splat
    operation = ir.Operation.create(
        "flow.tensor.bitcast",
        results=[tensor_type],
        operands=[splat, *dims, *dims],
        attributes={
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, len(dims), len(dims)])
        },
    )
    return operation.results[0]


def create_opaque(scalar: ir.Value) -> ir.Value:
    """Gives `scalar` as a value of which the compiler knows nothing."""
    operation = ir.Operation.create(
        "util.optimization_barrier", results=[scalar.type], operands=[scalar]
    )
    return operation.results[0]


def _width(element: ir.Type) -> int:
    if isinstance(element, ir.IntegerType | ir.FloatType):
        return element.width
    raise AssertionError(f"no kernel has elements of type {element}")


def _create_splat(
    tensor_type: ir.RankedTensorType, value: ir.Value, dims: Sequence[ir.Value]
) -> ir.Value:
    operation = ir.Operation.create(
        "flow.tensor.splat", results=[tensor_type], operands=[value, *dims]
    )
    return operation.results[0]


def _may_be_one(written: ir.Value, other: ir.Value) -> bool:
    """Whether two arguments are, or may be found to be, one tensor."""
    if _root(written) == _root(other):
        return True
    return (
        written.type == other.type
        and _is_constant_like(written)
        and _is_constant_like(other)
    )


def _root(value: ir.Value) -> ir.Value:
    """The tensor that `value` is a view of."""
    while not isinstance(value, ir.BlockArgument):
        operation = ir.OpResult(value).owner.operation
        if operation.name not in _VIEWS:
            break
        value = operation.operands[0]
    return value


def _is_constant_like(tensor: ir.Value) -> bool:
    """Whether `tensor` is made of constants alone, so that IREE may compute it."""
    stack = [tensor]
    while stack:
        value = stack.pop()
        if isinstance(value, ir.BlockArgument):
            return False
        operation = ir.OpResult(value).owner.operation
        if operation.name not in _CONSTANT_LIKE:
            return False
        stack += operation.operands
    return True
