# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The compile options that a call may give, by name."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from ..errors import SignatureError, SourceLocation

_NOT_THE_CALLERS = frozenset(
    {"arch", "backend_name", "extern_libs", "ir_override", "warp_size"}
)
"""Options that the target decides, or that name files of one machine."""


@functools.cache
def options_of(backend: str) -> frozenset[str]:
    """Gives the options of Triton for `cuda` or `rocm`; for `cpu`, those of both."""
    if backend == "cpu":
        return options_of("cuda") | options_of("rocm")
    if backend == "cuda":
        from triton.backends.nvidia.compiler import CUDAOptions as Options
    else:
        from triton.backends.amd.compiler import HIPOptions as Options
    return frozenset(field.name for field in fields(Options)) - _NOT_THE_CALLERS


def check_option_names(
    options: Mapping[str, Any],
    *,
    subject: str,
    parameters: Iterable[str],
    at: SourceLocation | None,
) -> None:
    """Raises SignatureError on a keyword that is neither an option nor a parameter."""
    known = options_of("cpu")
    for name in options:
        if name not in known:
            raise unknown_name(name, [*parameters, *known], subject=subject, at=at)


def unknown_name(
    name: str, known: Iterable[str], *, subject: str, at: SourceLocation | None
) -> SignatureError:
    """Gives the error for a keyword that nothing takes, with the nearest names."""
    near = difflib.get_close_matches(name, sorted(set(known)), n=3, cutoff=0.5)
    hint = (
        f"did you mean {' or '.join(f'`{word}`' for word in near)}?" if near else None
    )
    return SignatureError(
        f"{subject}: unknown keyword `{name}`: it is neither a parameter nor a compile "
        "option.",
        at=at,
        hint=hint or "see the kernel's `def` line for its parameters",
    )
