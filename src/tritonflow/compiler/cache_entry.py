# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""A compiled kernel as bytes that prove their own soundness.

tritonflow-kernel 1\n          what it is, in which form
<SHA-256 of all that follows>\n
<length of the header, 8 bytes, little end first>
<header: JSON; parameters, ABI, sizes of the sections>
<sections: binary, ptx, ttir, cpu_code>
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import Any

from ..errors import CacheError
from ..target import Target
from .compiled import Abi, CompiledKernel, KernelParameter

_MAGIC = b"tritonflow-kernel 1\n"
_DIGEST_SIZE = 65
_LENGTH_SIZE = 8
_SECTIONS = ("binary", "ptx", "ttir", "cpu_code")


def encode_entry(kernel: CompiledKernel) -> bytes:
    """Gives the bytes that `decode_entry` makes the same kernel of."""
    header = asdict(kernel)
    header["target"] = str(kernel.target)
    sections = []
    for name in _SECTIONS:
        content = header.pop(name)
        sections.append(content if isinstance(content, bytes) else content.encode())
    header["sections"] = [len(section) for section in sections]
    text = json.dumps(header, sort_keys=True).encode()
    body = b"".join([len(text).to_bytes(_LENGTH_SIZE, "little"), text, *sections])
    return _MAGIC + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def decode_entry(content: bytes) -> CompiledKernel:
    """Gives the kernel that `content` is an entry of.

    Raises: CacheError: if a byte was lost or changed, or another version wrote it.
    """
    header, body, position = _checked_header(content)
    for name, size in zip(_SECTIONS, header.pop("sections"), strict=True):
        section = body[position : position + size]
        header[name] = bytes(section) if name == "binary" else str(section, "utf-8")
        position += size
    abi = header.pop("abi")
    return CompiledKernel(
        **header
        | {
            "target": Target.parse(header["target"]),
            "parameters": tuple(KernelParameter(**p) for p in header["parameters"]),
            "abi": _abi(abi) if abi is not None else None,
        }
    )


def entry_header(content: bytes) -> dict[str, Any]:
    """Gives name, target and key of an entry. Raises CacheError as `decode_entry`."""
    return _checked_header(content)[0]


def _checked_header(content: bytes) -> tuple[dict[str, Any], memoryview, int]:
    start = len(_MAGIC) + _DIGEST_SIZE
    if not content.startswith(_MAGIC):
        raise CacheError("it is no kernel cache entry of this version.")
    body = memoryview(content)[start:]
    digest = hashlib.sha256(body).hexdigest().encode() + b"\n"
    if content[len(_MAGIC) : start] != digest:
        raise CacheError("its checksum does not match: a byte was lost or changed.")
    end = _LENGTH_SIZE + int.from_bytes(body[:_LENGTH_SIZE], "little")
    return json.loads(bytes(body[_LENGTH_SIZE:end])), body, end


def _abi(fields: dict[str, Any]) -> Abi:
    return Abi(
        bindings=tuple(fields["bindings"]),
        has_scratch=fields["has_scratch"],
        constants=tuple((index, word) for index, word in fields["constants"]),
    )
