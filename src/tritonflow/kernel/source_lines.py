# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Lines of a kernel's source in a form that holds for every copy of it.

A compiled kernel is shared by all copies of its source, whose files and line numbers
differ. A statement's place in the syntax tree is the same in all of them.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from ..errors import SourceLocation
from .fingerprint import Summary, functions_of
from .kernel import Kernel, definition_of

_MARK = "@"


def portable_line(kernel: Kernel, location: SourceLocation) -> str:
    """Gives `@<digest of a function>:<number of its statement>` for a line of one.

    A line in no function of the user's keeps its number, and the file its last name.
    """
    for function, summary in _functions(kernel):
        start = definition_of(function)
        line = location.line - start.line + 1
        if location.file == start.file and 1 <= line <= summary.length:
            statements = summary.statements
            above = [(at, -i) for i, at in enumerate(statements) if at <= line]
            return f"{_MARK}{summary.digest}:{-max(above)[1]}"
    return f"{PurePath(location.file).name}:{location.line}"


def present_line(kernel: Kernel, portable: str) -> str:
    """Gives `file:line` in this copy of the kernel's source."""
    if not portable.startswith(_MARK):
        return portable
    digest, _, number = portable.removeprefix(_MARK).partition(":")
    for function, summary in _functions(kernel):
        if summary.digest == digest and int(number) < len(summary.statements):
            start = definition_of(function)
            line = start.line + summary.statements[int(number)] - 1
            return str(SourceLocation(start.file, line))
    return str(kernel.location)


def _functions(kernel: Kernel) -> list[tuple[Any, Summary]]:
    if kernel.function is None:
        return []
    return [
        (function, summary)
        for function, summary in functions_of(kernel.function)
        if hasattr(function, "raw_src")
    ]
