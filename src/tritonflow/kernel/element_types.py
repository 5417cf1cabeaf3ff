# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Element types under their three names: NumPy's, Triton's and MLIR's."""

from __future__ import annotations

from ..errors import SignatureError

TRITON_FROM_NUMPY = {
    "bool": "u1",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "float16": "fp16",
    "bfloat16": "bf16",
    "float32": "fp32",
    "float64": "fp64",
    "float8_e4m3fn": "fp8e4nv",
    "float8_e4m3fnuz": "fp8e4b8",
    "float8_e4m3b11fnuz": "fp8e4b15",
    "float8_e5m2": "fp8e5",
    "float8_e5m2fnuz": "fp8e5b16",
}
"""Triton's spelling of a NumPy or ml_dtypes name."""

MLIR_FROM_TRITON = {
    "u1": "i1",
    "i1": "i1",
    "i8": "i8",
    "u8": "i8",
    "i16": "i16",
    "u16": "i16",
    "i32": "i32",
    "u32": "i32",
    "i64": "i64",
    "u64": "i64",
    "fp16": "f16",
    "bf16": "bf16",
    "fp32": "f32",
    "fp64": "f64",
    "fp8e4nv": "f8E4M3FN",
    "fp8e4b8": "f8E4M3FNUZ",
    "fp8e4b15": "i8",
    "fp8e5": "f8E5M2",
    "fp8e5b16": "f8E5M2FNUZ",
}
"""MLIR's element type; it has no signedness, and none for `fp8e4b15` in Triton's IR."""

NUMPY_FROM_MLIR = {
    "i1": "bool",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
    "f8E4M3FN": "float8_e4m3fn",
    "f8E4M3FNUZ": "float8_e4m3fnuz",
    "f8E5M2": "float8_e5m2",
    "f8E5M2FNUZ": "float8_e5m2fnuz",
}
"""NumPy's or ml_dtypes' name of an MLIR element type, whose integers have a sign."""

BIT_WIDTHS = {
    "i1": 1,
    "i8": 8,
    "i16": 16,
    "i32": 32,
    "i64": 64,
    "f16": 16,
    "bf16": 16,
    "f32": 32,
    "f64": 64,
    "f8E4M3FN": 8,
    "f8E4M3FNUZ": 8,
    "f8E5M2": 8,
    "f8E5M2FNUZ": 8,
}
"""Bits of an MLIR element type as a scalar; in memory an `i1` takes a whole byte."""


def triton_type(numpy_name: str, *, subject: str) -> str:
    """Gives Triton's name of a NumPy type.

    Raises: SignatureError: if Triton has no such type (complex, int4, strings).
    """
    try:
        return TRITON_FROM_NUMPY[numpy_name]
    except KeyError:
        raise SignatureError(
            f"{subject}: Triton has no type for `{numpy_name}`, expected one of "
            f"{', '.join(TRITON_FROM_NUMPY)}."
        ) from None


def mlir_type(triton_name: str) -> tuple[str, bool]:
    """Gives the MLIR element type of a scalar or pointer, and whether it is a pointer.

    `*fp16` and `*kfp16` (a pointer to constant memory) give `("f16", True)`.
    """
    if not triton_name.startswith("*"):
        return MLIR_FROM_TRITON[triton_name], False
    return MLIR_FROM_TRITON[triton_name.removeprefix("*").removeprefix("k")], True
