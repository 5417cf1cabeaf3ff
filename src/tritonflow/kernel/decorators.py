# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What `@triton.heuristics` and `@triton.autotune` add to a call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import SignatureError, TritonFlowError, UnsupportedError
from .heuristic_values import DescriptorView, heuristic_view
from .kernel import Kernel
from .options import options_of


def apply_decorators(
    kernel: Kernel,
    arguments: dict[str, Any],
    constexprs: dict[str, Any],
    options: dict[str, Any],
) -> None:
    """Adds the values of every decorator, outermost first, as Triton's launcher does.

    Of an autotuned kernel the first configuration counts. Changes its last three
    arguments.

    Raises:
        SignatureError: if a configuration and the call both give a name, or a
            heuristic fails on this call's arguments.
        UnsupportedError: if a heuristic needs a number that only the run knows.
    """
    for decorator in kernel.decorators:
        if hasattr(decorator, "configs"):
            _apply_configuration(kernel, decorator, arguments, constexprs, options)
        else:
            _apply_heuristics(kernel, decorator, arguments, constexprs, options)


def _apply_heuristics(
    kernel: Kernel,
    decorator: Any,
    arguments: dict[str, Any],
    constexprs: dict[str, Any],
    options: dict[str, Any],
) -> None:
    for name, heuristic in decorator.values.items():
        values = _views(arguments) | options | constexprs
        value = _evaluate(kernel, name, heuristic, values)
        # Triton's launcher lets the heuristic win over what the call gives.
        arguments.pop(name, None)
        _set(kernel, "heuristics", name, value, constexprs, options)


def _evaluate(
    kernel: Kernel, name: str, heuristic: Any, values: Mapping[str, Any]
) -> Any:
    try:
        return heuristic(values)
    except TritonFlowError as error:
        raise type(error)(
            f"heuristic `{name}` of kernel `{kernel.name}`: {error.message}",
            at=kernel.location,
            hint=error.hint,
        ) from error
    except Exception as error:
        raise SignatureError(
            f"heuristic `{name}` of kernel `{kernel.name}` failed: "
            f"{type(error).__name__}: {error}",
            at=kernel.location,
        ) from error


def _apply_configuration(
    kernel: Kernel,
    decorator: Any,
    arguments: dict[str, Any],
    constexprs: dict[str, Any],
    options: dict[str, Any],
) -> None:
    configuration = decorator.configs[0]
    if getattr(configuration, "ir_override", None):
        raise UnsupportedError(
            f"autotune of kernel `{kernel.name}`: `ir_override` is not supported.",
            at=kernel.location,
        )
    for name, value in configuration.kwargs.items():
        if name in arguments or name in constexprs:
            raise SignatureError(
                f"kernel `{kernel.name}`: `{name}` is given by the call and by its "
                "autotune configuration.",
                at=kernel.location,
                hint=f"leave `{name}` out of the call",
            )
        _set(kernel, "autotune", name, value, constexprs, options)
    # These have defaults of their own in every configuration; the call's wins.
    for name in ("num_warps", "num_stages", "num_ctas", "maxnreg"):
        value = getattr(configuration, name, None)
        if value is not None and name in options_of("cpu"):
            options.setdefault(name, value)
    if configuration.pre_hook is not None:
        _run_pre_hook(kernel, configuration, arguments, constexprs, options)


def _set(
    kernel: Kernel,
    decorator: str,
    name: str,
    value: Any,
    constexprs: dict[str, Any],
    options: dict[str, Any],
) -> None:
    """Adds what a decorator sets: a parameter's value or an option."""
    if name in kernel.by_name:
        constexprs[name] = value
        return
    if name not in options_of("cpu"):
        raise SignatureError(
            f"{decorator} of kernel `{kernel.name}`: `{name}` is neither a parameter "
            "nor a compile option.",
            at=kernel.location,
        )
    options[name] = value


def _run_pre_hook(
    kernel: Kernel,
    configuration: Any,
    arguments: dict[str, Any],
    constexprs: Mapping[str, Any],
    options: Mapping[str, Any],
) -> None:
    """Runs a configuration's hook, which may set the block shapes of descriptors."""
    views = _views(arguments)
    values = {**views, **constexprs, **options}
    _evaluate(kernel, "pre_hook", configuration.pre_hook, values)
    for name, view in views.items():
        if isinstance(view, DescriptorView):
            arguments[name] = view.argument()


def _views(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: heuristic_view(value, name) for name, value in arguments.items()}
