# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Triton's refusals of a kernel, in the user's terms."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

from ..errors import KernelCompileError, SourceLocation, TritonFlowError
from ..kernel.specialization import Specialization
from ..target import Target

_LOCATION = re.compile(r'(?:loc\()?"?([^\s"(]+\.py)"?:(\d+):\d+')
_MLIR_ERROR = re.compile(r"(?:error|failed): (.*)")


@contextlib.contextmanager
def kernel_errors(spec: Specialization, target: Target) -> Iterator[None]:
    """Turns whatever Triton raises or prints into a KernelCompileError.

    What MLIR prints of a kernel that compiles is passed on.
    """
    with _captured_stderr() as printed:
        try:
            yield
        except TritonFlowError:
            raise
        except Exception as error:
            text = printed()
            printed.is_used = True
            raise _kernel_error(spec, target, error, text) from error


def _kernel_error(
    spec: Specialization, target: Target, error: Exception, printed: str
) -> KernelCompileError:
    subject = f"kernel `{spec.name}` for {target}"
    chain = _compilation_errors(error)
    if chain:
        return _frontend_error(spec, subject, error, chain)
    at = spec.kernel.location
    if found := _LOCATION.search(printed):
        at = SourceLocation(found.group(1), int(found.group(2)))
    messages = list(dict.fromkeys(_MLIR_ERROR.findall(printed)))
    reason = "; ".join(messages[:3]) or _first_line(error)
    return KernelCompileError(f"{subject}: Triton refuses it: {reason}", at=at)


def _frontend_error(
    spec: Specialization, subject: str, error: Exception, chain: list[Any]
) -> KernelCompileError:
    """Names the user's line in the kernel, and the line in a callee if it is there."""
    lines = [_source_line(each) for each in chain]
    where = "" if len(chain) == 1 else f" (in the called `{lines[-1].strip()}`)"
    root: BaseException = error
    while root.__cause__ is not None:
        root = root.__cause__
    reason = getattr(root, "error_message", None) or _first_line(root)
    location = spec.kernel.location
    line = location.line + getattr(chain[0].node, "lineno", 1) - 1
    return KernelCompileError(
        f"{subject}: Triton refuses `{lines[0].strip()}`{where}: {reason}",
        at=SourceLocation(location.file, line),
    )


def _compilation_errors(error: BaseException | None) -> list[Any]:
    """Gives Triton's frontend errors, of the kernel first, then of what it calls."""
    found = []
    while error is not None:
        if hasattr(error, "node") and hasattr(error, "src"):
            found.append(error)
        error = error.__cause__
    return found


def _source_line(error: Any) -> str:
    line = getattr(error.node, "lineno", 0)
    lines = (error.src or "").split("\n")
    return lines[line - 1] if 0 < line <= len(lines) else ""


def _first_line(error: BaseException) -> str:
    text = str(error).strip() or type(error).__name__
    return text.split("\n")[0]


class _Printed:
    """What was written to the standard error stream since the capture began."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.is_used = False

    def __call__(self) -> str:
        self._file.seek(0)
        return self._file.read().decode(errors="replace")


@contextlib.contextmanager
def _captured_stderr() -> Iterator[_Printed]:
    """Holds back what native code prints; all of it appears unless it is used."""
    with contextlib.suppress(Exception):
        sys.stderr.flush()
    try:
        kept = os.dup(2)
    except OSError:  # A process without that stream.
        with tempfile.TemporaryFile() as file:
            yield _Printed(file)
        return
    with tempfile.TemporaryFile() as file:
        printed = _Printed(file)
        os.dup2(file.fileno(), 2)
        try:
            yield printed
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            if not printed.is_used and (text := printed()):
                os.write(2, text.encode())
