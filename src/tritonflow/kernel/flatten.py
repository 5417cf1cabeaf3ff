# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Arguments taken apart into Triton's signature and the parameters left at run time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import SignatureError
from .arguments import (
    Argument,
    ArrayArgument,
    DescriptorArgument,
    ScalarArgument,
    SymbolArgument,
)
from .element_types import MLIR_FROM_TRITON, mlir_type, triton_type
from .kernel import Kernel, Parameter
from .specialization import DescriptorLayout, SpecializedParameter

Path = tuple[int, ...]
_FLOATS = ("fp", "bf")


class Flattened:
    """What specialising one parameter after the other has gathered so far."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.parameters: list[SpecializedParameter] = []
        self.folded: list[tuple[Path, Any]] = []
        self.divisible: list[Path] = []
        self.descriptors: list[DescriptorLayout] = []
        self.scalars: dict[str, Any] = {}

    def subject(self, parameter: Parameter, path: Path = ()) -> str:
        """Gives the words with which an error about a parameter begins."""
        name = ".".join([parameter.name, *map(str, path[1:])])
        return f"parameter `{name}` of kernel `{self.kernel.name}`"

    def fold(self, path: Path, value: Any) -> str:
        """Notes a compile-time constant and gives its place in the signature."""
        self.folded.append((path, value))
        return "constexpr"

    def keep(
        self, parameter: Parameter, path: Path, type_: str, *, is_divisible: bool
    ) -> str:
        """Notes a run-time parameter and gives its place in the signature."""
        if self.kernel.ttir is not None:
            is_divisible = self._check_against_ttir(parameter, type_, is_divisible)
        if is_divisible:
            self.divisible.append(path)
        rest = path[1:]
        self.parameters.append(
            SpecializedParameter(
                name=".".join([parameter.name, *map(str, rest)]),
                type=type_,
                divisible_by_16=is_divisible,
                source=(parameter.name, *rest),
            )
        )
        return type_

    def _check_against_ttir(
        self, parameter: Parameter, type_: str, is_divisible: bool
    ) -> bool:
        """Gives whether the IR takes it for granted; no call can change that."""
        assert self.kernel.ttir is not None
        declared = self.kernel.ttir.arguments[parameter.index]
        if declared.divisibility % 16 == 0 and not is_divisible:
            raise SignatureError(
                f"{self.subject(parameter)}: the kernel's IR takes for granted that it "
                "is divisible by 16, and this argument is not.",
                at=self.kernel.location,
            )
        return declared.divisibility % 16 == 0


def flatten_argument(
    flattened: Flattened, parameter: Parameter, argument: Argument
) -> Any:
    """Gives the place of a run-time parameter's argument in Triton's signature.

    Raises: SignatureError: if the argument does not fit the parameter's declaration.
    """
    return _flatten(flattened, parameter, (parameter.index,), argument)


def _flatten(
    flattened: Flattened, parameter: Parameter, path: Path, argument: Argument
) -> Any:
    if isinstance(argument, tuple):
        return _tuple(flattened, parameter, path, argument)
    if argument is None:
        if flattened.kernel.ttir is not None:
            raise _unfit(flattened, parameter, path, "None")
        return flattened.fold(path, None)
    if isinstance(argument, ArrayArgument):
        return _array(flattened, parameter, path, argument)
    if isinstance(argument, ScalarArgument):
        return _scalar(flattened, parameter, path, argument)
    if isinstance(argument, SymbolArgument):
        return _symbol(flattened, parameter, path, argument)
    if isinstance(argument, DescriptorArgument):
        return _descriptor(flattened, parameter, path, argument)
    raise _unfit(flattened, parameter, path, type(argument).__name__)


def _tuple(
    flattened: Flattened, parameter: Parameter, path: Path, parts: Sequence[Any]
) -> Any:
    places = [
        _flatten(flattened, parameter, (*path, index), part)
        for index, part in enumerate(parts)
    ]
    # A named tuple stays one: the kernel may use its fields' names.
    if hasattr(parts, "_fields"):
        return type(parts)(*places)
    return tuple(places)


def _array(
    flattened: Flattened, parameter: Parameter, path: Path, argument: ArrayArgument
) -> str:
    subject = flattened.subject(parameter, path)
    element = triton_type(argument.dtype, subject=subject)
    is_top = len(path) == 1
    type_ = ("*k" if is_top and parameter.is_const else "*") + element
    annotated = parameter.annotated_type if is_top else None
    if annotated is not None:
        if mlir_type(annotated) != mlir_type(type_):
            raise _unfit(flattened, parameter, path, f"an array of {argument.dtype}")
        type_ = annotated
    aligned = argument.aligned and _may_align(parameter, path)
    return flattened.keep(parameter, path, type_, is_divisible=aligned)


def _scalar(
    flattened: Flattened, parameter: Parameter, path: Path, argument: ScalarArgument
) -> str:
    subject = flattened.subject(parameter, path)
    value = argument.value
    natural = _natural_type(value, subject)
    if argument.dtype is not None:
        natural = triton_type(argument.dtype, subject=subject)
    type_ = _declared_type(flattened, parameter, path, natural, repr(value))
    if len(path) == 1:
        flattened.scalars[parameter.name] = value
    is_integer = type_[:2] not in _FLOATS and type_ != "u1"
    _check_range(subject, type_, value)
    # A type that somebody wrote down survives; only Python's 1 becomes a constant.
    is_free = argument.dtype in (None, "int32") and type_ == natural == "i32"
    if is_free and value == 1 and _may_fold(flattened, parameter, path):
        return flattened.fold(path, 1)
    divisible = is_integer and value % 16 == 0 and _may_align(parameter, path)
    return flattened.keep(parameter, path, type_, is_divisible=divisible)


def _symbol(
    flattened: Flattened, parameter: Parameter, path: Path, argument: SymbolArgument
) -> str:
    type_ = _declared_type(flattened, parameter, path, argument.dtype, "an integer")
    if type_[:2] in _FLOATS:
        raise _unfit(flattened, parameter, path, "an integer known only at run time")
    divisible = argument.divisor % 16 == 0 and _may_align(parameter, path)
    return flattened.keep(parameter, path, type_, is_divisible=divisible)


def _descriptor(
    flattened: Flattened, parameter: Parameter, path: Path, argument: DescriptorArgument
) -> str:
    subject = flattened.subject(parameter, path)
    if flattened.kernel.ttir is not None:
        raise _unfit(flattened, parameter, path, "a tensor descriptor")
    argument.check(subject)
    element = triton_type(argument.array.dtype, subject=subject)
    name, rest = parameter.name, path[1:]
    prefix = ".".join([name, *map(str, rest)])
    block = argument.block_shape or ()

    def add(label: str, type_: str, divisible: bool, *way: str | int) -> None:
        flattened.parameters.append(
            SpecializedParameter(label, type_, divisible, (name, *rest, *way))
        )

    add(prefix, f"*{element}", True, "base")
    for index, size in enumerate(argument.shape):
        divisible = _is_multiple(size)
        add(f"{prefix}.shape.{index}", "i32", divisible, "shape", index)
    # The last stride is 1, and the device code wants that as a constant.
    for index, stride in enumerate(argument.strides[:-1]):
        divisible = _is_multiple(stride)
        add(f"{prefix}.strides.{index}", "i64", divisible, "strides", index)
    layout = DescriptorLayout(path, element, block, argument.padding == "nan")
    flattened.descriptors.append(layout)
    return f"tensordesc<{element}{list(block)}>"


def _is_multiple(size: int | SymbolArgument) -> bool:
    number = size.divisor if isinstance(size, SymbolArgument) else size
    return number % 16 == 0


def _may_fold(flattened: Flattened, parameter: Parameter, path: Path) -> bool:
    """Inside of tuples Triton's launcher specialises whatever the parameter says."""
    if flattened.kernel.ttir is not None:
        return False
    return len(path) > 1 or not parameter.do_not_specialize


def _may_align(parameter: Parameter, path: Path) -> bool:
    if len(path) > 1:
        return True
    return not (parameter.do_not_specialize or parameter.do_not_specialize_on_alignment)


def _natural_type(value: bool | float, subject: str) -> str:
    if isinstance(value, bool):
        return "u1"
    if isinstance(value, float):
        return "fp32"
    if -(2**31) <= value < 2**31:
        return "i32"
    if -(2**63) <= value < 2**63:
        return "i64"
    if 0 <= value < 2**64:
        return "u64"
    raise SignatureError(f"{subject}: {value} does not fit 64 bits.")


def _declared_type(
    flattened: Flattened, parameter: Parameter, path: Path, natural: str, found: str
) -> str:
    annotated = parameter.annotated_type if len(path) == 1 else None
    if annotated is None:
        return natural
    if annotated not in MLIR_FROM_TRITON:
        raise _unfit(flattened, parameter, path, found)
    return annotated


def _check_range(subject: str, type_: str, value: bool | float) -> None:
    if type_[:2] in _FLOATS:
        return
    if isinstance(value, float):
        raise SignatureError(
            f"{subject}: got {value!r}, expected an integer ({type_})."
        )
    bits = int(type_[1:])
    low, high = (
        (0, 2**bits) if type_[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1))
    )
    if not low <= value < high:
        raise SignatureError(f"{subject}: {value} does not fit its type {type_}.")


def _unfit(
    flattened: Flattened, parameter: Parameter, path: Path, found: str
) -> SignatureError:
    expected = parameter.annotated_type or "an array or a number"
    return SignatureError(
        f"{flattened.subject(parameter, path)}: got {found}, expected {expected}.",
        at=flattened.kernel.location,
    )
