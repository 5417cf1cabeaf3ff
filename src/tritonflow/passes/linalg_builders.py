# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The few `linalg` and `tensor` operations that dynamic shapes are rewritten to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..dialect.shapes import dynamic_dimensions
from ..mlir import arith, ir

Body = Callable[[list[ir.Value]], ir.Value]
"""Computes one element of the result from those of the inputs and of the output."""


def create_empty(
    tensor_type: ir.RankedTensorType, dims: Sequence[ir.Value]
) -> ir.Value:
    """Gives an uninitialised tensor; `dims` holds all dimensions as `index`."""
    operation = ir.Operation.create(
        "tensor.empty",
        results=[tensor_type],
        operands=[dims[i] for i in dynamic_dimensions(tensor_type)],
    )
    return operation.results[0]


def create_fill(value: ir.Value, output: ir.Value) -> ir.Value:
    """Gives `output` with every element set to the scalar `value`."""
    rank = ir.RankedTensorType(output.type).rank
    maps = [ir.AffineMap.get(rank, 0, []), ir.AffineMap.get_identity(rank)]
    return create_generic([value], output, maps, ["parallel"] * rank, lambda xs: xs[0])


def create_generic(
    inputs: Sequence[ir.Value],
    output: ir.Value,
    maps: Sequence[ir.AffineMap],
    iterators: Sequence[str],
    body: Body,
) -> ir.Value:
    """Gives the result of a `linalg.generic`.

    Args:
        inputs: tensors or scalars.
        output: the initial value, whose type is the result's.
        maps: one for each input, then the output's.
        iterators: `parallel` or `reduction` for each loop.
        body: see `Body`; called once, inside.
    """
    operation = ir.Operation.create(
        "linalg.generic",
        results=[output.type],
        operands=[*inputs, output],
        attributes={
            "indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(m) for m in maps]),
            "iterator_types": ir.ArrayAttr.get(
                [ir.Attribute.parse(f"#linalg.iterator_type<{i}>") for i in iterators]
            ),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(inputs), 1]),
        },
        regions=1,
    )
    scalar_types = [_element_type(value.type) for value in (*inputs, output)]
    location = ir.Location.current
    block = operation.regions[0].blocks.append(
        *scalar_types, arg_locs=[location] * len(scalar_types)
    )
    with ir.InsertionPoint(block):
        ir.Operation.create("linalg.yield", operands=[body(list(block.arguments))])
    return operation.results[0]


def create_loop_index(dimension: int) -> ir.Value:
    """Gives a loop's counter, inside the body of a `linalg.generic`."""
    i64 = ir.IntegerType.get_signless(64)
    operation = ir.Operation.create(
        "linalg.index",
        results=[ir.IndexType.get()],
        attributes={"dim": ir.IntegerAttr.get(i64, dimension)},
    )
    return operation.results[0]


def create_reshape(
    tensor: ir.Value, tensor_type: ir.RankedTensorType, dims: Sequence[ir.Value]
) -> ir.Value:
    """Gives `tensor` in another shape; `dims` holds all dimensions as `index`."""
    index = ir.IndexType.get()
    shape_type = ir.RankedTensorType.get([len(dims)], index)
    shape = ir.Operation.create(
        "tensor.from_elements", results=[shape_type], operands=list(dims)
    ).results[0]
    operation = ir.Operation.create(
        "tensor.reshape", results=[tensor_type], operands=[tensor, shape]
    )
    return operation.results[0]


def create_collapse(
    tensor: ir.Value, tensor_type: ir.Type, groups: Sequence[Sequence[int]]
) -> ir.Value:
    """Gives `tensor` with each group of its dimensions as one dimension."""
    operation = ir.Operation.create(
        "tensor.collapse_shape",
        results=[tensor_type],
        operands=[tensor],
        attributes={"reassociation": _reassociation(groups)},
    )
    return operation.results[0]


def create_expand(
    tensor: ir.Value,
    tensor_type: ir.RankedTensorType,
    groups: Sequence[Sequence[int]],
    dims: Sequence[ir.Value],
) -> ir.Value:
    """Gives `tensor` with each of its dimensions as a group; `dims` holds all."""
    dynamic = dynamic_dimensions(tensor_type)
    unknown = ir.ShapedType.get_dynamic_size()
    operation = ir.Operation.create(
        "tensor.expand_shape",
        results=[tensor_type],
        operands=[tensor, *[dims[i] for i in dynamic]],
        attributes={
            "reassociation": _reassociation(groups),
            "static_output_shape": ir.DenseI64ArrayAttr.get(
                [
                    unknown if i in dynamic else tensor_type.get_dim_size(i)
                    for i in range(tensor_type.rank)
                ]
            ),
        },
    )
    return operation.results[0]


def create_zero(element_type: ir.Type) -> ir.Value:
    """Gives the scalar 0 of an integer or float type."""
    if isinstance(element_type, ir.IntegerType):
        return arith.constant(element_type, ir.IntegerAttr.get(element_type, 0))
    return arith.constant(element_type, ir.FloatAttr.get(element_type, 0.0))


def _reassociation(groups: Sequence[Sequence[int]]) -> ir.ArrayAttr:
    i64 = ir.IntegerType.get_signless(64)
    return ir.ArrayAttr.get(
        [
            ir.ArrayAttr.get([ir.IntegerAttr.get(i64, dim) for dim in group])
            for group in groups
        ]
    )


def _element_type(value_type: ir.Type) -> ir.Type:
    if isinstance(value_type, ir.RankedTensorType):
        return value_type.element_type
    return value_type
