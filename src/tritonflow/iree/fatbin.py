# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's container of machine code for several chips, from which the driver chooses.

A 16-byte header, then for each image a header and its bytes. CUDA's `fatbinary` writes
these files, but Triton does not bring it.

Source: the files that `fatbinary` 13.5 writes; NVIDIA does not describe the format.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import ToolError

_MAGIC = 0xBA55ED50
_FILE_HEADER = struct.Struct("<IHHQ")
# kind, version, header bytes, padded bytes, compressed bytes, offset of the options,
# minor, major, chip, offset and length of a name, flags, reserved, decompressed bytes
_IMAGE_HEADER = struct.Struct("<HHIQIIHHIIIQQQ")
_PTX, _ELF = 1, 2
_IMAGE_VERSION = 0x0101
_ELF_VERSION = (8, 1)
_FLAGS = 0x11  # 64-bit addresses, made for Linux
_ALIGNMENT = 8
# Options of the assembler that come with PTX: the offset of an empty text.
_PTX_OPTIONS = struct.pack("<QQ", _IMAGE_HEADER.size + 8, 0)
_PTX_VERSION = re.compile(rb"^\s*\.version\s+(\d+)\.(\d+)", re.MULTILINE)


@dataclass(frozen=True)
class Image:
    """Code for one chip: a cubin, or PTX text.

    Attributes:
        capability: major * 10 + minor of the chip that the code is for.
    """

    code: bytes
    capability: int
    is_ptx: bool = False


def pack_fatbin(images: Sequence[Image]) -> bytes:
    """Gives the container of `images`.

    The driver takes the cubin that fits its chip best, else it assembles the PTX.

    Raises: ToolError: PTX without its version.
    """
    body = b"".join(_pack_image(image) for image in images)
    return _FILE_HEADER.pack(_MAGIC, 1, _FILE_HEADER.size, len(body)) + body


def _pack_image(image: Image) -> bytes:
    # The driver reads PTX up to a zero byte.
    code = image.code + b"\0" if image.is_ptx else image.code
    code += bytes(-len(code) % _ALIGNMENT)
    options = _PTX_OPTIONS if image.is_ptx else b""
    major, minor = _ptx_version(image.code) if image.is_ptx else _ELF_VERSION[::-1]
    header = _IMAGE_HEADER.pack(
        _PTX if image.is_ptx else _ELF,
        _IMAGE_VERSION,
        _IMAGE_HEADER.size + len(options),
        len(code),
        0,
        _IMAGE_HEADER.size if options else 0,
        minor,
        major,
        image.capability,
        0,
        0,
        _FLAGS,
        0,
        0,
    )
    return header + options + code


def _ptx_version(text: bytes) -> tuple[int, int]:
    match = _PTX_VERSION.search(text)
    if match is None:
        raise ToolError("PTX text: no `.version` in it.")
    return int(match[1]), int(match[2])
