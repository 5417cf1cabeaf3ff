# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Element types of arrays: NumPy's name, NumPy's type, IREE's number."""

from __future__ import annotations

import ml_dtypes
import numpy as np
from iree.runtime import HalElementType

_NAMES: dict[str, HalElementType] = {
    "bool": HalElementType.BOOL_8,
    "int8": HalElementType.SINT_8,
    "int16": HalElementType.SINT_16,
    "int32": HalElementType.SINT_32,
    "int64": HalElementType.SINT_64,
    "uint8": HalElementType.UINT_8,
    "uint16": HalElementType.UINT_16,
    "uint32": HalElementType.UINT_32,
    "uint64": HalElementType.UINT_64,
    "float16": HalElementType.FLOAT_16,
    "float32": HalElementType.FLOAT_32,
    "float64": HalElementType.FLOAT_64,
    "complex64": HalElementType.COMPLEX_64,
    "complex128": HalElementType.COMPLEX_128,
    "bfloat16": HalElementType.BFLOAT_16,
    "float8_e4m3fn": HalElementType.FLOAT_8_E4M3_FN,
    "float8_e4m3fnuz": HalElementType.FLOAT_8_E4M3_FNUZ,
    "float8_e5m2": HalElementType.FLOAT_8_E5M2,
    "float8_e5m2fnuz": HalElementType.FLOAT_8_E5M2_FNUZ,
    "float8_e8m0fnu": HalElementType.FLOAT_8_E8M0_FNU,
}

DTYPES: dict[str, np.dtype] = {
    name: np.dtype(getattr(ml_dtypes, name, name)) for name in _NAMES
}
"""NumPy's type by its name, for every element type that a program can take."""

HAL_TYPES: dict[np.dtype, int] = {
    DTYPES[name]: int(element)  # pyright: ignore[reportArgumentType]
    for name, element in _NAMES.items()
}
"""IREE's element type by NumPy's."""

RAW_DTYPES: dict[np.dtype, np.dtype] = {
    dtype: dtype if dtype.isbuiltin == 1 else np.dtype(f"u{dtype.itemsize}")
    for dtype in HAL_TYPES
}
"""The type of the same size that NumPy's buffers know, by NumPy's type."""
