# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""From the caller's arrays to IREE's buffer views, without a copy where that is safe.

IREE compiles its code for buffers that begin at multiples of 64 bytes and does not
check it: such code on NumPy's 16 is a crash. So arrays in host memory are shared if
they are contiguous and aligned, and copied if not.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np
from iree import runtime as rt

from ..errors import SignatureError
from .array import Array, duplicate
from .devices import STATUS_ERRORS, Device
from .dlpack import address_of, import_capsule
from .elements import DTYPES, HAL_TYPES, RAW_DTYPES
from .manifest import TensorSpec
from .signature import Found

ALIGNMENT = 64
"""Bytes; IREE's `IREE_HAL_HEAP_BUFFER_ALIGNMENT`, which its compiler relies on."""

_HOST_TYPE = int(rt.MemoryType.HOST_LOCAL) | int(rt.MemoryType.DEVICE_VISIBLE)
_HOST_USAGE = int(rt.BufferUsage.DEFAULT) | int(rt.BufferUsage.MAPPING)
_DEVICE_TYPE = int(rt.MemoryType.DEVICE_LOCAL)
_DEVICE_USAGE = int(rt.BufferUsage.DEFAULT)
_DEFAULT_STREAM = 1  # DLPack's name of CUDA's legacy default stream.
_HOST_DLPACK_TYPES = (1, 3)  # kDLCPU, kDLCUDAHost
_KINDS_OF_SCALARS = {bool: "biufcV", int: "iufcV", float: "fcV", complex: "c"}


View = tuple[rt.HalBufferView, Found, object]
"""A view, its element type and shape, and what keeps its memory alive."""


def to_view(value: Any, spec: TensorSpec, device: Device) -> View:
    """Gives a view of `value`'s memory on `device`; the last item must outlive it.

    Args:
        spec: what the argument should be: names it in messages, types Python's numbers.

    Raises: SignatureError: not an array, or of a type that no program can take.
    """
    if type(value) is Array and value._device is device:
        return value._view, value.spec, value
    if not device.is_host or not isinstance(value, np.ndarray):
        shared = _share(value, spec, device)
        if shared is not None:
            return shared
    array = _checked(_to_numpy(value, spec), spec)
    if device.is_host:
        return _host_view(array, device)
    return _uploaded(array, device)


def to_private_view(value: Any, spec: TensorSpec, device: Device) -> View:
    """Gives a view of memory on `device` that nobody else sees, with `value`'s values.

    Raises: SignatureError: as `to_view`.
    """
    if device.is_host:
        # Memory of IREE's own: it may leave the call as a result.
        return _uploaded(_checked(_to_numpy(value, spec), spec), device)
    view, found, owner = to_view(value, spec, device)
    if owner is value or isinstance(owner, tuple):
        # It is still the caller's memory.
        view = duplicate(view, device.hal)
    return view, found, owner


def _share(value: Any, spec: TensorSpec, device: Device) -> View | None:
    """Gives a view of memory that is on `device` already; None if it is elsewhere."""
    place = getattr(value, "__dlpack_device__", None)
    if place is None or isinstance(value, np.generic):
        return None
    kind, index = place()
    if device.is_host or (int(kind), index) != device.dlpack:
        if int(kind) not in _HOST_DLPACK_TYPES and not hasattr(value, "__array__"):
            raise SignatureError(
                f"argument `{spec.name}`: the array is on another device, expected it "
                f"on {device.name} or in host memory."
            )
        return None
    return _from_dlpack(value, device)


def _completed_capsule(value: Any, device: Device) -> Any:
    """Gives a DLPack capsule whose values are there: IREE waits for nobody's queue."""
    if hasattr(value, "block_until_ready"):
        value.block_until_ready()
        return value.__dlpack__()
    if device.cuda is None:
        return value.__dlpack__()
    # The producer makes the default stream wait for its own, and we wait for that.
    capsule = value.__dlpack__(stream=_DEFAULT_STREAM)
    device.cuda.wait()
    return capsule


def _from_dlpack(value: Any, device: Device) -> View | None:
    try:
        capsule = _completed_capsule(value, device)
        plain, dtype, address = import_capsule(device.hal, capsule)
    except (*STATUS_ERRORS, TypeError, BufferError):
        return None  # A type or a layout that DLPack or IREE cannot spell: copied.
    shape = tuple(plain.shape)
    view = rt.HalBufferView(plain.get_buffer(), shape, HAL_TYPES[dtype])
    if address % ALIGNMENT:
        # A slice of a larger array: compiled code would read it with wide loads.
        return duplicate(view, device.hal), (dtype, shape), None
    return view, (dtype, shape), (value, plain)


def _to_numpy(value: Any, spec: TensorSpec) -> np.ndarray:
    kinds = _KINDS_OF_SCALARS.get(type(value))
    wanted = DTYPES[spec.dtype]
    if kinds is not None and wanted.kind in kinds:
        return _typed(value, wanted, spec)
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, RuntimeError) as error:
        kind = type(value).__name__
        why = str(error).partition("\n")[0]
        raise SignatureError(
            f"argument `{spec.name}`: got `{kind}`, which is not an array: {why}",
            hint="call the program with values, outside of jax.jit and its like"
            if kind.endswith("Tracer")
            else None,
        ) from error
    if array.dtype == object:
        raise SignatureError(
            f"argument `{spec.name}`: got `{type(value).__name__}`, expected an array "
            f"{spec}."
        )
    return array


def _typed(value: Any, dtype: np.dtype, spec: TensorSpec) -> np.ndarray:
    """Gives Python's number `value` as a 0-d array of the type that is expected."""
    try:
        return np.asarray(value, dtype)
    except OverflowError as error:
        raise SignatureError(
            f"argument `{spec.name}`: got {value}, which is out of range, expected "
            f"{spec}."
        ) from error


def _checked(array: np.ndarray, spec: TensorSpec) -> np.ndarray:
    if array.dtype not in HAL_TYPES:
        raise SignatureError(
            f"argument `{spec.name}`: got element type `{array.dtype}`, expected "
            f"{spec.dtype}."
        )
    return array


def _host_view(array: np.ndarray, device: Device) -> View:
    """Gives a view of `array`'s memory, or of an aligned copy of it."""
    address = array.__array_interface__["data"][0]
    if address % ALIGNMENT or not array.flags.c_contiguous:
        return _uploaded(array, device)
    # The program does not write to this memory, so that read-only arrays are safe; the
    # binding wants memory that Python calls writable.
    memory = (ctypes.c_ubyte * array.nbytes).from_address(address)
    memory.owner = array  # pyright: ignore[reportAttributeAccessIssue]
    buffer = device.hal.allocator.import_host_allocation(
        memory, _HOST_TYPE, _HOST_USAGE
    )
    view = rt.HalBufferView(buffer, array.shape, HAL_TYPES[array.dtype])
    # The binding ties the memory's life to the buffer object, not to views of it.
    return view, (array.dtype, array.shape), buffer


def aligned_copy(array: np.ndarray) -> np.ndarray:
    """Gives a contiguous copy of `array` that begins at a multiple of `ALIGNMENT`."""
    copy = aligned_empty(array.shape, array.dtype)
    copy[...] = array
    return copy


def aligned_empty(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Gives an array of undefined values that begins at a multiple of `ALIGNMENT`."""
    nbytes = math.prod(shape) * dtype.itemsize
    room = np.empty(nbytes + ALIGNMENT, np.uint8)
    start = -room.__array_interface__["data"][0] % ALIGNMENT
    return room[start : start + nbytes].view(dtype).reshape(shape)


def _uploaded(array: np.ndarray, device: Device) -> View:
    """Gives a view of a copy of `array` in memory that IREE owns, on the device."""
    plain = np.ascontiguousarray(array).view(RAW_DTYPES[array.dtype])
    allocator = device.hal.allocator
    if device.cuda is not None and plain.nbytes:
        buffer: Any = allocator.allocate_buffer(
            _DEVICE_TYPE, _DEVICE_USAGE, plain.nbytes
        )
        address = address_of(device.hal, buffer, device.dlpack)
        device.cuda.to_device(
            address, plain.__array_interface__["data"][0], plain.nbytes
        )
    else:
        buffer = allocator.allocate_buffer_copy(
            _HOST_TYPE if device.is_host else _DEVICE_TYPE,
            _HOST_USAGE if device.is_host else _DEVICE_USAGE,
            device.hal,
            plain,
        )
    view = rt.HalBufferView(buffer, array.shape, HAL_TYPES[array.dtype])
    return view, (array.dtype, array.shape), buffer
