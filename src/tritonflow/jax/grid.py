# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The launch grid of a call, and other values that a function of `meta` may give."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from ..errors import SignatureError, SourceLocation
from .symbols import is_symbolic, named_symbol_errors, user_line

MAX_DIMENSIONS = 3


class _UnknownName(KeyError):
    """A function of `meta` asked for a name that is not in it."""


class _Meta(dict[str, Any]):
    def __missing__(self, name: str) -> Any:
        raise _UnknownName(name)


def evaluate(value: Any, meta: Mapping[str, Any], subject: str) -> Any:
    """Gives `value`, or `value(meta)` if it is a function."""
    if not callable(value):
        return value
    with named_symbol_errors(subject):
        return value(_Meta(meta))


def read_grid(
    grid: Any, meta: Mapping[str, Any], kernel_name: str, at: SourceLocation
) -> tuple[Any, Any, Any]:
    """Gives the three sizes of a launch grid, missing ones 1.

    Each is an integer, a symbolic size, or a 0-d integer array that the program
    computes from sizes.

    Raises: SignatureError: on 0 or more than 3 dimensions, and on sizes that are no
        integers or negative.
    """
    subject = f"`grid` of kernel `{kernel_name}`"
    found = _evaluate_grid(grid, meta, subject)
    sizes = list(found) if isinstance(found, tuple | list) else [found]
    if not 1 <= len(sizes) <= MAX_DIMENSIONS:
        raise SignatureError(
            f"{subject}: got {len(sizes)} dimensions, expected 1 to {MAX_DIMENSIONS}.",
            at=at,
            hint="fold the trailing dimensions into the last one",
        )
    read = [_read_size(size, subject, at) for size in sizes]
    x, y, z = read + [1] * (MAX_DIMENSIONS - len(read))
    return x, y, z


def _evaluate_grid(grid: Any, meta: Mapping[str, Any], subject: str) -> Any:
    try:
        return evaluate(grid, meta, subject)
    except _UnknownName as error:
        raise SignatureError(
            f"{subject}: the function asks for `{error.args[0]}`, expected one of "
            f"{', '.join(sorted(meta))}.",
            at=user_line(error),
        ) from error


def read_zeroed(
    zeroed: Any, meta: Mapping[str, Any], count: int, kernel_name: str
) -> tuple[int, ...]:
    """Gives the indices, sorted, of the outputs that start as zeros.

    Raises: SignatureError: if one of them is not the index of an output.
    """
    subject = f"`zeroed_outputs` of kernel `{kernel_name}`"
    indices: Sequence[Any] = tuple(evaluate(zeroed, meta, subject))
    for index in indices:
        if not isinstance(index, int) or not 0 <= index < count:
            raise SignatureError(
                f"{subject}: got {index!r}, expected the index of one of {count} "
                "outputs."
            )
    return tuple(sorted(set(indices)))


def _read_size(size: Any, subject: str, at: SourceLocation) -> Any:
    if is_symbolic(size):
        return size
    if isinstance(size, jax.Array):
        if size.ndim or not jnp.issubdtype(size.dtype, jnp.integer):
            raise SignatureError(
                f"{subject}: got an array of type {jax.typeof(size)}, expected a 0-d "
                "integer.",
                at=at,
            )
        return size
    try:
        number = operator.index(size)
    except TypeError:
        number = None
    if number is None or isinstance(size, bool) or number < 0:
        raise SignatureError(
            f"{subject}: got the size {size!r} of type `{type(size).__name__}`, "
            "expected integers of 0 or more.",
            at=at,
        )
    return number
