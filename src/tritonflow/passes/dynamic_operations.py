# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Rewrites of StableHLO operations whose shapes are operands.

Each takes the operation, at whose place the insertion point is, and replaces it. Shapes
become scalars on the host.
"""

from __future__ import annotations

from ..errors import UnsupportedError
from ..mlir import arith, ir, source_location
from .linalg_builders import (
    create_collapse,
    create_empty,
    create_expand,
    create_generic,
    create_loop_index,
    create_reshape,
)
from .reshape_groups import expansion_groups
from .scalar_folding import ScalarFolder, tensor_dim
from .signless import drop_sign, signless


def rewrite_broadcast(operation: ir.Operation, folder: ScalarFolder) -> None:
    """`dynamic_broadcast_in_dim` becomes a `linalg.generic` that copies elements.

    A dimension of size 1 in the operand's type is repeated, every other one is kept:
    JAX never repeats along a symbolic dimension.
    """
    drop_sign(operation, [0])
    operand, shape = list(operation.operands)[:2]
    source = ir.RankedTensorType(operand.type)
    result = ir.RankedTensorType(operation.results[0].type)
    positions = list(ir.DenseI64ArrayAttr(operation.attributes["broadcast_dimensions"]))
    zero = ir.AffineConstantExpr.get(0)
    expressions = [
        ir.AffineDimExpr.get(position)
        if source.is_dynamic_dim(dim) or source.get_dim_size(dim) != 1
        else zero
        for dim, position in enumerate(positions)
    ]
    maps = [
        ir.AffineMap.get(result.rank, 0, expressions),
        ir.AffineMap.get_identity(result.rank),
    ]
    empty = create_empty(result, shape_scalars(shape, folder))
    iterators = ["parallel"] * result.rank
    replace(
        operation, create_generic([operand], empty, maps, iterators, lambda xs: xs[0])
    )


def rewrite_reshape(operation: ir.Operation, folder: ScalarFolder) -> None:
    """`dynamic_reshape` becomes `expand_shape`, `collapse_shape`, or `tensor.reshape`.

    The first two tell IREE more, and are used where the types leave no doubt.
    """
    drop_sign(operation, [0])
    operand, shape = operation.operands
    result = ir.RankedTensorType(operation.results[0].type)
    before, after = _sizes(ir.RankedTensorType(operand.type)), _sizes(result)
    dims = shape_scalars(shape, folder)
    if len(after) >= len(before) and (groups := expansion_groups(before, after)):
        replace(operation, create_expand(operand, result, groups, dims))
    elif len(after) < len(before) and (groups := expansion_groups(after, before)):
        replace(operation, create_collapse(operand, result, groups))
    else:
        replace(operation, create_reshape(operand, result, dims))


def rewrite_iota(operation: ir.Operation, folder: ScalarFolder) -> None:
    """`dynamic_iota` becomes a `linalg.generic` that converts a loop's counter."""
    drop_sign(operation, [])
    result = ir.RankedTensorType(operation.results[0].type)
    dimension = ir.IntegerAttr(operation.attributes["iota_dimension"]).value
    empty = create_empty(result, shape_scalars(operation.operands[0], folder))

    def body(_: list[ir.Value]) -> ir.Value:
        counter = create_loop_index(dimension)
        element = result.element_type
        if isinstance(element, ir.IntegerType):
            return arith.index_cast(element, counter)
        i64 = ir.IntegerType.get_signless(64)
        return arith.sitofp(element, arith.index_cast(i64, counter))

    identity = ir.AffineMap.get_identity(result.rank)
    iterators = ["parallel"] * result.rank
    replace(operation, create_generic([], empty, [identity], iterators, body))


def rewrite_slice(operation: ir.Operation, folder: ScalarFolder) -> None:
    """`real_dynamic_slice` becomes `tensor.extract_slice`.

    The size of each dimension is ceil((limit - start) / stride).
    """
    drop_sign(operation, [0])
    operand, *bounds = operation.operands
    starts, limits, strides = (shape_scalars(bound, folder) for bound in bounds)
    sizes = [
        arith.ceildivsi(arith.subi(limit, start), stride)
        for start, limit, stride in zip(starts, limits, strides, strict=True)
    ]
    result = ir.RankedTensorType(operation.results[0].type)
    replace(operation, _extract_slice(operand, result, starts, sizes, strides))


def rewrite_pad(operation: ir.Operation, folder: ScalarFolder) -> None:
    """`dynamic_pad` becomes `tensor.pad`.

    Raises: UnsupportedError: on padding between elements.
    """
    drop_sign(operation, [0, 1])
    operand, padding, *amounts = operation.operands
    low, high, interior = amounts
    if not _is_all_zero(interior):
        raise UnsupportedError(
            "`stablehlo.dynamic_pad`: padding between elements is not supported with "
            "symbolic dimensions.",
            at=source_location(operation.location),
        )
    result = ir.RankedTensorType(operation.results[0].type)
    dynamic = ir.DenseI64ArrayAttr.get([ir.ShapedType.get_dynamic_size()] * result.rank)
    value = _element(padding)
    lows, highs = shape_scalars(low, folder), shape_scalars(high, folder)
    pad = ir.Operation.create(
        "tensor.pad",
        results=[result],
        operands=[operand, *lows, *highs],
        attributes={
            "static_low": dynamic,
            "static_high": dynamic,
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get(
                [1, result.rank, result.rank]
            ),
        },
        regions=1,
    )
    location = ir.Location.current
    block = pad.regions[0].blocks.append(
        *[ir.IndexType.get()] * result.rank, arg_locs=[location] * result.rank
    )
    with ir.InsertionPoint(block):
        ir.Operation.create("tensor.yield", operands=[value])
    replace(operation, pad.results[0])


def rewrite_update_slice(operation: ir.Operation, folder: ScalarFolder) -> None:
    """`dynamic_update_slice` of dynamic shapes becomes `tensor.insert_slice`.

    Where it starts is clamped, so that all of the update fits. A start that comes from
    data is read back to the host, as IREE does it for static shapes.
    """
    types = [ir.RankedTensorType(value.type) for value in operation.operands[:2]]
    if all(tensor_type.has_static_shape for tensor_type in types):
        return
    drop_sign(operation, [0, 1])
    operand, update, *starts = operation.operands
    rank = types[0].rank
    sizes = [tensor_dim(update, dim) for dim in range(rank)]
    zero = arith.constant(ir.IndexType.get(), 0)
    offsets = []
    for dim, start in enumerate(starts):
        last = arith.subi(tensor_dim(operand, dim), sizes[dim])
        offsets.append(
            arith.maxsi(arith.minsi(_scalar_index(start, folder), last), zero)
        )
    unknown = ir.ShapedType.get_dynamic_size()
    static_sizes = [unknown if s is None else s for s in _sizes(types[1])]
    run_time = [
        s for s, known in zip(sizes, _sizes(types[1]), strict=True) if known is None
    ]
    insert = ir.Operation.create(
        "tensor.insert_slice",
        results=[operand.type],
        operands=[update, operand, *offsets, *run_time],
        attributes={
            "static_offsets": ir.DenseI64ArrayAttr.get([unknown] * rank),
            "static_sizes": ir.DenseI64ArrayAttr.get(static_sizes),
            "static_strides": ir.DenseI64ArrayAttr.get([1] * rank),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get(
                [1, 1, rank, len(run_time), 0]
            ),
        },
    )
    replace(operation, insert.results[0])


def replace(operation: ir.Operation, value: ir.Value) -> None:
    """Puts `value` in the place of the one result of `operation`."""
    operation.results[0].replace_all_uses_with(value)
    operation.erase()


def shape_scalars(tensor: ir.Value, folder: ScalarFolder) -> list[ir.Value]:
    """Gives the elements of an integer tensor of rank 0 or 1, as `index` on the host.

    Raises: UnsupportedError: if the tensor does not come from shapes alone.
    """
    return [folder.index(tensor, i) for i in range(len(folder.elements(tensor)))]


def _sizes(tensor_type: ir.RankedTensorType) -> list[int | None]:
    return [
        None if tensor_type.is_dynamic_dim(dim) else tensor_type.get_dim_size(dim)
        for dim in range(tensor_type.rank)
    ]


def _scalar_index(tensor: ir.Value, folder: ScalarFolder) -> ir.Value:
    """A 0-d integer tensor as an `index`: folded, or else read."""
    try:
        return folder.index(tensor)
    except UnsupportedError:
        element = ir.RankedTensorType(tensor.type).element_type
        is_unsigned = ir.IntegerType(element).is_unsigned
        cast = arith.index_castui if is_unsigned else arith.index_cast
        return cast(ir.IndexType.get(), _element(signless(tensor)))


def _is_all_zero(tensor: ir.Value) -> bool:
    if isinstance(tensor, ir.BlockArgument):
        return False
    operation = ir.OpResult(tensor).owner.operation
    if operation.name == "stablehlo.concatenate":
        return all(_is_all_zero(part) for part in operation.operands)
    if operation.name in ("stablehlo.reshape", "stablehlo.convert"):
        return _is_all_zero(operation.operands[0])
    if operation.name != "stablehlo.constant":
        return False
    values = ir.DenseIntElementsAttr(operation.attributes["value"])
    return not any(values[i] for i in range(len(values)))


def _element(tensor: ir.Value) -> ir.Value:
    element = ir.RankedTensorType(tensor.type).element_type
    operation = ir.Operation.create(
        "tensor.extract", results=[element], operands=[tensor]
    )
    return operation.results[0]


def _extract_slice(
    operand: ir.Value,
    result: ir.RankedTensorType,
    starts: list[ir.Value],
    sizes: list[ir.Value],
    strides: list[ir.Value],
) -> ir.Value:
    unknown = ir.ShapedType.get_dynamic_size()
    static_sizes = [unknown if s is None else s for s in _sizes(result)]
    dynamic = ir.DenseI64ArrayAttr.get([unknown] * result.rank)
    run_time_sizes = [
        size for size, known in zip(sizes, _sizes(result), strict=True) if known is None
    ]
    operation = ir.Operation.create(
        "tensor.extract_slice",
        results=[result],
        operands=[operand, *starts, *run_time_sizes, *strides],
        attributes={
            "static_offsets": dynamic,
            "static_sizes": ir.DenseI64ArrayAttr.get(static_sizes),
            "static_strides": dynamic,
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get(
                [1, len(starts), len(run_time_sizes), len(strides)]
            ),
        },
    )
    return operation.results[0]
