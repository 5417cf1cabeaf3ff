# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Which of a call's arguments goes to which parameter of the kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax

from ..errors import SignatureError, SourceLocation
from ..kernel.kernel import Kernel, Parameter
from .symbols import find_symbolic, value_needed


@dataclass(frozen=True, eq=False)
class Binding:
    """A call's arguments by their use. All but `options` are in the kernel's order.

    Attributes:
        operands: values for run-time parameters.
        constexprs: compile-time values.
        options: keywords that name no parameter; the compiler checks them.
        outputs: run-time parameters that take a fresh output, with its index.
    """

    operands: dict[str, Any]
    constexprs: dict[str, Any]
    options: dict[str, Any]
    outputs: dict[str, int]


def bind_arguments(
    kernel: Kernel,
    positional: Sequence[Any],
    keywords: Mapping[str, Any],
    fresh_outputs: Sequence[int],
    at: SourceLocation,
) -> Binding:
    """Binds positional arguments in parameter order, past those given by keyword.

    Args:
        fresh_outputs: indices of the outputs that no operand is aliased to; in order
            they take the run-time parameters that nobody supplied.
        at: the user's call.

    Raises: SignatureError: on too many arguments, or too many or few outputs.
    """
    names = {parameter.name for parameter in kernel.parameters}
    given = {name: value for name, value in keywords.items() if name in names}
    given |= _bind_positional(kernel, positional, given, at)
    constexprs = {
        p.name: _constexpr(kernel, p.name, given[p.name], at)
        for p in kernel.parameters
        if p.is_constexpr and p.name in given
    }
    run_time = [p for p in kernel.parameters if not p.is_constexpr]
    absent = [p for p in run_time if p.name not in given]
    taking = _parameters_of_outputs(kernel, absent, len(fresh_outputs), at)
    operands = {
        p.name: given.get(p.name, p.default)
        for p in run_time
        if p.name in given or p not in taking
    }
    return Binding(
        operands=operands,
        constexprs=constexprs,
        options={k: v for k, v in keywords.items() if k not in names},
        outputs={p.name: index for p, index in zip(taking, fresh_outputs, strict=True)},
    )


def _bind_positional(
    kernel: Kernel,
    positional: Sequence[Any],
    given: Mapping[str, Any],
    at: SourceLocation,
) -> dict[str, Any]:
    free = [p.name for p in kernel.parameters if p.name not in given]
    if len(positional) > len(free):
        raise SignatureError(
            f"call of kernel `{kernel.name}`: got {len(positional)} positional "
            f"arguments, but only {len(free)} parameters are not given by keyword: "
            f"{', '.join(free) or 'none'}.",
            at=at,
        )
    return dict(zip(free, positional, strict=False))


def _parameters_of_outputs(
    kernel: Kernel, absent: Sequence[Parameter], count: int, at: SourceLocation
) -> list[Parameter]:
    """Gives the parameters that outputs take: of those absent, defaults come last."""
    if len(absent) == count:
        return list(absent)
    required = [p for p in absent if not p.has_default]
    if len(required) == count:
        return required
    names = ", ".join(f"`{p.name}`" for p in absent) or "none"
    hint = (
        "an output that updates an operand in place needs `input_output_aliases` and "
        "no parameter of its own"
    )
    if len(absent) > count:
        hint = "pass those that are inputs, by position or by name"
    raise SignatureError(
        f"call of kernel `{kernel.name}`: got {count} outputs that alias no operand, "
        f"but {len(absent)} parameters have no argument: {names}; expected one output "
        "for each.",
        at=at,
        hint=hint,
    )


def _constexpr(kernel: Kernel, name: str, value: Any, at: SourceLocation) -> Any:
    symbol = find_symbolic(value)
    if symbol is not None:
        subject = f"constexpr `{name}` of kernel `{kernel.name}`"
        raise value_needed(subject, f"its value is `{symbol}`", at)
    if isinstance(value, jax.Array):
        raise SignatureError(
            f"constexpr `{name}` of kernel `{kernel.name}`: got an array of type "
            f"{jax.typeof(value)}, expected a compile-time value.",
            at=at,
        )
    return value
