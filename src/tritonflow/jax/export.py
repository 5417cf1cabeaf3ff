# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""A JAX function as StableHLO text, with its kernels and its signature beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import jax

from ..errors import (
    SignatureError,
    SourceLocation,
    TritonFlowError,
    UnsupportedError,
)
from ..kernel.specialization import Specialization
from .arguments import ProgramArguments, read_arguments
from .constraints import SizeConstraint, read_constraints
from .launch import GridOperand, Launch
from .lowering import CALL_TARGET, LoweredCalls, collect_calls
from .module_text import portable_text
from .operands import dtype_name
from .primitive import PLATFORM
from .pytree import Description, describe, has_custom_node
from .symbols import is_symbolic, named_symbol_errors


class TensorType(NamedTuple):
    """One array that a program takes or gives.

    `shape` holds numbers, and for symbolic sizes their text (`b`, `4*b`). `dtype` is
    NumPy's name.
    """

    name: str
    dtype: str
    shape: tuple[int | str, ...]


class ProgramWeight(NamedTuple):
    """An argument of the program that is stored apart, under a dotted key.

    `argument` is its index among the arguments of the exported function. `value` is the
    example that the user gave, None if that had only a shape; its dtype may be wider
    than `dtype` where JAX's 64-bit types are switched off.
    """

    argument: int
    key: str
    dtype: str
    shape: tuple[int, ...]
    value: Any | None


@dataclass(frozen=True)
class CallDescription:
    """One kernel call of the program, for people and for error messages.

    `call` in the text's `mhlo.backend_config` is the index of the description. Several
    calls from one line with the same arguments may share one.

    Attributes:
        kernel: key of the specialisation.
        grid: a number, or the text `operand 4` for a size known at run time.
    """

    kernel: str
    kernel_name: str
    name: str
    location: SourceLocation
    grid: tuple[int | str, ...]
    cost_estimate: dict[str, int] = field(default_factory=dict)
    metadata: bytes = b""


@dataclass(frozen=True, kw_only=True)
class ExportedProgram:
    """A program as StableHLO and what is known about it.

    The public function of `text` is `main`. Its arguments are the weights first, in the
    order of `parameters`, then `inputs`; all are kept, used or not.

    Attributes:
        text: without locations: two exports of one program are identical.
        kernels: by content key.
        in_tree: structure of the arguments that are no weights: a tuple of them; leaf
            `i` is `inputs[i]`. See `pytree`.
        out_tree: structure of the result; leaf `i` is `outputs[i]`.
    """

    name: str
    text: str
    kernels: dict[str, Specialization]
    calls: tuple[CallDescription, ...]
    in_tree: Description
    out_tree: Description
    inputs: tuple[TensorType, ...]
    outputs: tuple[TensorType, ...]
    parameters: tuple[ProgramWeight, ...]
    constraints: tuple[SizeConstraint, ...] = ()


def export_program(
    fn: Callable[..., Any],
    args: Sequence[Any],
    *,
    param_argnums: int | Sequence[int] = (),
    name: str | None = None,
) -> ExportedProgram:
    """Gives `fn` as a program for arguments like `args`.

    Args:
        args: positional arguments: pytrees of arrays, numbers, or
            `jax.ShapeDtypeStruct`, whose sizes may be symbolic in one common scope.
        param_argnums: which arguments are weights, stored apart from the program.
        name: of the program; the function's if None.

    Raises:
        SignatureError: if `fn` is no function of arrays, or an argument no pytree of
            them.
        UnsupportedError: on what cannot be in a program: several devices, callbacks,
            libraries of JAX's own platforms, symbolic sizes where a number is needed.
    """
    _refuse_kernel(fn)
    read = read_arguments(fn, args, param_argnums)
    program_name = _identifier(name or getattr(fn, "__name__", "program"))
    flat = _FlatFunction(fn, read)
    with collect_calls() as calls:
        exported = _export(flat, read.types, program_name)
    _check_exported(exported, program_name)
    weights = len(read.weights)
    return ExportedProgram(
        name=program_name,
        text=portable_text(exported),
        kernels=dict(sorted(calls.kernels.items())),
        calls=_descriptions(calls),
        in_tree=read.in_tree,
        out_tree=flat.out_tree,
        inputs=_tensors(exported.in_avals[weights:], read.input_names),
        outputs=_tensors(exported.out_avals, flat.out_names),
        parameters=tuple(
            ProgramWeight(i, key, *_static(key, exported.in_avals[i]), value)
            for i, (key, value) in enumerate(read.weights)
        ),
        constraints=read_constraints(exported.mlir_module()),
    )


def _refuse_kernel(fn: Any) -> None:
    kind = type(fn)
    if kind.__module__.partition(".")[0] == "triton":
        while hasattr(fn, "fn"):  # what decorators wrap
            fn = fn.fn
        name = getattr(fn, "__name__", kind.__name__)
        raise SignatureError(
            f"`fn`: got the Triton kernel `{name}`, expected a function of arrays "
            "that calls it.",
            hint="write a function that returns tritonflow.triton_call(..., "
            f"kernel={name}, ...), and compile that",
        )


class _FlatFunction:
    """`fn` on flat arguments, weights first, with a flat result."""

    def __init__(self, fn: Callable[..., Any], arguments: ProgramArguments) -> None:
        self.fn = fn
        self.arguments = arguments
        self.out_tree: Description = {}
        self.out_names: list[str] = []

    def __call__(self, *leaves: Any) -> tuple[Any, ...]:
        result = self.fn(*self.arguments.restore(leaves))
        self.out_tree, flat, paths = describe(result)
        if has_custom_node(self.out_tree):
            raise UnsupportedError(
                f"the result of the program is a `{_custom_name(self.out_tree)}`, "
                "which only JAX can rebuild, expected tuples, lists and dictionaries.",
            )
        self.out_names = [f"result.{path}".rstrip(".") for path in paths]
        return tuple(flat)


def _export(
    flat: _FlatFunction, types: Sequence[Any], name: str
) -> jax.export.Exported:
    # A function of its own for each export: JAX caches by function, and lowering must
    # happen for the calls to be collected.
    def program(*leaves: Any) -> tuple[Any, ...]:
        return flat(*leaves)

    program.__name__ = program.__qualname__ = name
    export = jax.export.export(
        jax.jit(program, keep_unused=True),
        platforms=[PLATFORM],
        disabled_checks=[jax.export.DisabledSafetyCheck.custom_call(CALL_TARGET)],
    )
    try:
        with named_symbol_errors(f"program `{name}`"):
            return export(*types)
    except TritonFlowError:
        raise
    except (NotImplementedError, ValueError) as error:
        raise _explain(error, name) from error


_NO_RULE = re.compile(r"rule for primitive '([^']+)' not found for platform")
_UNSAFE_CALLS = re.compile(r"custom calls? .*compatibility guarantees", re.DOTALL)


def _explain(error: Exception, name: str) -> Exception:
    """Gives our error for what JAX refuses to export, else `error` itself."""
    text = str(error)
    if "mixing of symbolic scopes" in text:
        return SignatureError(
            f"program `{name}`: its symbolic sizes are of several scopes, "
            "expected one.",
            hint='make all by one call: b, n = jax.export.symbolic_shape("b, n"), or '
            "give later calls `scope=`",
        )
    if found := _NO_RULE.search(text):
        what = f"JAX's operation `{found.group(1)}`"
    elif "EmitPythonCallback" in text:
        what = "a callback into Python"
    elif _UNSAFE_CALLS.search(text):
        what = f"a library of JAX's own platforms ({text.splitlines()[0]})"
    else:
        return error
    return UnsupportedError(
        f"program `{name}`: {what} cannot be part of a program.",
        hint="compute this part outside of the program",
    )


def _check_exported(exported: jax.export.Exported, name: str) -> None:
    if exported.nr_devices > 1:
        raise UnsupportedError(
            f"program `{name}`: it is for {exported.nr_devices} devices, expected one.",
            hint="sharding is not supported yet: export the program of one device",
        )
    if exported.ordered_effects:
        raise UnsupportedError(
            f"program `{name}`: it has ordered side effects, which are not supported."
        )


def _tensors(types: Sequence[Any], names: Sequence[str]) -> tuple[TensorType, ...]:
    return tuple(
        TensorType(name, _stored_dtype(name, type_), _shape(type_))
        for name, type_ in zip(names, types, strict=True)
    )


def _shape(type_: Any) -> tuple[int | str, ...]:
    return tuple(str(size) if is_symbolic(size) else int(size) for size in type_.shape)


def _static(key: str, type_: Any) -> tuple[str, tuple[int, ...]]:
    if any(is_symbolic(size) for size in type_.shape):
        raise UnsupportedError(
            f"weight `{key}`: got the symbolic shape {_shape(type_)}, expected numbers."
        )
    return _stored_dtype(key, type_), tuple(type_.shape)


def _stored_dtype(name: str, type_: Any) -> str:
    """Gives the dtype's name. Raises UnsupportedError if it is no whole bytes."""
    dtype = dtype_name(type_.dtype)
    if re.match(r"u?int[124]$|float[46]_|key<", dtype):
        raise UnsupportedError(
            f"`{name}`: a program cannot take or give elements of type `{dtype}`.",
            hint="jax.random.key_data(key)" if dtype.startswith("key") else None,
        )
    return dtype


def _custom_name(description: Description) -> str:
    if description["kind"] == "custom":
        return description["name"]
    children = description.get("children", ())
    return next((found for c in children if (found := _custom_name(c))), "")


def _identifier(name: str) -> str:
    return re.sub(r"\W", "_", name).strip("_") or "program"


def _descriptions(calls: LoweredCalls) -> tuple[CallDescription, ...]:
    return tuple(map(_description, calls.launches))


def _description(launch: Launch) -> CallDescription:
    return CallDescription(
        kernel=launch.specialization.key,
        kernel_name=launch.specialization.name,
        name=launch.name,
        location=launch.site,
        grid=tuple(
            f"operand {size.operand}" if isinstance(size, GridOperand) else size
            for size in launch.grid
        ),
        cost_estimate=dict(launch.cost_estimate),
        metadata=launch.metadata,
    )
