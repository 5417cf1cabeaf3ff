# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Triton IR that the user brings as a file: its entry function and the arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import SignatureError
from .element_types import MLIR_FROM_TRITON

_TRITON_FROM_MLIR = {
    mlir: triton
    for triton, mlir in reversed(MLIR_FROM_TRITON.items())
    if not triton.startswith("u") and triton != "fp8e4b15"
} | {"i1": "u1"}

_ENTRY = re.compile(r"tt\.func\s+(?:public\s+)?@(\"[^\"]+\"|[\w.$-]+)\s*\(")
_POINTER = re.compile(r"!tt\.ptr<\s*([^,>]+?)\s*(,\s*[^>]+)?>")
_DIVISIBILITY = re.compile(r"tt\.divisibility\s*=\s*(\d+)")


@dataclass(frozen=True)
class TtirArgument:
    """An argument of the entry function.

    Attributes:
        type: in Triton's spelling, `*fp32` or `i32`.
        divisibility: what the IR takes for granted of the value or address, else 1.
    """

    name: str
    type: str
    divisibility: int


@dataclass(frozen=True)
class TtirEntry:
    """A file of Triton IR.

    Attributes:
        line: 1-based line of the entry function.
    """

    text: str
    name: str
    arguments: tuple[TtirArgument, ...]
    line: int


def read_ttir(path: Path) -> TtirEntry:
    """Reads a `.ttir` file as Triton prints it.

    Raises: SignatureError: if the file cannot be read, has not exactly one public
        function, or that takes something other than pointers and scalars.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SignatureError(
            f"kernel file `{path}`: cannot be read: {error}"
        ) from error
    return parse_ttir(text, origin=str(path))


def parse_ttir(text: str, *, origin: str) -> TtirEntry:
    """Gives the entry function of Triton IR text. Raises as `read_ttir` does."""
    entries = list(_ENTRY.finditer(text))
    if len(entries) != 1:
        raise SignatureError(
            f"kernel file `{origin}`: got {len(entries)} public functions, expected "
            "one `tt.func public`.",
            hint="write the file with `compiled.asm['ttir']` of a Triton kernel",
        )
    entry = entries[0]
    name = entry.group(1).strip('"')
    arguments = tuple(
        _argument(argument, index, f"kernel `{name}` of `{origin}`")
        for index, argument in enumerate(split_top_level(text, entry.end()))
    )
    return TtirEntry(text, name, arguments, text.count("\n", 0, entry.start()) + 1)


def split_top_level(text: str, start: int) -> Iterator[str]:
    """Gives the comma-separated parts from `start` to the closing parenthesis."""
    depth, begin, position, quoted = 0, start, start, False
    while position < len(text):
        character = text[position]
        if quoted:
            position += character == "\\"
            quoted = character != '"'
        elif character == '"':
            quoted = True
        elif character in "([{<":
            depth += 1
        elif character in ")]}>" and text[position - 1 : position + 1] != "->":
            depth -= 1
        if depth < 0 or (depth == 0 and character == "," and not quoted):
            if part := text[begin:position].strip():
                yield part
            begin = position + 1
        if depth < 0:
            return
        position += 1


def _argument(text: str, index: int, subject: str) -> TtirArgument:
    name, _, rest = text.partition(":")
    name = name.strip().removeprefix("%")
    if re.fullmatch(r"(arg)?\d+", name):
        name = f"arg{index}"
    divisibility = _DIVISIBILITY.search(rest)
    return TtirArgument(
        name=name,
        type=_type(rest.strip(), f"{subject}, argument `{name}`"),
        divisibility=int(divisibility.group(1)) if divisibility else 1,
    )


def _type(text: str, subject: str) -> str:
    if pointer := _POINTER.match(text):
        element, space = pointer.group(1), pointer.group(2)
        prefix = "*k" if space and "constant" in space else "*"
        if element in _TRITON_FROM_MLIR:
            return prefix + _TRITON_FROM_MLIR[element]
    scalar = re.match(r"\w+", text)
    if scalar and scalar.group() in _TRITON_FROM_MLIR:
        return _TRITON_FROM_MLIR[scalar.group()]
    raise SignatureError(
        f"{subject}: got type `{text.split(' ')[0]}`, expected a scalar or a pointer "
        "to one.",
        hint="a tensor descriptor can be made in the kernel from a pointer",
    )
