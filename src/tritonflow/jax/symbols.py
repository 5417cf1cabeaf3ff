# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Symbolic dimensions: sizes that a program learns when it is called."""

from __future__ import annotations

import contextlib
import os
import traceback
from collections.abc import Iterator
from typing import Any

import jax

from ..errors import SourceLocation, UnsupportedError

DIVISORS = (16, 8, 4, 2)
"""What is worth knowing about an integer. Source: Triton specialises on 16 alone."""

_SYMBOL_TYPE = "_DimExpr"


def is_symbolic(value: Any) -> bool:
    """Whether `value` is a size that depends on a symbolic dimension."""
    return jax.export.is_symbolic_dim(value)


def divisor_of(size: Any) -> int:
    """Gives the largest of 16, 8, 4, 2, 1 that divides `size` whatever the symbols."""
    for divisor in DIVISORS:
        # The remainder folds to a number where the terms of the sum allow it.
        remainder = size % divisor
        if not is_symbolic(remainder) and remainder == 0:
            return divisor
    return 1


def find_symbolic(value: Any) -> Any | None:
    """Gives the first symbolic size in `value` or in a tuple or list of it."""
    if is_symbolic(value):
        return value
    if isinstance(value, tuple | list):
        return next((s for item in value if (s := find_symbolic(item))), None)
    return None


@contextlib.contextmanager
def named_symbol_errors(subject: str) -> Iterator[None]:
    """Turns errors of arithmetic on symbolic sizes into an UnsupportedError.

    JAX's sizes take +, -, *, // and % with integers. All else, such as the shifts of
    `triton.next_power_of_2` or an undecided comparison, fails there without a word on
    which number it was for.
    """
    try:
        yield
    except Exception as error:
        if not _is_symbol_error(error):
            raise
        raise value_needed(subject, _first_line(error), user_line(error)) from error


def value_needed(
    subject: str, detail: str, at: SourceLocation | None
) -> UnsupportedError:
    """Gives the error for a symbolic size in a place that needs a number."""
    return UnsupportedError(
        f"{subject}: needs the value of a symbolic dimension while the program is "
        f"compiled: {detail}",
        at=at,
        hint="block sizes and other constexprs must be numbers: choose them without "
        "the symbol, or compile one program for each size",
    )


def user_line(error: BaseException) -> SourceLocation | None:
    """Gives the innermost line of the user's own code that `error` passed through."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not _is_library(frame.filename)]
    if not own:
        return None
    return SourceLocation(own[-1].filename, own[-1].lineno or 0)


def _is_symbol_error(error: Exception) -> bool:
    if type(error).__name__ == "InconclusiveDimensionOperation":
        return True
    return isinstance(error, TypeError | ValueError) and _SYMBOL_TYPE in str(error)


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def _is_library(file: str) -> bool:
    parts = file.split(os.sep)
    own = os.path.dirname(os.path.dirname(__file__))
    return (
        file.startswith(("<", own + os.sep))
        or "site-packages" in parts
        or os.path.basename(file) == "contextlib.py"
    )
