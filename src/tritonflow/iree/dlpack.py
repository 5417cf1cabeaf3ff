# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""DLPack capsules, opened: addresses, and element types that IREE cannot spell.

Source: `dlpack.h` of DLPack 1.1, whose unversioned capsules IREE makes and takes.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from iree import runtime as rt

from .elements import DTYPES

_CAPSULE_NAME = b"dltensor"

# DLDataTypeCode, with the bits of one element.
_CODES: dict[np.dtype, tuple[int, int]] = {
    DTYPES["bool"]: (6, 8),
    DTYPES["bfloat16"]: (4, 16),
    DTYPES["float8_e4m3fn"]: (10, 8),
    DTYPES["float8_e4m3fnuz"]: (11, 8),
    DTYPES["float8_e5m2"]: (12, 8),
    DTYPES["float8_e5m2fnuz"]: (13, 8),
    DTYPES["float8_e8m0fnu"]: (14, 8),
    **{
        dtype: ({"i": 0, "u": 1, "f": 2, "c": 5}[dtype.kind], dtype.itemsize * 8)
        for dtype in DTYPES.values()
        if dtype.isbuiltin == 1 and dtype.kind in "iufc"
    },
}
_DTYPES = {code: dtype for dtype, code in _CODES.items()}
_UNSIGNED = 1
_PLAIN_TYPES = {
    8: rt.HalElementType.UINT_8,
    16: rt.HalElementType.UINT_16,
    32: rt.HalElementType.UINT_32,
    64: rt.HalElementType.UINT_64,
}


class _Tensor(ctypes.Structure):
    """`DLTensor`."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_get_pointer.restype = ctypes.c_void_p


def _open(capsule: Any) -> _Tensor:
    address = _get_pointer(capsule, _CAPSULE_NAME)
    if address is None:
        raise BufferError("an empty DLPack capsule")
    return _Tensor.from_address(address)


def import_capsule(
    device: rt.HalDevice, capsule: Any
) -> tuple[rt.HalBufferView, np.dtype, int]:
    """Gives a view of a capsule's memory on `device`, its element type and address.

    IREE knows only some of DLPack's types; it sees the same bytes as whole numbers.

    Raises: BufferError: an element type or a layout that programs do not have;
        ValueError, RuntimeError: IREE refuses the memory.
    """
    tensor = _open(capsule)
    dtype = _DTYPES.get((tensor.code, tensor.bits))
    if dtype is None or tensor.lanes != 1:
        raise BufferError(f"DLPack type {tensor.code} of {tensor.bits} bits")
    if dtype.kind != "c":
        tensor.code = _UNSIGNED
    address = (tensor.data or 0) + tensor.byte_offset
    return device.from_dlpack_capsule(capsule), dtype, address


def export_view(
    device: rt.HalDevice,
    view: rt.HalBufferView,
    dtype: np.dtype,
    place: tuple[int, int],
) -> Any:
    """Gives a capsule of `view`'s memory with the element type `dtype`.

    Args:
        place: DLPack's type and number of the device.

    Raises: RuntimeError, ValueError: IREE cannot hand the memory out.
    """
    if dtype.kind == "c":
        return device.create_dlpack_capsule(view, *place)
    plain = _PLAIN_TYPES[dtype.itemsize * 8]
    capsule = device.create_dlpack_capsule(
        rt.HalBufferView(view.get_buffer(), view.shape, plain), *place
    )
    tensor = _open(capsule)
    tensor.code, tensor.bits = _CODES[dtype]
    return capsule


def address_of(
    device: rt.HalDevice, buffer: rt.HalBuffer, place: tuple[int, int]
) -> int:
    """Gives the device's address of `buffer`, which must outlive its use."""
    view = rt.HalBufferView(buffer, (buffer.byte_length(),), rt.HalElementType.UINT_8)
    capsule = device.create_dlpack_capsule(view, *place)
    tensor = _open(capsule)  # Of the capsule's life, which ends with this function.
    return (tensor.data or 0) + tensor.byte_offset
