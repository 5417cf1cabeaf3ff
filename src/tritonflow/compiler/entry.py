# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Entry functions around a kernel that take its arguments in another form.

The kernel becomes a private function, a new public one of its name rebuilds the
arguments and calls it, and Triton's inliner makes one function of both:

    tt.func public @k(%x: !tt.ptr<f32>, %s: f64, %y: !tt.ptr<f32>)
    -->
    tt.func public @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %s_low: i32, %s_high: i32)
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import triton.language as tl
from triton._C.libtriton import ir

from ..kernel.element_types import BIT_WIDTHS
from ..kernel.specialization import (
    DescriptorLayout,
    Specialization,
    SpecializedParameter,
)
from .compiled import Abi, KernelParameter

_BODY_SUFFIX = "__body"


def binary_abi(parameters: Sequence[KernelParameter], *, has_scratch: bool) -> Abi:
    """Gives the layout of a GPU binary of a kernel with these parameters."""
    constants = [
        (index, word)
        for index, parameter in enumerate(parameters)
        if not parameter.is_pointer
        for word in range(words_of(parameter.type))
    ]
    return Abi(
        bindings=tuple(i for i, p in enumerate(parameters) if p.is_pointer),
        has_scratch=has_scratch,
        constants=tuple(constants),
    )


def words_of(type_: str) -> int:
    """Gives the 32-bit words that a scalar of an MLIR type takes: 1 or 2."""
    return 2 if BIT_WIDTHS[type_] == 64 else 1


def make_descriptors_on_device(module: Any, context: Any, spec: Specialization) -> None:
    """Gives the kernel an entry with a pointer, sizes and strides for each descriptor.

    The entry's arguments are `spec.parameters`, in order.
    """
    entry = _Entry(module, context)
    types = [_ir_type(parameter, entry.builder) for parameter in spec.parameters]
    values = entry.open(types)
    for index, parameter in enumerate(spec.parameters):
        entry.hint(index, parameter)
    given = iter(zip(spec.parameters, values, strict=True))
    layouts = {layout.path: layout for layout in spec.descriptors}
    operands: list[Any] = []
    for path in _run_time_paths(spec.signature):
        layout = layouts.get(path)
        if layout is None:
            operands.append(next(given)[1])
        else:
            rank = len(layout.block_shape)
            parts = [value for _, value in itertools.islice(given, 2 * rank)]
            operands += _descriptor(entry.builder, layout, parts)
    entry.close(operands)


def take_binary_arguments(
    module: Any, context: Any, parameters: Sequence[SpecializedParameter]
) -> None:
    """Gives the kernel an entry with its pointers first, then scalars as i32 words."""
    entry = _Entry(module, context)
    builder = entry.builder
    pointers = [p for p in parameters if p.is_pointer]
    scalars = [p for p in parameters if not p.is_pointer]
    words = sum(words_of(p.element_type) for p in scalars)
    types = [_ir_type(p, builder) for p in pointers]
    arguments = iter(entry.open([*types, *[builder.get_int32_ty()] * words]))
    for index, parameter in enumerate(pointers):
        entry.hint(index, parameter)
    values = {p.name: next(arguments) for p in pointers}
    index = len(pointers)
    for parameter in scalars:
        count = words_of(parameter.element_type)
        if count == 1 and parameter.element_type == "i32":
            entry.hint(index, parameter)
        parts = list(itertools.islice(arguments, count))
        values[parameter.name] = _scalar(builder, context, parameter, parts)
        index += count
    entry.close([values[p.name] for p in parameters])


class _Entry:
    """A new entry function in the making."""

    def __init__(self, module: Any, context: Any) -> None:
        self.module = module
        self.builder = ir.builder(context)
        self.name = module.get_entry_func_name()
        self.body = module.get_function(self.name)

    def open(self, types: Sequence[Any]) -> list[Any]:
        """Puts the new function before all others and gives its arguments."""
        builder = self.builder
        self.body.set_attr("sym_name", builder.get_string_attr(self._free_name()))
        self.body.set_attr("sym_visibility", builder.get_string_attr("private"))
        # A kernel marked noinline is a kernel all the same.
        self.body.set_attr("noinline", builder.get_bool_attr(False))
        type_ = builder.get_function_ty(list(types), [])
        # Triton 3.6 takes the first function of a module for the kernel on AMD GPUs.
        # The place brings its location along, which is none of the new function's.
        nowhere = builder.get_loc()
        builder.set_insertion_point_to_start(self.body.get_operation().get_block())
        builder.set_loc(nowhere)
        self.function = builder.get_or_insert_function(
            self.module, self.name, type_, "public", False
        )
        builder.set_insertion_point_to_start(self.function.add_entry_block())
        return [self.function.args(index) for index in range(len(types))]

    def hint(self, index: int, parameter: SpecializedParameter) -> None:
        """Tells Triton of an argument what the caller promised."""
        if parameter.divisible_by_16:
            self.function.set_arg_attr(index, "tt.divisibility", 16)

    def close(self, operands: Sequence[Any]) -> None:
        """Calls the old function with `operands`, which ends the new one."""
        self.builder.call(self.body, list(operands))
        self.builder.ret([])

    def _free_name(self) -> str:
        name = self.name + _BODY_SUFFIX
        while self.module.has_function(name):
            name += "_"
        return name


def _run_time_paths(signature: Any, path: tuple[int, ...] = ()) -> list[Any]:
    if isinstance(signature, tuple):
        nested = [
            _run_time_paths(item, (*path, index))
            for index, item in enumerate(signature)
        ]
        return [found for paths in nested for found in paths]
    return [] if signature == "constexpr" else [path]


def _ir_type(parameter: SpecializedParameter, builder: Any) -> Any:
    type_: Any = tl.str_to_ty(parameter.type, None)
    return type_.to_ir(builder)


def _descriptor(builder: Any, layout: DescriptorLayout, parts: list[Any]) -> list[Any]:
    """Gives the values that stand for a descriptor: itself, its shape, its strides."""
    rank = len(layout.block_shape)
    base, shape, strides = parts[0], parts[1 : 1 + rank], parts[1 + rank :]
    # The hardware wants the last dimension dense, and Triton wants it as a constant.
    strides = [*strides, builder.get_int64(1)]
    padding = ir.PADDING_OPTION.PAD_NAN if layout.is_nan_padded else None
    element: Any = tl.str_to_ty(layout.type, None)
    descriptor = builder.create_make_tensor_descriptor(
        base,
        shape,
        strides,
        list(layout.block_shape),
        element.is_int_signed(),
        padding or ir.PADDING_OPTION.PAD_ZERO,
    )
    return [descriptor, *shape, *strides]


def _scalar(
    builder: Any, context: Any, parameter: SpecializedParameter, words: list[Any]
) -> Any:
    """Gives a scalar of the parameter's type from the 32-bit words that carry it."""
    type_ = _ir_type(parameter, builder)
    bits = BIT_WIDTHS[parameter.element_type]
    value = words[0] if bits <= 32 else _join(builder, *words)
    if bits == 64 and parameter.divisible_by_16:
        value.set_attr("tt.divisibility", ir.make_attr([16], context))
    if bits < 32:
        carrier = {1: builder.get_int1_ty, 8: builder.get_int8_ty}
        narrow = carrier.get(bits, builder.get_int16_ty)()
        value = builder.create_int_cast(value, narrow, False)
    if parameter.element_type.startswith("i"):
        return value
    return builder.create_bitcast(value, type_)


def _join(builder: Any, low: Any, high: Any) -> Any:
    wide = builder.get_int64_ty()
    low = builder.create_int_cast(low, wide, False)
    high = builder.create_int_cast(high, wide, False)
    return builder.create_or(low, builder.create_shl(high, builder.get_int64(32)))
