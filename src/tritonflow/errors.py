# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The errors that tritonflow raises: one base class, leaves by who must act.

A message reads "`subject`: what is wrong: got X, expected Y.", then the user's file and
line, then one thing to do.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SourceLocation:
    """A line of the user's source. `line` is 1-based; 0 when only the file is known."""

    file: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


class TritonFlowError(Exception):
    """Base of every error of this package.

    Args:
        message: what is wrong, with what was found and what was expected.
        at: the user's line, where one is known.
        hint: one thing to do about it.
    """

    def __init__(
        self,
        message: str,
        *,
        at: SourceLocation | None = None,
        hint: str | None = None,
    ) -> None:
        self.message = message
        self.at = at
        self.hint = hint
        lines = [message]
        if at is not None:
            lines.append(f"  at {at}")
        if hint is not None:
            lines.append(f"  hint: {hint}")
        super().__init__("\n".join(lines))


class SignatureError(TritonFlowError, TypeError):
    """A call does not fit its kernel or program: names, count, dtype, rank, shape."""


class UnsupportedError(TritonFlowError, NotImplementedError):
    """The request is meaningful, but this version cannot serve it."""


class TargetError(TritonFlowError, ValueError):
    """A target or device is unknown, absent, or does not fit the artifact."""


class KernelCompileError(TritonFlowError):
    """Triton or an assembler refused a kernel; the user's kernel must change."""


class VerifyError(TritonFlowError):
    """IR breaks a rule of the `triton` dialect."""


class PassError(TritonFlowError):
    """A pass failed on valid input; the message holds the diagnostics."""


class ToolError(TritonFlowError):
    """An external tool (IREE's compiler, an assembler) failed; its output is kept."""


class ArtifactError(TritonFlowError):
    """A file is not an artifact of ours, is damaged, or comes from a later version."""


class ParameterError(TritonFlowError):
    """A weights file lacks a tensor, has one too many, or one of another shape."""


class CacheError(TritonFlowError):
    """The kernel cache cannot be used and the work cannot be done without it."""


class LaunchError(TritonFlowError, RuntimeError):
    """A program could not be run on the device."""
