# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Scratch memory of one workgroup, and its reuse."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..mlir import arith, ir, memref, vector
from .builder import WORKGROUP_LOCAL, Builder
from .lanes import Lanes, Uniform, Vector, as_vector
from .memory_access import byte_width
from .strips import Coordinate, Strip

ALIGNMENT = 64
"""Bytes that the size of a buffer is a multiple of: a vector register."""


class Scratch:
    """A block in scratch memory, its rows one after the other.

    Attributes:
        buffer: flat memref; several scratches of different shape may share it.
        element: type of the elements as the kernel sees them. `i1` is kept as `i8`.
        start: index of the first element in `buffer`.
    """

    def __init__(
        self,
        buffer: ir.Value,
        shape: Sequence[int],
        element: ir.Type,
        start: int = 0,
    ) -> None:
        self.buffer = buffer
        self.shape = tuple(shape)
        self.element = element
        self.start = start

    @property
    def strides(self) -> list[int]:
        """Distances of neighbours along each axis, in elements."""
        return _strides(self.shape)

    def part(self, first: int, shape: Sequence[int]) -> Scratch:
        """Gives the rows from `first` on as a block of `shape`, to be written."""
        start = self.start + first * self.strides[0]
        return Scratch(self.buffer, shape, self.element, start)

    def reshaped(self, shape: Sequence[int]) -> Scratch:
        """Gives the same elements in the same order as a block of another shape."""
        return Scratch(self.buffer, shape, self.element)

    def load(self, strip: Strip) -> Lanes:
        """Emits the load of a strip."""
        builder = strip.builder
        offset = self.place(strip.position, builder)
        axis = strip.lane_axis
        if axis is None:
            return Uniform(
                self._from_stored(builder, memref.load(self.buffer, [offset]))
            )
        stored = ir.MemRefType(self.buffer.type).element_type
        type_ = builder.vector_type(strip.width, stored)
        stride = _strides(self.shape)[axis]
        if stride == 1:
            loaded = vector.load(type_, self.buffer, [offset])
        else:
            places = self._places(builder, offset, stride, strip.width)
            loads = [memref.load(self.buffer, [place]) for place in places]
            loaded = vector.from_elements(type_, loads)
        return Vector(self._from_stored(builder, loaded))

    def store(self, strip: Strip, lanes: Lanes) -> None:
        """Emits the store of a strip."""
        builder = strip.builder
        offset = self.place(strip.position, builder)
        axis = strip.lane_axis
        if axis is None:
            assert isinstance(lanes, Uniform)
            value = self.to_stored(builder, lanes.value)
            memref.store(value, self.buffer, [offset])
            return
        value = self.to_stored(builder, as_vector(builder, lanes, strip.width))
        stride = _strides(self.shape)[axis]
        if stride == 1:
            vector.store(value, self.buffer, [offset])
            return
        for lane, place in enumerate(
            self._places(builder, offset, stride, strip.width)
        ):
            element = vector.extract(value, [], [lane])
            memref.store(element, self.buffer, [place])

    def store_raw(self, strip: Strip, value: ir.Value) -> None:
        """Emits the store of a strip along the last axis, as it stands in memory."""
        place = self.place(strip.position, strip.builder)
        if strip.lane_axis is None:
            memref.store(value, self.buffer, [place])
        else:
            vector.store(value, self.buffer, [place])

    def place(self, position: Sequence[Coordinate], builder: Builder) -> ir.Value:
        """Emits the index in the buffer of the element at a position."""
        offset = builder.idx(self.start)
        for coordinate, stride in zip(position, self.strides, strict=True):
            term = builder.mul(coordinate.value, builder.idx(stride))
            offset = builder.add(offset, term)
        return offset

    def _places(
        self, builder: Builder, offset: ir.Value, stride: int, width: int
    ) -> list[ir.Value]:
        return [
            builder.add(offset, builder.idx(lane * stride)) for lane in range(width)
        ]

    def _from_stored(self, builder: Builder, value: ir.Value) -> ir.Value:
        if self.element != builder.i1:
            return value
        return arith.cmpi(arith.CmpIPredicate.ne, value, builder.zero_like(value))

    def to_stored(self, builder: Builder, value: ir.Value) -> ir.Value:
        """Emits a scalar or vector as it stands in memory."""
        if self.element != builder.i1:
            return value
        return arith.extui(builder.like(value, builder.i8), value)


class ScratchPool:
    """Gives out scratch buffers, again when nothing refers to one any more."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._space = ir.Attribute.parse(WORKGROUP_LOCAL)
        self._areas: list[_Area] = []

    def allocate(
        self, shape: Sequence[int], element: ir.Type, live: Iterable[ir.Value]
    ) -> Scratch:
        """Gives scratch for a block. `live` are the buffers that may not be reused."""
        stored = self._builder.i8 if element == self._builder.i1 else element
        count = math.prod(shape)
        size = -(-count * byte_width(stored) // ALIGNMENT) * ALIGNMENT
        taken = set(live)
        free = [
            area
            for area in self._areas
            if size <= area.size <= 2 * size and taken.isdisjoint(area.buffers.values())
        ]
        area = min(free, key=lambda each: each.size) if free else self._new_area(size)
        return Scratch(self._buffer(area, count, stored), shape, element)

    def _new_area(self, size: int) -> _Area:
        i8 = self._builder.i8
        with self._builder.entry_point:
            area = memref.alloc(
                ir.MemRefType.get([size], i8, None, self._space), [], []
            )
            # IREE refuses views of memory in its own space; without it they are fine.
            area = memref.memory_space_cast(ir.MemRefType.get([size], i8), area)
        self._areas.append(_Area(area, size))
        return self._areas[-1]

    def _buffer(self, area: _Area, count: int, stored: ir.Type) -> ir.Value:
        key = (count, stored)
        if key not in area.buffers:
            type_ = ir.MemRefType.get([count], stored)
            with self._builder.entry_point:
                view = memref.view(type_, area.memory, self._builder.idx(0), [])
            area.buffers[key] = view
        return area.buffers[key]


@dataclass
class _Area:
    """Bytes that one block uses at a time, and the types that it was used with."""

    memory: ir.Value
    size: int
    buffers: dict[tuple[int, ir.Type], ir.Value] = field(default_factory=dict)


def _strides(shape: Sequence[int]) -> list[int]:
    return [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
