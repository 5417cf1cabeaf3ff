# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""MessagePack, as much of it as an AMD code object's metadata uses."""

from __future__ import annotations

import struct
from typing import Any

_NUMBERS = {
    0xCA: ">f",
    0xCB: ">d",
    0xCC: ">B",
    0xCD: ">H",
    0xCE: ">I",
    0xCF: ">Q",
    0xD0: ">b",
    0xD1: ">h",
    0xD2: ">i",
    0xD3: ">q",
}
_SIZED = {
    0xC4: (">B", "bytes"),
    0xC5: (">H", "bytes"),
    0xC6: (">I", "bytes"),
    0xD9: (">B", "text"),
    0xDA: (">H", "text"),
    0xDB: (">I", "text"),
    0xDC: (">H", "array"),
    0xDD: (">I", "array"),
    0xDE: (">H", "map"),
    0xDF: (">I", "map"),
}
_SINGLE = {0xC0: None, 0xC2: False, 0xC3: True}


def unpack(content: bytes) -> Any:
    """Gives the value that `content` begins with.

    Raises: ValueError: on a form that metadata has no use for.

    Source: the MessagePack specification.
    """
    return _Reader(content).value()


class _Reader:
    def __init__(self, content: bytes) -> None:
        self._content = content
        self._position = 0

    def value(self) -> Any:
        code = self._number(">B")
        if code in _SINGLE:
            return _SINGLE[code]
        if code in _NUMBERS:
            return self._number(_NUMBERS[code])
        if code in _SIZED:
            form, kind = _SIZED[code]
            return self._items(kind, self._number(form))
        return self._short(code)

    def _short(self, code: int) -> Any:
        """Gives a value whose size or number is in its code."""
        if code < 0x80:
            return code
        if code < 0x90:
            return self._items("map", code & 0x0F)
        if code < 0xA0:
            return self._items("array", code & 0x0F)
        if code < 0xC0:
            return self._items("text", code & 0x1F)
        if code >= 0xE0:
            return code - 0x100
        raise ValueError(f"unknown MessagePack code {code:#x}")

    def _items(self, kind: str, size: int) -> Any:
        if kind == "map":
            return {self.value(): self.value() for _ in range(size)}
        if kind == "array":
            return [self.value() for _ in range(size)]
        taken = self._content[self._position : self._position + size]
        self._position += size
        return taken.decode() if kind == "text" else taken

    def _number(self, form: str) -> Any:
        (number,) = struct.unpack_from(form, self._content, self._position)
        self._position += struct.calcsize(form)
        return number
