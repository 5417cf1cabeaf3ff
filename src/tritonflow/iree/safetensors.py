# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The safetensors format: reading headers, writing files.

Source: the format's description in the README of huggingface/safetensors: eight bytes
with the header's length, the header as JSON padded with spaces, the tensors' bytes
without gaps.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ParameterError
from .artifact import write_file
from .elements import RAW_DTYPES

_DTYPES = {
    "BOOL": "bool",
    "U8": "uint8",
    "I8": "int8",
    "U16": "uint16",
    "I16": "int16",
    "U32": "uint32",
    "I32": "int32",
    "U64": "uint64",
    "I64": "int64",
    "F16": "float16",
    "BF16": "bfloat16",
    "F32": "float32",
    "F64": "float64",
    "C64": "complex64",
    "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2",
    "F8_E8M0": "float8_e8m0fnu",
}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}
_MAX_HEADER_BYTES = 100_000_000
_METADATA = "__metadata__"  # A text beside the tensors, not one of them.
_ALIGNMENT = 64


@dataclass(frozen=True)
class StoredTensor:
    """What a weights file says of one tensor; None where the format does not say."""

    dtype: str | None
    shape: tuple[int, ...] | None
    nbytes: int


def read_header(path: str | os.PathLike[str]) -> dict[str, StoredTensor]:
    """Gives what a safetensors file holds, by key, from its header alone.

    Raises: ParameterError: no such file, not of the format, or cut short.
    """
    subject = os.fspath(path)
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            length = int.from_bytes(file.read(8), "little")
            if length > min(size - 8, _MAX_HEADER_BYTES):
                raise ParameterError(f"`{subject}`: not a safetensors file.")
            header: Any = json.loads(file.read(length))
        tensors = {
            key: _stored(key, entry, size - 8 - length, subject)
            for key, entry in header.items()
            if key != _METADATA
        }
    except OSError as error:
        raise ParameterError(
            f"`{subject}`: cannot read the file: {error.strerror or error}"
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ParameterError(
            f"`{subject}`: not a safetensors file: its header is unreadable."
        ) from error
    return tensors


def _stored(key: str, entry: Any, room: int, subject: str) -> StoredTensor:
    start, end = entry["data_offsets"]
    if not 0 <= start <= end <= room:
        raise ParameterError(
            f"`{subject}`: the file is cut short: tensor `{key}` ends at byte {end} of "
            f"{room}."
        )
    dtype = _DTYPES.get(entry["dtype"], entry["dtype"])
    return StoredTensor(dtype, tuple(entry["shape"]), end - start)


def write_safetensors(
    path: str | os.PathLike[str], tensors: Mapping[str, np.ndarray]
) -> None:
    """Writes `tensors` to `path`, all or nothing.

    Raises: ParameterError: an element type that the format lacks; ArtifactError: the
        file cannot be written.
    """
    # Large elements first, and the header padded, so that every tensor is aligned to
    # its elements when the file is mapped.
    ordered = sorted(tensors.items(), key=lambda item: (-item[1].itemsize, item[0]))
    header: dict[str, Any] = {}
    position = 0
    for key, array in ordered:
        if key == _METADATA:
            raise ParameterError(
                f"tensor `{key}`: the name means something else in safetensors files.",
                hint="rename the key in the arguments' pytree",
            )
        if array.dtype.name not in _NAMES:
            raise ParameterError(
                f"tensor `{key}`: safetensors files have no `{array.dtype.name}`."
            )
        header[key] = {
            "dtype": _NAMES[array.dtype.name],
            "shape": list(array.shape),
            "data_offsets": [position, position + array.nbytes],
        }
        position += array.nbytes
    # IREE compares names as they stand, without reading escapes.
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-(len(text) + 8) % _ALIGNMENT)
    write_file(path, _chunks(text, [array for _, array in ordered]))


def _chunks(header: bytes, arrays: list[np.ndarray]) -> Iterator[Any]:
    yield len(header).to_bytes(8, "little")
    yield header
    for array in arrays:
        contiguous = np.ascontiguousarray(array)
        yield contiguous.view(RAW_DTYPES[array.dtype]).data
