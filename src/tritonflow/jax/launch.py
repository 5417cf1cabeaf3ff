# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""One call of a kernel in a program: all that it is besides its operands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import jax

from ..errors import SourceLocation
from ..kernel.specialization import Specialization


@dataclass(frozen=True)
class KernelArgument:
    """Where one run-time parameter of the kernel gets its value.

    Attributes:
        kind: `operand`, a buffer that this call only reads; `result`, a fresh buffer;
            `alias`, an operand that becomes a result; `constant`, a number; `value`, a
            0-d integer operand passed by value.
        operand: index among the call's operands.
        result: index among its results.
        value: of a constant.
        type: of a constant, Triton's name.
    """

    kind: Literal["operand", "result", "alias", "constant", "value"]
    operand: int | None = None
    result: int | None = None
    value: bool | int | float | None = None
    type: str = ""


@dataclass(frozen=True)
class GridOperand:
    """A size of the grid that is a 0-d integer operand of the call."""

    operand: int


@dataclass(frozen=True, kw_only=True, repr=False)
class Launch:
    """All that a call is besides its operands.

    Attributes:
        name: the user's name of the call, else the kernel's.
        site: the user's line. It stays out of everything that is compiled.
        results: shapes, maybe symbolic, and dtypes.
        zeroed: indices of the fresh results that start as zeros.
        cost_estimate: pairs of name and number, for profilers.
        metadata: the user's own bytes.
    """

    specialization: Specialization
    name: str
    site: SourceLocation
    grid: tuple[int | GridOperand, ...]
    arguments: tuple[KernelArgument, ...]
    results: tuple[jax.ShapeDtypeStruct, ...]
    zeroed: tuple[int, ...] = ()
    cost_estimate: tuple[tuple[str, int], ...] = ()
    metadata: bytes = b""

    def __repr__(self) -> str:
        grid = ", ".join(
            f"operand {size.operand}" if isinstance(size, GridOperand) else str(size)
            for size in self.grid
        )
        return f"{self.name}[{grid}]"
