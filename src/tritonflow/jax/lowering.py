# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""A kernel call in StableHLO: `stablehlo.custom_call @tritonflow.call`."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np

from ..kernel.element_types import BIT_WIDTHS, NUMPY_FROM_MLIR, mlir_type
from ..kernel.specialization import Specialization
from .launch import GridOperand, KernelArgument, Launch

CALL_TARGET = "tritonflow.call"


@dataclass(eq=False)
class LoweredCalls:
    """The calls that one export lowers, in order, and their kernels by key."""

    launches: list[Launch] = field(default_factory=list)
    kernels: dict[str, Specialization] = field(default_factory=dict)

    def add(self, launch: Launch) -> int:
        """Gives the index under which the text of the program names this call."""
        self.kernels[launch.specialization.key] = launch.specialization
        self.launches.append(launch)
        return len(self.launches) - 1


_current: contextvars.ContextVar[LoweredCalls | None] = contextvars.ContextVar(
    "lowered_calls", default=None
)


@contextlib.contextmanager
def collect_calls() -> Iterator[LoweredCalls]:
    """Gives the list to which calls lowered inside of the block are added."""
    calls = LoweredCalls()
    token = _current.set(calls)
    try:
        yield calls
    finally:
        _current.reset(token)


def lower_call(ctx: Any, operands: Sequence[Any], launch: Launch) -> Any:
    """Gives the results of the custom call that stands for `launch`.

    Its `mhlo.backend_config` says all that the passes need: `kernel` (content key),
    `name`, `grid`, `arguments`, `zeroed`, and `call`, an index into the table of calls
    beside the program. The user's line stands only there: it would make the text differ
    between machines. Where a result's shape is symbolic, JAX adds shape operands.
    """
    calls = _current.get()
    attributes: dict[str, Any] = {
        "kernel": launch.specialization.key,
        "name": launch.specialization.name,
        "grid": [_grid_attribute(size) for size in launch.grid],
        "arguments": [_argument_attribute(a) for a in launch.arguments],
        "zeroed": [np.int64(index) for index in launch.zeroed],
    }
    if calls is not None:
        attributes["call"] = np.int64(calls.add(launch))
    rule = jax.ffi.ffi_lowering(CALL_TARGET, skip_ffi_layout_processing=True)
    return rule(ctx, *operands, **attributes)


def constant(value: bool | float, type_name: str) -> Any:
    """Gives `value` as the NumPy scalar whose MLIR attribute has the kernel's type.

    MLIR's integers have no sign: `u32` 2**32 - 1 becomes the `i32` -1.

    Args:
        type_name: in Triton's spelling.
    """
    element, _ = mlir_type(type_name)
    scalar = np.dtype(NUMPY_FROM_MLIR[element]).type
    if not element.startswith("i"):
        # Too large a number is infinite, as in Triton.
        with np.errstate(over="ignore"):
            return scalar(value)
    bits = BIT_WIDTHS[element]
    if bits == 1:
        return scalar(value)
    wrapped = int(value) & ((1 << bits) - 1)
    return scalar(wrapped - (1 << bits) if wrapped >> (bits - 1) else wrapped)


def _grid_attribute(size: int | GridOperand) -> Any:
    if isinstance(size, GridOperand):
        return {"operand": np.int64(size.operand)}
    return np.int64(size)


def _argument_attribute(argument: KernelArgument) -> dict[str, Any]:
    attribute: dict[str, Any] = {"kind": argument.kind}
    if argument.operand is not None:
        attribute["operand"] = np.int64(argument.operand)
    if argument.result is not None:
        attribute["result"] = np.int64(argument.result)
    if argument.kind == "constant":
        assert argument.value is not None
        attribute["value"] = constant(argument.value, argument.type)
    return attribute
