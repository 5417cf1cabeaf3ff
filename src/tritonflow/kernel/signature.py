# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Specialisation of a kernel to its arguments, as Triton's own launcher does it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import SignatureError
from .arguments import Argument as Argument
from .arguments import ArrayArgument as ArrayArgument
from .arguments import DescriptorArgument as DescriptorArgument
from .arguments import ScalarArgument as ScalarArgument
from .arguments import SymbolArgument as SymbolArgument
from .decorators import apply_decorators
from .flatten import Flattened, flatten_argument
from .kernel import Kernel, Parameter
from .options import check_option_names, unknown_name
from .specialization import Specialization, SpecializedParameter


def specialize(
    kernel: Kernel,
    arguments: Mapping[str, Argument],
    constexprs: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Specialization:
    """Gives the specialisation that a call with these arguments needs.

    Integers equal to 1 and None become constants, integers and addresses divisible by
    16 say so, unless the kernel's `do_not_specialize` and its kin forbid it. Decorators
    of the kernel add their constants and options; autotune its first configuration.

    Args:
        kernel: what is called.
        arguments: by parameter name, for the run-time parameters.
        constexprs: compile-time values by parameter name; one that names a run-time
            parameter folds it.
        options: Triton's compile options, `num_warps` and so on; None means unset.

    Raises:
        SignatureError: on a name that nothing takes, a parameter without argument, or
            an argument that does not fit its parameter.
        UnsupportedError: if a decorator needs what only the run knows.
    """
    arguments = dict(arguments)
    constexprs = {name: _plain(value) for name, value in constexprs.items()}
    options = {name: _plain(v) for name, v in options.items() if v is not None}
    _check_names(kernel, arguments, constexprs, options)
    apply_decorators(kernel, arguments, constexprs, options)
    _take_options_from_constexprs(kernel, constexprs, options)
    flattened = Flattened(kernel)
    signature = tuple(
        _specialize_parameter(flattened, parameter, arguments, constexprs)
        for parameter in kernel.parameters
    )
    spec = Specialization(
        kernel=kernel,
        parameters=tuple(flattened.parameters),
        signature=signature,
        folded=tuple(flattened.folded),
        divisible=tuple(flattened.divisible),
        descriptors=tuple(flattened.descriptors),
        options=options,
        scalars=flattened.scalars,
    )
    # The key is taken now, with the values that the kernel's globals have now.
    _ = spec.key
    return spec


def _plain(value: Any) -> Any:
    """Takes a compile-time value out of `tl.constexpr` and of NumPy's scalar types."""
    kind = type(value)
    if kind.__name__ == "constexpr" and kind.__module__.startswith("triton."):
        return _plain(value.value)
    if kind.__module__ == "numpy" and getattr(value, "ndim", None) == 0:
        return value.item()
    return value


def _check_names(
    kernel: Kernel,
    arguments: Mapping[str, Any],
    constexprs: Mapping[str, Any],
    options: Mapping[str, Any],
) -> None:
    subject = f"kernel `{kernel.name}`"
    names = kernel.by_name
    for name in (*arguments, *constexprs):
        if name not in names:
            raise unknown_name(name, names, subject=subject, at=kernel.location)
    if twice := sorted(arguments.keys() & constexprs.keys()):
        raise SignatureError(
            f"{subject}: parameter `{twice[0]}` is given twice.", at=kernel.location
        )
    check_option_names(options, subject=subject, parameters=names, at=kernel.location)


def _take_options_from_constexprs(
    kernel: Kernel, constexprs: Mapping[str, Any], options: dict[str, Any]
) -> None:
    """Lets a parameter named as an option set it too, as Triton's launcher does."""
    for name in ("num_warps", "num_stages", "num_ctas", "maxnreg"):
        if constexprs.get(name) is not None:
            options.setdefault(name, constexprs[name])
    if getattr(kernel.function, "debug", None):
        options.setdefault("debug", True)


def _specialize_parameter(
    flattened: Flattened,
    parameter: Parameter,
    arguments: Mapping[str, Any],
    constexprs: Mapping[str, Any],
) -> Any:
    path = (parameter.index,)
    if parameter.name in constexprs:
        return flattened.fold(path, constexprs[parameter.name])
    if parameter.name in arguments:
        argument = arguments[parameter.name]
        if parameter.is_constexpr:
            return flattened.fold(path, _known_value(flattened, parameter, argument))
    elif not parameter.has_default:
        raise _missing(flattened.kernel, parameter)
    elif parameter.is_constexpr:
        return flattened.fold(path, parameter.default)
    else:
        argument = _argument_of_default(parameter)
    return flatten_argument(flattened, parameter, argument)


def _argument_of_default(parameter: Parameter) -> Argument:
    default = parameter.default
    if isinstance(default, bool | int | float):
        return ScalarArgument(default)
    return default


def _known_value(flattened: Flattened, parameter: Parameter, argument: Argument) -> Any:
    if isinstance(argument, ScalarArgument):
        return argument.value
    if argument is None:
        return None
    if isinstance(argument, tuple):
        return tuple(_known_value(flattened, parameter, part) for part in argument)
    raise SignatureError(
        f"{flattened.subject(parameter)}: got {type(argument).__name__}, expected a "
        "value that is known at compile time: it is a constexpr.",
        at=flattened.kernel.location,
    )


def _missing(kernel: Kernel, parameter: Parameter) -> SignatureError:
    kind = "compile-time value" if parameter.is_constexpr else "argument"
    return SignatureError(
        f"kernel `{kernel.name}`: no {kind} for parameter `{parameter.name}`.",
        at=kernel.location,
        hint=f"pass it by name: {parameter.name}=...",
    )


__all__ = [
    "Argument",
    "ArrayArgument",
    "DescriptorArgument",
    "ScalarArgument",
    "Specialization",
    "SpecializedParameter",
    "SymbolArgument",
    "specialize",
]
