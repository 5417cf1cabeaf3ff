# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What the user wrote: a `@triton.jit` function with decorators, or a `.ttir` file."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import SignatureError, SourceLocation, UnsupportedError
from .ttir_file import TtirEntry, read_ttir


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel, as its author declared it.

    Attributes:
        default: `inspect.Parameter.empty` where there is none.
        annotated_type: Triton's name of the type in the annotation (`i64`, `*fp32`).
        is_const: annotated as a pointer to memory that is only read.
    """

    name: str
    index: int
    is_constexpr: bool = False
    default: Any = inspect.Parameter.empty
    do_not_specialize: bool = False
    do_not_specialize_on_alignment: bool = False
    annotated_type: str | None = None
    is_const: bool = False

    @property
    def has_default(self) -> bool:
        """Whether a call may leave this parameter out."""
        return self.default is not inspect.Parameter.empty


@dataclass(frozen=True, eq=False)
class Kernel:
    """A kernel before it is specialised.

    Attributes:
        function: the `JITFunction`; None for a kernel that came as Triton IR.
        decorators: `Autotuner` and `Heuristics` objects around it, outermost first.
        ttir: text and entry function of a `.ttir` file.
    """

    name: str
    parameters: tuple[Parameter, ...]
    location: SourceLocation
    function: Any = None
    decorators: tuple[Any, ...] = ()
    ttir: TtirEntry | None = None
    by_name: dict[str, Parameter] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        names = {parameter.name: parameter for parameter in self.parameters}
        object.__setattr__(self, "by_name", names)

    @classmethod
    def of(cls, obj: Any) -> Kernel:
        """Gives the kernel that `obj` is.

        Args:
            obj: a `@triton.jit` function, under any nesting of `@triton.heuristics`
                and `@triton.autotune`; the path of a `.ttir` file; or a Kernel.

        Raises:
            SignatureError: if `obj` is none of these.
            UnsupportedError: if it is a Gluon kernel, or was made for the interpreter.
        """
        if isinstance(obj, Kernel):
            return obj
        if isinstance(obj, Path) or (isinstance(obj, str) and obj.endswith(".ttir")):
            return _from_ttir(Path(obj))
        return _from_function(obj)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Kernel):
            return NotImplemented
        return (self.function is other.function and self.ttir == other.ttir) and (
            len(self.decorators) == len(other.decorators)
            and all(
                a is b for a, b in zip(self.decorators, other.decorators, strict=True)
            )
        )

    def __hash__(self) -> int:
        return hash((self.name, id(self.function), self.ttir))


def _from_ttir(path: Path) -> Kernel:
    entry = read_ttir(path)
    parameters = tuple(
        Parameter(name=argument.name, index=index, annotated_type=argument.type)
        for index, argument in enumerate(entry.arguments)
    )
    return Kernel(
        name=entry.name,
        parameters=parameters,
        location=SourceLocation(str(path), entry.line),
        ttir=entry,
    )


def _from_function(obj: Any) -> Kernel:
    from triton.runtime.autotuner import Autotuner, Heuristics
    from triton.runtime.jit import JITFunction

    decorators: list[Any] = []
    function = obj
    while isinstance(function, Autotuner | Heuristics):
        decorators.append(function)
        function = function.fn
    if not isinstance(function, JITFunction):
        raise _not_a_kernel(function)
    location = definition_of(function)
    if function.is_gluon():
        raise UnsupportedError(
            f"kernel `{function.__name__}`: Gluon kernels are not supported.",
            at=location,
        )
    return Kernel(
        name=function.__name__,
        parameters=tuple(map(_parameter, function.params)),
        location=location,
        function=function,
        decorators=tuple(decorators),
    )


def _parameter(declared: Any) -> Parameter:
    return Parameter(
        name=declared.name,
        index=declared.num,
        is_constexpr=declared.is_constexpr,
        default=declared.default,
        do_not_specialize=declared.do_not_specialize,
        do_not_specialize_on_alignment=declared.do_not_specialize_on_alignment,
        annotated_type=declared.annotation_type or None,
        is_const=declared.is_const,
    )


def definition_of(function: Any) -> SourceLocation:
    """Gives the line of `def`, below the decorators."""
    starts = [line.lstrip().startswith("def ") for line in function.raw_src]
    first = starts.index(True) if any(starts) else 0
    file = function.fn.__code__.co_filename
    return SourceLocation(file, function.starting_line_number + first)


def _not_a_kernel(obj: Any) -> Exception:
    if type(obj).__name__ == "InterpretedFunction":
        return UnsupportedError(
            f"kernel `{getattr(obj, '__name__', obj)}`: it was defined under "
            "TRITON_INTERPRET=1, so there is nothing to compile.",
            hint="unset TRITON_INTERPRET before the kernel's module is imported",
        )
    hint = "decorate it with @triton.jit" if inspect.isfunction(obj) else None
    return SignatureError(
        f"`kernel`: got {type(obj).__name__}, expected a @triton.jit function or the "
        "path of a .ttir file.",
        hint=hint,
    )
