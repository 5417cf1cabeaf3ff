# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Fails when a file is over 500 lines or a function over 60 (`make check`)."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

FILE_LINES = 500
FUNCTION_LINES = 60


def oversized(path: Path) -> Iterator[str]:
    """Gives a complaint for each part of `path` that is too long."""
    text = path.read_text()
    if (lines := text.count("\n")) > FILE_LINES:
        yield f"{path}: {lines} lines, at most {FILE_LINES}"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION_LINES:
                yield (
                    f"{path}:{node.lineno}: `{node.name}` has {lines} lines, "
                    f"at most {FUNCTION_LINES}"
                )


def main() -> int:
    """Checks every Python file of the project."""
    root = Path(__file__).resolve().parent.parent
    folders = ("src", "tests", "examples", "benchmarks")
    files = sorted(path for folder in folders for path in (root / folder).rglob("*.py"))
    complaints = [line for path in files for line in oversized(path)]
    print("\n".join(complaints) or f"{len(files)} files are within the limits")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
