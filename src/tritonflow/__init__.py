# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Triton kernels as first-class operations of OpenXLA programs."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .iree.compile import compile as compile
    from .iree.session import Program as Program
    from .iree.session import load as load
    from .jax.triton_call import triton_call as triton_call

__version__ = "0.1.0"

# Names are resolved on first use, so that importing the package loads nothing heavy.
_PUBLIC = {
    "Program": "tritonflow.iree.session",
    "compile": "tritonflow.iree.compile",
    "load": "tritonflow.iree.session",
    "triton_call": "tritonflow.jax.triton_call",
}

__all__ = ["Program", "compile", "load", "triton_call"]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module `tritonflow` has no attribute `{name}`")
    value = getattr(importlib.import_module(_PUBLIC[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_PUBLIC])
