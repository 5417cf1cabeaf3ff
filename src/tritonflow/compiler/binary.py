# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters that a GPU binary declares, read from the binary itself.

A binary that declares more than the launch passes makes the driver read past the
launch's arguments, which ends the process; so this is checked before one is shipped.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from ..errors import VerifyError
from .compiled import Abi
from .msgpack import unpack

_CUDA_MACHINE = 190
_AMDGPU_MACHINE = 224
_SHT_NOTE = 7
_NT_AMDGPU_METADATA = 32
_EIATTR_KPARAM_INFO = 0x17
_EIFMT_SIZED = 0x04


@dataclass(frozen=True)
class BinaryParameter:
    """A parameter of a kernel in a binary; offset and size in bytes."""

    offset: int
    size: int


def check_abi(binary: bytes, abi: Abi, *, name: str) -> None:
    """Checks that kernel `name` of a cubin or hsaco takes exactly what `abi` passes.

    Raises: VerifyError: if count, order or size of its parameters differ, or `binary`
        is no such file.
    """
    expected = expected_parameters(abi)
    found = binary_parameters(binary, name=name)
    if found == expected:
        return
    raise VerifyError(
        f"binary of kernel `{name}`: it declares parameters {_listed(found)}, "
        f"expected {_listed(expected)}."
    )


def expected_parameters(abi: Abi) -> list[BinaryParameter]:
    """Gives the parameters that a launch with this layout passes."""
    pointers = len(abi.bindings) + abi.has_scratch
    buffers = [BinaryParameter(8 * index, 8) for index in range(pointers)]
    words = [
        BinaryParameter(8 * pointers + 4 * index, 4)
        for index in range(len(abi.constants))
    ]
    return buffers + words


def binary_parameters(binary: bytes, *, name: str) -> list[BinaryParameter]:
    """Gives the parameters of kernel `name`, in order, as the binary declares them.

    Raises: VerifyError: if `binary` is no cubin or hsaco, is damaged, or lacks `name`.
    """
    try:
        elf = _Elf(binary)
        if elf.machine == _CUDA_MACHINE:
            found = _cubin_parameters(elf, name)
        elif elf.machine == _AMDGPU_MACHINE:
            found = _hsaco_parameters(elf, name)
        else:
            found = None
    except (struct.error, IndexError, ValueError, KeyError) as error:
        raise VerifyError(
            f"binary of kernel `{name}`: it is damaged: {error}"
        ) from error
    if found is None:
        raise VerifyError(f"binary of kernel `{name}`: no such kernel is in it.")
    return sorted(found, key=lambda parameter: parameter.offset)


class _Elf:
    """Sections of a 64-bit little-endian ELF file."""

    def __init__(self, content: bytes) -> None:
        if content[:6] != b"\x7fELF\x02\x01":
            raise ValueError("no 64-bit ELF file")
        self.content = content
        (self.machine,) = struct.unpack_from("<H", content, 18)
        (start,) = struct.unpack_from("<Q", content, 40)
        size, count, names = struct.unpack_from("<HHH", content, 58)
        headers = [
            struct.unpack_from("<IIQQQQIIQQ", content, start + size * index)
            for index in range(count)
        ]
        texts = headers[names][4]
        self.sections = [
            (self._text(texts + header[0]), header[1], self._bytes(header))
            for header in headers
        ]

    def _text(self, position: int) -> str:
        end = self.content.index(b"\0", position)
        return self.content[position:end].decode()

    def _bytes(self, header: tuple[int, ...]) -> bytes:
        return self.content[header[4] : header[4] + header[5]]


def _cubin_parameters(elf: _Elf, name: str) -> list[BinaryParameter] | None:
    for section, _, content in elf.sections:
        if section == f".nv.info.{name}":
            return list(_kernel_parameters(content))
    return None


def _kernel_parameters(records: bytes) -> Iterator[BinaryParameter]:
    """Gives the parameters of a `.nv.info.<kernel>` section.

    Source: the layout that `cuobjdump -elf` prints as EIATTR_KPARAM_INFO.
    """
    position = 0
    while position + 4 <= len(records):
        form, attribute, size = struct.unpack_from("<BBH", records, position)
        position += 4
        if form != _EIFMT_SIZED:
            continue
        if attribute == _EIATTR_KPARAM_INFO:
            _, _, offset, packed = struct.unpack_from("<IHHI", records, position)
            yield BinaryParameter(offset, packed >> 18)
        position += size


def _hsaco_parameters(elf: _Elf, name: str) -> list[BinaryParameter] | None:
    """Source: LLVM's AMDGPU usage guide, code object V5 metadata."""
    for _, kind, content in elf.sections:
        if kind != _SHT_NOTE:
            continue
        name_size, size, note = struct.unpack_from("<III", content)
        start = 12 + (name_size + 3) // 4 * 4
        if note != _NT_AMDGPU_METADATA:
            continue
        metadata = unpack(content[start : start + size])
        for kernel in metadata["amdhsa.kernels"]:
            if kernel[".name"] == name:
                return [
                    BinaryParameter(argument[".offset"], argument[".size"])
                    for argument in kernel[".args"]
                    # The runtime adds these itself: the grid's size, for one.
                    if not argument[".value_kind"].startswith("hidden_")
                ]
    return None


def _listed(parameters: list[BinaryParameter]) -> str:
    sizes = ", ".join(str(parameter.size) for parameter in parameters)
    return f"of [{sizes}] bytes"
