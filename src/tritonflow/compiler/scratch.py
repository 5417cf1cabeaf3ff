# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The two scratch pointers that Triton appends to a kernel, in its LLVM IR.

define ptx_kernel void @k(ptr %0, i32 %1, ptr %2, ptr %3)
--> no scratch used          --> global scratch used
... @k(ptr %0, i32 %1)       ... @k(ptr %p0, ptr %p2, i32 %p1)
"""

from __future__ import annotations

import re

from ..errors import UnsupportedError
from ..kernel.ttir_file import split_top_level

_KERNEL = re.compile(r"^define (?:ptx_kernel|amdgpu_kernel) [^\n]*?\(", re.MULTILINE)
_NUMBER = re.compile(r"%(\d+)\b")
_POINTER = re.compile(r"ptr(?: addrspace\(\d+\))?")
_ALIGNED = """\
  %scratch.given = ptrtoint {type} {given} to i64
  %scratch.past = add i64 %scratch.given, {most}
  %scratch.aligned = and i64 %scratch.past, {mask}
  %scratch = inttoptr i64 %scratch.aligned to {type}
"""


def settle_scratch(
    llvm_ir: str,
    *,
    name: str,
    pointers: int,
    is_reserved: bool,
    alignment: int,
) -> tuple[str, bool]:
    """Gives LLVM IR whose kernel takes a scratch pointer after its buffers, or none.

    Args:
        llvm_ir: with one kernel, whose last two parameters are global and profiling
            scratch.
        name: the kernel's, for errors.
        pointers: how many buffers it takes, which come first.
        is_reserved: leave the pointer in even if the code does not use it.
        alignment: of the scratch, in bytes, a power of two. The pointer given may have
            any: the kernel uses the first aligned address from there on.

    Returns: the text, and whether a scratch pointer is left.

    Raises: UnsupportedError: if the kernel is instrumented for a profiler.
    """
    start, end, close = _kernel_span(llvm_ir)
    parameters = list(split_top_level(llvm_ir, start))
    body = llvm_ir[close:end]
    used = {int(number) for number in _NUMBER.findall(body)}
    count = len(parameters)
    if count - 1 in used:
        raise UnsupportedError(
            f"kernel `{name}`: its code records a profile, which has no place.",
            hint="switch Triton's instrumentation off",
        )
    has_scratch = is_reserved or count - 2 in used
    kept = list(range(count - 2))
    if has_scratch:
        kept.insert(pointers, count - 2)
    # Every parameter keeps its meaning by name, wherever it stands now; the first
    # block keeps its number, which phi nodes may refer to.
    named = _NUMBER.sub(lambda match: _renamed(match, count), body)
    brace = named.index("{\n") + 2
    entry = f"{count}:\n"
    if count - 2 in used:
        pointer = _POINTER.search(parameters[count - 2])
        assert pointer is not None  # Triton's scratch is one.
        entry += _ALIGNED.format(
            given=f"%parameter{count - 2}",
            type=pointer.group(),
            most=alignment - 1,
            mask=-alignment,
        )
        named = re.sub(rf"%parameter{count - 2}\b", "%scratch", named)
    named = f"{named[:brace]}{entry}{named[brace:]}"
    chosen = [
        _NUMBER.sub(lambda match: _renamed(match, count), parameters[index])
        for index in kept
    ]
    return f"{llvm_ir[:start]}{', '.join(chosen)}{named}{llvm_ir[end:]}", has_scratch


def _renamed(match: re.Match[str], count: int) -> str:
    number = int(match.group(1))
    return f"%parameter{number}" if number < count else match.group()


def _kernel_span(llvm_ir: str) -> tuple[int, int, int]:
    """Gives where the kernel's parameters start, its body ends, its parameters end."""
    kernel = _KERNEL.search(llvm_ir)
    if kernel is None:
        raise AssertionError("Triton's LLVM IR holds no kernel")
    start = kernel.end()
    depth, position = 1, start
    while depth:
        depth += {"(": 1, ")": -1}.get(llvm_ir[position], 0)
        position += 1
    end = llvm_ir.index("\n}\n", position) + 3
    return start, end, position - 1
