# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Rewrite of gathers with dynamic shapes: what JAX makes of `table[ids]` and `x[:, 0]`.

IREE reshapes what a gather gives, which it cannot do with dynamic shapes, and does not
know `dynamic_gather`. As a `linalg.generic` each element of the result is read where
StableHLO says:

    operand[clamp(start_indices[batch][start_index_map], 0, size - slice size) + offset]
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..errors import UnsupportedError
from ..mlir import arith, ir
from .dynamic_operations import replace, shape_scalars
from .linalg_builders import create_empty, create_generic, create_loop_index
from .scalar_folding import ScalarFolder, tensor_dim
from .signless import drop_sign, signless

_LISTS = re.compile(r"(\w+) = \[([^\]]*)\]")
_VECTOR_DIM = re.compile(r"index_vector_dim = (\d+)")


@dataclass(frozen=True)
class _GatherDimensions:
    """StableHLO's dimension numbers of a gather, under their names there."""

    index_vector_dim: int
    offset_dims: tuple[int, ...] = ()
    collapsed_slice_dims: tuple[int, ...] = ()
    operand_batching_dims: tuple[int, ...] = ()
    start_indices_batching_dims: tuple[int, ...] = ()
    start_index_map: tuple[int, ...] = ()

    @classmethod
    def of(cls, operation: ir.Operation) -> _GatherDimensions:
        """Reads them from the attribute's text: the bindings have no class for it."""
        text = str(operation.attributes["dimension_numbers"])
        vector_dim = _VECTOR_DIM.search(text)
        return cls(
            int(vector_dim[1]) if vector_dim else 0,
            **{
                name: tuple(int(dim) for dim in dims.split(",") if dim.strip())
                for name, dims in _LISTS.findall(text)
            },
        )


def rewrite_gather(operation: ir.Operation, folder: ScalarFolder) -> None:
    """Replaces a dynamic gather by a `linalg.generic` that reads its operand."""
    result = ir.RankedTensorType(operation.results[0].type)
    if operation.name == "stablehlo.gather" and result.has_static_shape:
        return
    drop_sign(operation, [0])
    gather = _Gather(operation, folder)
    result = ir.RankedTensorType(operation.results[0].type)
    empty = create_empty(result, gather.result_sizes())
    identity = ir.AffineMap.get_identity(result.rank)
    iterators = ["parallel"] * result.rank
    replace(
        operation,
        create_generic([], empty, [identity], iterators, lambda _: gather.element()),
    )


class _Gather:
    """One gather: sizes on the host, and the element that a loop iteration reads."""

    def __init__(self, operation: ir.Operation, folder: ScalarFolder) -> None:
        self.operand, self.indices = list(operation.operands)[:2]
        element = ir.RankedTensorType(self.indices.type).element_type
        self.has_unsigned_indices = ir.IntegerType(element).is_unsigned
        self.dimensions = _GatherDimensions.of(operation)
        self.result_rank = ir.RankedTensorType(operation.results[0].type).rank
        self.slice_sizes = _slice_sizes(operation, folder)
        operand_rank = ir.RankedTensorType(self.operand.type).rank
        removed = (
            *self.dimensions.collapsed_slice_dims,
            *self.dimensions.operand_batching_dims,
        )
        self.window_dims = [d for d in range(operand_rank) if d not in removed]
        self.batch_dims = [
            d for d in range(self.result_rank) if d not in self.dimensions.offset_dims
        ]
        # The last index that a slice may start at, for each dimension.
        self.last_starts = [
            arith.subi(tensor_dim(self.operand, dim), size)
            for dim, size in enumerate(self.slice_sizes)
        ]
        self.known_starts = _known_starts(self.indices, folder)
        self.indices = signless(self.indices)

    def result_sizes(self) -> list[ir.Value]:
        """The sizes of all dimensions of the result."""
        rank = ir.RankedTensorType(self.indices.type).rank
        batch = [d for d in range(rank) if d != self.dimensions.index_vector_dim]
        sizes: dict[int, ir.Value] = {
            result_dim: tensor_dim(self.indices, dim)
            for result_dim, dim in zip(self.batch_dims, batch, strict=True)
        }
        for result_dim, dim in zip(
            self.dimensions.offset_dims, self.window_dims, strict=True
        ):
            sizes[result_dim] = self.slice_sizes[dim]
        return [sizes[dim] for dim in range(self.result_rank)]

    def element(self) -> ir.Value:
        """The operand's element for the current iteration, inside the loop's body."""
        loops = [create_loop_index(dim) for dim in range(self.result_rank)]
        batch = [loops[dim] for dim in self.batch_dims]
        position = self._starts(batch)
        for result_dim, dim in zip(
            self.dimensions.offset_dims, self.window_dims, strict=True
        ):
            offset = loops[result_dim]
            start = position.get(dim)
            position[dim] = offset if start is None else arith.addi(start, offset)
        zero = _index(0)
        rank = ir.RankedTensorType(self.operand.type).rank
        return _extract(self.operand, [position.get(d, zero) for d in range(rank)])

    def _starts(self, batch: list[ir.Value]) -> dict[int, ir.Value]:
        """Where the slice starts, by the operand's dimension; 0 where absent."""
        starts: dict[int, ir.Value] = {}
        for component, dim in enumerate(self.dimensions.start_index_map):
            index = self._start_index(batch, component)
            starts[dim] = arith.maxsi(
                arith.minsi(index, self.last_starts[dim]), _index(0)
            )
        vector_dim = self.dimensions.index_vector_dim
        for dim, indices_dim in zip(
            self.dimensions.operand_batching_dims,
            self.dimensions.start_indices_batching_dims,
            strict=True,
        ):
            starts[dim] = batch[indices_dim - (indices_dim > vector_dim)]
        return starts

    def _start_index(self, batch: list[ir.Value], component: int) -> ir.Value:
        if self.known_starts is not None:
            return self.known_starts[component]
        vector_dim = self.dimensions.index_vector_dim
        place = list(batch)
        if vector_dim < ir.RankedTensorType(self.indices.type).rank:
            place.insert(vector_dim, _index(component))
        value = _extract(self.indices, place)
        is_unsigned = self.has_unsigned_indices
        index_cast = arith.index_castui if is_unsigned else arith.index_cast
        return index_cast(ir.IndexType.get(), value)


def _slice_sizes(operation: ir.Operation, folder: ScalarFolder) -> list[ir.Value]:
    if operation.name == "stablehlo.dynamic_gather":
        return shape_scalars(operation.operands[2], folder)
    sizes = ir.DenseI64ArrayAttr(operation.attributes["slice_sizes"])
    return [_index(size) for size in sizes]


def _known_starts(indices: ir.Value, folder: ScalarFolder) -> list[ir.Value] | None:
    """The one vector of start indices as scalars, if it is made of shapes."""
    if ir.RankedTensorType(indices.type).rank > 1:
        return None
    try:
        return shape_scalars(indices, folder)
    except UnsupportedError:
        return None  # It comes from data; the loop reads it.


def _extract(tensor: ir.Value, place: list[ir.Value]) -> ir.Value:
    element = ir.RankedTensorType(tensor.type).element_type
    operation = ir.Operation.create(
        "tensor.extract", results=[element], operands=[tensor, *place]
    )
    return operation.results[0]


def _index(value: int) -> ir.Value:
    index = ir.IndexType.get()
    return arith.constant(index, ir.IntegerAttr.get(index, value))
