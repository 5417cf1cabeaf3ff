# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""IREE's compiler in this process, run phase by phase, with its diagnostics kept.

The bindings print diagnostics to stderr and know neither phases nor callbacks; the
library itself does both. What is used of it is IREE's public C API, `embedding_api.h`.
"""

from __future__ import annotations

import ctypes
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from iree.compiler.api import Output, Session, Source, ctypes_dl

from ..errors import ToolError

_DIAGNOSTIC = ctypes.CFUNCTYPE(
    None, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p
)
_SEVERITIES = ("note", "warning", "error", "remark")
_MAX_DIAGNOSTICS_CHARS = 4000


def _library() -> Any:
    """IREE's compiler library with the signatures that the bindings leave out."""
    library = ctypes_dl._dylib  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    for name, arguments in {
        "ireeCompilerInvocationSetCompileFromPhase": [pointer, text],
        "ireeCompilerInvocationSetCompileToPhase": [pointer, text],
        "ireeCompilerInvocationSetDumpCompilationPhasesTo": [pointer, text],
        "ireeCompilerInvocationEnableCallbackDiagnostics": [
            pointer,
            ctypes.c_int,
            _DIAGNOSTIC,
            pointer,
        ],
    }.items():
        function = getattr(library, name)
        function.argtypes, function.restype = arguments, None
    return library


class Compilation:
    """One module on its way through IREE's phases, for use in a `with` statement.

    Args:
        source: MLIR text, or MLIR bytecode.
        flags: as on the command line of `iree-compile`.
        start: the phase after which `source` was written; None for IREE's input.
        dump_phases_to: folder for the IR after each phase.

    Raises: ToolError: a flag that IREE does not know, or text that does not parse.
    """

    def __init__(
        self,
        source: str | bytes,
        flags: Sequence[str],
        *,
        start: str | None = None,
        dump_phases_to: Path | None = None,
    ) -> None:
        self._source = source.encode() if isinstance(source, str) else source
        self._library = _library()
        self._diagnostics: list[str] = []
        self._reached = start
        self._session = Session()
        try:
            self._session.set_flags(*flags)
        except ValueError as error:
            self.close()
            raise ToolError(f"IREE's compiler refuses its flags: {error}") from error
        self._invocation = self._session.invocation()
        # Kept as an attribute: the library calls it while the invocation lives.
        self._callback = _DIAGNOSTIC(self._collect)
        self._library.ireeCompilerInvocationEnableCallbackDiagnostics(
            self._pointer, 0, self._callback, None
        )
        if dump_phases_to is not None:
            self._library.ireeCompilerInvocationSetDumpCompilationPhasesTo(
                self._pointer, os.fsencode(dump_phases_to)
            )
        buffer = Source.wrap_buffer(self._session, self._source)
        if not self._invocation.parse_source(buffer):
            raise self._failure("does not parse the module")

    @property
    def _pointer(self) -> ctypes.c_void_p:
        return self._invocation._inv_p  # pyright: ignore[reportPrivateUsage]

    def run_to(self, phase: str) -> None:
        """Runs up to the end of `phase`. Raises ToolError with IREE's diagnostics."""
        if self._reached is not None:
            self._library.ireeCompilerInvocationSetCompileFromPhase(
                self._pointer, self._reached.encode()
            )
        self._library.ireeCompilerInvocationSetCompileToPhase(
            self._pointer, phase.encode()
        )
        if not self._invocation.execute():
            raise self._failure("cannot compile the module")
        self._reached = phase

    def ir(self) -> bytes:
        """The module as it is now, as MLIR text."""
        output = Output.open_membuffer()
        try:
            self._invocation.output_ir(output)
            return bytes(output.map_memory())
        finally:
            output.close()

    def bytecode(self) -> bytes:
        """The finished VM module. Raises ToolError if it cannot be written."""
        output = Output.open_membuffer()
        try:
            self._invocation.output_vm_bytecode(output)
            return bytes(output.map_memory())
        except ValueError as error:
            raise self._failure(f"cannot write the module: {error}") from error
        finally:
            output.close()

    def close(self) -> None:
        """Frees the module and everything with it."""
        self._session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _collect(self, severity: int, text: int, length: int, _: object) -> None:
        message = ctypes.string_at(text, length).decode(errors="replace")
        kind = _SEVERITIES[severity] if severity < len(_SEVERITIES) else "note"
        self._diagnostics.append(f"{kind}: {message}")

    def _failure(self, what: str) -> ToolError:
        """Gives the error, with the module that showed it left in a file."""
        reproducer = _write_reproducer(self._source)
        diagnostics = "\n".join(self._diagnostics)[:_MAX_DIAGNOSTICS_CHARS]
        self.close()
        return ToolError(
            f"IREE's compiler {what}: {diagnostics or 'it gives no reason'}",
            hint=f"to report it, attach {reproducer}" if reproducer else None,
        )


def _write_reproducer(source: bytes) -> str | None:
    try:
        handle, path = tempfile.mkstemp(prefix="tritonflow-", suffix=".mlir")
        with os.fdopen(handle, "wb") as file:
            file.write(source)
    except OSError:
        return None  # A full disk must not hide the diagnostics.
    return path
