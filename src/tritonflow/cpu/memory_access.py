# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Loads and stores of strips: contiguous where they are, gathered where they are not.

Lanes that are masked off touch no memory: their addresses may be anything.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..mlir import arith, ir, memref, vector
from .builder import Builder
from .lanes import (
    Affine,
    Guarded,
    Lanes,
    Uniform,
    Vector,
    affine_part,
    as_vector,
    conditions,
)
from .values import Binding

MAX_SPREAD = 4
"""Longest constant distance of lanes that are accessed as one masked run."""

ALL_OF_A_BUFFER = 1 << 32
"""Elements that a binding is said to have: a kernel's pointers have no bounds."""


@dataclass(frozen=True)
class Memory:
    """A buffer seen as elements of one type.

    Attributes:
        view: memref of rank 1; None for absolute addresses.
        address: of element 0, as i64.
        stored: type of the elements in memory; `i1` is a byte there.
        element: type of the elements as the kernel sees them.
        scale: bytes that an offset of 1 stands for.
    """

    view: ir.Value | None
    address: Callable[[], ir.Value]
    stored: ir.Type
    element: ir.Type
    scale: int


class Buffers:
    """The buffers behind a kernel's pointer parameters."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._bindings: dict[int, ir.Value] = {}
        self._views: dict[tuple[int, ir.Type], ir.Value] = {}
        self._addresses: dict[int, ir.Value] = {}

    def bind(self, argument: int, binding: ir.Value) -> None:
        """Notes the `!stream.binding` of a parameter."""
        self._bindings[argument] = binding

    def memory(self, root: Binding | None, element: ir.Type) -> Memory:
        """Gives the buffer of a root as elements of a type."""
        builder = self._builder
        stored = builder.i8 if element == builder.i1 else element
        if root is None:
            zero = builder.constant(builder.i64, 0)
            return Memory(None, lambda: zero, stored, element, 1)
        view = self._view(root.argument, stored)
        return Memory(
            view, lambda: self.address(root), stored, element, byte_width(stored)
        )

    def address(self, root: Binding) -> ir.Value:
        """Gives the address of a buffer's first byte, as i64."""
        argument = root.argument
        if argument not in self._addresses:
            builder = self._builder
            view = self._view(argument, builder.i8)
            with builder.entry_point:
                pointer = memref.extract_aligned_pointer_as_index(view)
                self._addresses[argument] = arith.index_cast(builder.i64, pointer)
        return self._addresses[argument]

    def _view(self, argument: int, stored: ir.Type) -> ir.Value:
        key = (argument, stored)
        if key not in self._views:
            builder = self._builder
            type_ = ir.MemRefType.get(
                [ir.ShapedType.get_dynamic_size()], stored, None, None
            )
            with builder.entry_point:
                self._views[key] = ir.Operation.create(
                    "stream.binding.subspan",
                    results=[type_],
                    operands=[
                        self._bindings[argument],
                        builder.idx(0),
                        builder.idx(ALL_OF_A_BUFFER),
                    ],
                ).result
        return self._views[key]


def byte_width(element: ir.Type) -> int:
    """Gives the bytes of an element in memory."""
    if isinstance(element, ir.IntegerType):
        return max(1, ir.IntegerType(element).width // 8)
    return ir.FloatType(element).width // 8


def load_lanes(
    builder: Builder,
    memory: Memory,
    offset: Lanes,
    mask: Lanes | None,
    other: Lanes | None,
    width: int,
) -> Lanes:
    """Emits the load of a strip.

    Args:
        offset: i64, in elements.
        mask: i1; None loads every lane.
        other: what masked-off lanes give; None leaves it open.
    """
    if _is_uniform(offset) and _is_uniform(mask) and _is_uniform(other):
        value = _load_scalar(builder, memory, offset, mask, other)
        return Uniform(_from_stored(builder, memory, value))
    type_ = builder.vector_type(width, memory.stored)
    passthru = _passthru(builder, memory, other, width)
    mask_vector = None if mask is None else as_vector(builder, mask, width)

    def contiguous(base: ir.Value) -> ir.Value:
        if memory.view is None:
            return masked("load", raw_pointer(builder, memory, base))
        place = [builder.to_index(base)]
        if mask_vector is None:
            return vector.load(type_, memory.view, place)
        return vector.maskedload(type_, memory.view, place, mask_vector, passthru)

    def gather() -> ir.Value:
        return masked("gather", _pointers(builder, memory, offset, width))

    def masked(name: str, pointers: ir.Value) -> ir.Value:
        raw = _as_bytes(builder, passthru)
        loaded = ir.Operation.create(
            f"llvm.intr.masked.{name}",
            results=[raw.type],
            operands=[pointers, _all_if_none(builder, mask_vector, width), raw],
            attributes={"alignment": _alignment(builder, memory)},
        ).result
        return loaded if raw is passthru else arith.bitcast(type_, loaded)

    guard = _contiguity(builder, memory, offset)
    stride = _short_stride(builder, memory, offset)
    if stride is not None:
        base = affine_part(builder, offset).base
        spread = _Spread(builder, width, stride)
        value = spread.load(memory, base, mask_vector, passthru)
    elif guard is None:
        value = gather()
    else:
        base = affine_part(builder, offset).base
        value = builder.if_(
            guard, [type_], lambda: [contiguous(base)], lambda: [gather()]
        )[0]
    return Vector(_from_stored(builder, memory, value))


def store_lanes(
    builder: Builder,
    memory: Memory,
    offset: Lanes,
    lanes: Lanes,
    mask: Lanes | None,
    width: int,
) -> None:
    """Emits the store of a strip; where lanes share an address, the last one stays."""
    if _is_uniform(offset) and _is_uniform(mask) and _is_uniform(lanes):
        _store_scalar(builder, memory, offset, lanes, mask)
        return
    value = _to_stored(builder, memory, as_vector(builder, lanes, width))
    mask_vector = None if mask is None else as_vector(builder, mask, width)

    def contiguous(base: ir.Value) -> list[ir.Value]:
        if memory.view is None:
            return masked("store", raw_pointer(builder, memory, base))
        place = [builder.to_index(base)]
        if mask_vector is None:
            vector.store(value, memory.view, place)
        else:
            vector.maskedstore(memory.view, place, mask_vector, value)
        return []

    def scatter() -> list[ir.Value]:
        return masked("scatter", _pointers(builder, memory, offset, width))

    def masked(name: str, pointers: ir.Value) -> list[ir.Value]:
        every = _all_if_none(builder, mask_vector, width)
        ir.Operation.create(
            f"llvm.intr.masked.{name}",
            results=[],
            operands=[_as_bytes(builder, value), pointers, every],
            attributes={"alignment": _alignment(builder, memory)},
        )
        return []

    guard = _contiguity(builder, memory, offset)
    stride = _short_stride(builder, memory, offset)
    if stride is not None:
        base = affine_part(builder, offset).base
        _Spread(builder, width, stride).store(memory, base, mask_vector, value)
    elif guard is None:
        scatter()
    else:
        base = affine_part(builder, offset).base
        builder.if_(guard, [], lambda: contiguous(base), scatter)


def _as_bytes(builder: Builder, value: ir.Value) -> ir.Value:
    """Gives floats of 8 bits, which LLVM does not know, as integers."""
    is_vector = isinstance(value.type, ir.VectorType)
    element = value.type.element_type if is_vector else value.type
    if _is_byte_float(element):
        return arith.bitcast(builder.like(value, builder.i8), value)
    return value


def _is_byte_float(element: ir.Type) -> bool:
    return isinstance(element, ir.FloatType) and element.width == 8


def _all_if_none(builder: Builder, mask: ir.Value | None, width: int) -> ir.Value:
    if mask is not None:
        return mask
    return builder.splat(builder.vector_type(width, builder.i1), 1)


def _is_uniform(lanes: Lanes | None) -> bool:
    return lanes is None or isinstance(lanes, Uniform)


def _contiguity(builder: Builder, memory: Memory, offset: Lanes) -> ir.Value | None:
    """Gives the condition under which lanes follow each other; None if never."""
    if not isinstance(offset, Affine | Guarded):
        return None
    unit = 1 if memory.view is not None else byte_width(memory.stored)
    step = affine_part(builder, offset).step
    known = builder.known(step)
    if known is not None and known != unit:
        return None
    is_unit = builder.equals(step, builder.constant(step.type, unit))
    return builder.conjunction(*conditions(offset), is_unit)


def _short_stride(builder: Builder, memory: Memory, offset: Lanes) -> int | None:
    """Gives a constant distance of the lanes that a masked load can span."""
    if memory.view is None or not isinstance(offset, Affine):
        return None
    step = builder.known(offset.step)
    return step if step is not None and 2 <= step <= MAX_SPREAD else None


@dataclass(frozen=True)
class _Spread:
    """Lanes that lie `stride` elements apart, accessed as one masked run.

    Only the lanes' own elements are touched: the mask leaves out what is between.
    """

    builder: Builder
    width: int
    stride: int

    def load(
        self,
        memory: Memory,
        base: ir.Value,
        mask: ir.Value | None,
        passthru: ir.Value,
    ) -> ir.Value:
        """Emits the load of the lanes."""
        assert memory.view is not None
        wide = self._spread(passthru)
        place = [self.builder.to_index(base)]
        run = vector.maskedload(
            wide.type, memory.view, place, self._spread_mask(mask), wide
        )
        places = [lane * self.stride for lane in range(self.width)]
        return vector.shuffle(run, run, places)

    def store(
        self, memory: Memory, base: ir.Value, mask: ir.Value | None, value: ir.Value
    ) -> None:
        """Emits the store of the lanes."""
        assert memory.view is not None
        place = [self.builder.to_index(base)]
        wide = self._spread(value)
        vector.maskedstore(memory.view, place, self._spread_mask(mask), wide)

    def _spread_mask(self, mask: ir.Value | None) -> ir.Value:
        builder = self.builder
        return self._spread(_all_if_none(builder, mask, self.width))

    def _spread(self, value: ir.Value) -> ir.Value:
        """Emits the lanes with zeros between them."""
        zeros = self.builder.zero_like(value)
        places = [self.width] * (self.width * self.stride)
        places[:: self.stride] = range(self.width)
        return vector.shuffle(value, zeros, places)


def _load_scalar(
    builder: Builder,
    memory: Memory,
    offset: Lanes,
    mask: Lanes | None,
    other: Lanes | None,
) -> ir.Value:
    assert isinstance(offset, Uniform)

    def load() -> ir.Value:
        if memory.view is not None:
            return memref.load(memory.view, [builder.to_index(offset.value)])
        integer = _is_byte_float(memory.stored)
        loaded = ir.Operation.create(
            "llvm.load",
            results=[builder.i8 if integer else memory.stored],
            operands=[raw_pointer(builder, memory, offset.value)],
            attributes={"ordering": builder.constant_attribute(0)},
        ).result
        return arith.bitcast(memory.stored, loaded) if integer else loaded

    if mask is None:
        return load()
    assert isinstance(mask, Uniform)
    missing = _passthru(builder, memory, other, None)
    return builder.if_(
        mask.value, [memory.stored], lambda: [load()], lambda: [missing]
    )[0]


def _store_scalar(
    builder: Builder,
    memory: Memory,
    offset: Lanes,
    lanes: Lanes,
    mask: Lanes | None,
) -> None:
    assert isinstance(offset, Uniform)
    assert isinstance(lanes, Uniform)
    value = _to_stored(builder, memory, lanes.value)

    def store() -> list[ir.Value]:
        if memory.view is not None:
            memref.store(value, memory.view, [builder.to_index(offset.value)])
        else:
            ir.Operation.create(
                "llvm.store",
                results=[],
                operands=[
                    _as_bytes(builder, value),
                    raw_pointer(builder, memory, offset.value),
                ],
                attributes={"ordering": builder.constant_attribute(0)},
            )
        return []

    if mask is None:
        store()
        return
    assert isinstance(mask, Uniform)
    builder.if_(mask.value, [], store)


def _passthru(
    builder: Builder, memory: Memory, other: Lanes | None, width: int | None
) -> ir.Value:
    if other is None:
        zero = builder.constant(memory.stored, 0)
        return zero if width is None else builder.broadcast(zero, width)
    if width is None:
        assert isinstance(other, Uniform)
        return _to_stored(builder, memory, other.value)
    return _to_stored(builder, memory, as_vector(builder, other, width))


def _pointers(builder: Builder, memory: Memory, offset: Lanes, width: int) -> ir.Value:
    places = as_vector(builder, offset, width)
    if memory.scale != 1:
        scale = builder.splat(places.type, memory.scale)
        places = arith.muli(places, scale)
    base = memory.address()
    if builder.known(base) != 0:
        places = arith.addi(places, builder.broadcast(base, width))
    type_ = ir.Type.parse(f"vector<{width}x!llvm.ptr>")
    return ir.Operation.create(
        "llvm.inttoptr", results=[type_], operands=[places]
    ).result


def raw_pointer(builder: Builder, memory: Memory, offset: ir.Value) -> ir.Value:
    """Emits the `!llvm.ptr` of an element. `offset` is an i64."""
    place = builder.mul(offset, builder.constant(builder.i64, memory.scale))
    place = builder.add(place, memory.address())
    type_ = ir.Type.parse("!llvm.ptr")
    return ir.Operation.create(
        "llvm.inttoptr", results=[type_], operands=[place]
    ).result


def _alignment(builder: Builder, memory: Memory) -> ir.Attribute:
    return ir.IntegerAttr.get(builder.i64, byte_width(memory.stored))


def _from_stored(builder: Builder, memory: Memory, value: ir.Value) -> ir.Value:
    if memory.stored == memory.element:
        return value
    return arith.cmpi(arith.CmpIPredicate.ne, value, builder.zero_like(value))


def _to_stored(builder: Builder, memory: Memory, value: ir.Value) -> ir.Value:
    if memory.stored == memory.element:
        return value
    return arith.extui(builder.like(value, memory.stored), value)
