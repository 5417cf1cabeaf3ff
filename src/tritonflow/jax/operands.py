# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What a caller of a kernel may give for one of its run-time parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.core
import jax.numpy as jnp
import numpy as np

from ..errors import SignatureError, SourceLocation, UnsupportedError
from ..kernel.arguments import (
    Argument,
    ArrayArgument,
    DescriptorArgument,
    ScalarArgument,
    SymbolArgument,
)
from ..kernel.element_types import TRITON_FROM_NUMPY
from .descriptor import is_descriptor
from .symbols import divisor_of, is_symbolic

Path = tuple[str | int, ...]
"""Where a value sits: the parameter's name, then positions in tuples."""


@dataclass(frozen=True, eq=False)
class Buffer:
    """An array whose memory the kernel is given."""

    array: Any


@dataclass(frozen=True, eq=False)
class RunTimeInteger:
    """An integer that is known when the program runs: a symbolic size or 0-d array."""

    value: Any


@dataclass(frozen=True, eq=False)
class Static:
    """A number that is known now."""

    value: bool | int | float


Leaf = Buffer | RunTimeInteger | Static


@dataclass(frozen=True, eq=False)
class Operand:
    """What was given for one parameter.

    Attributes:
        argument: the same in the words of the kernel's signature.
        leaves: each value with its path; of a descriptor the base comes first.
        alias_slots: the leaves that a caller counts in `input_output_aliases`.
    """

    argument: Argument
    leaves: tuple[tuple[Path, Leaf], ...]
    alias_slots: tuple[Leaf, ...]


def read_operand(
    value: Any, path: Path, *, is_scalar: bool, at: SourceLocation
) -> Operand:
    """Gives the meaning of `value` as the argument for the parameter at `path`.

    Args:
        is_scalar: whether the kernel declares the parameter as a number: then a 0-d
            integer array is passed by value, else as a buffer.
        at: the user's call.

    Raises: SignatureError, UnsupportedError: on values a kernel cannot take.
    """
    if value is None:
        return Operand(None, (), ())
    if isinstance(value, tuple | list):
        return _read_tuple(value, path, at)
    if is_descriptor(value) and not isinstance(value, jax.Array):
        return _read_descriptor(value, path, at)
    argument, leaf = _read_leaf(value, path, is_scalar, at)
    return Operand(argument, ((path, leaf),), (leaf,))


def array_argument(dtype: Any, shape: tuple[Any, ...], path: Path) -> ArrayArgument:
    """Gives the signature's word for an array. Raises UnsupportedError on its dtype."""
    name = dtype_name(dtype)
    if name not in TRITON_FROM_NUMPY:
        raise UnsupportedError(
            f"`{show(path)}`: a kernel cannot point to elements of type `{name}`, "
            f"expected one of {', '.join(TRITON_FROM_NUMPY)}.",
            hint=_dtype_hint(name),
        )
    sizes = tuple(str(size) if is_symbolic(size) else size for size in shape)
    return ArrayArgument(dtype=name, shape=sizes)


def dtype_name(dtype: Any) -> str:
    """Gives NumPy's name of an element type, or JAX's of its own ones (`key<fry>`)."""
    if jnp.issubdtype(dtype, jax.dtypes.extended):
        return str(dtype)
    return np.dtype(dtype).name


def show(path: Path) -> str:
    """Gives a path as the user would write it: `pair[0]`."""
    return str(path[0]) + "".join(f"[{part}]" for part in path[1:])


def _read_tuple(value: Sequence[Any], path: Path, at: SourceLocation) -> Operand:
    parts = [
        read_operand(item, (*path, i), is_scalar=False, at=at)
        for i, item in enumerate(value)
    ]
    arguments = tuple(part.argument for part in parts)
    # The kernel may use the fields of a named tuple.
    make = getattr(type(value), "_make", tuple)
    return Operand(
        make(arguments),
        tuple(leaf for part in parts for leaf in part.leaves),
        tuple(slot for part in parts for slot in part.alias_slots),
    )


def _dtype_hint(name: str) -> str:
    if name.startswith(("int", "uint", "float4")):
        return "pack the elements into an array of int8 and unpack in the kernel"
    if name.startswith("complex"):
        return "pass the real and the imaginary part"
    if name.startswith("key"):
        return "pass `jax.random.key_data(key)`"
    return "convert the array first"


def _read_leaf(
    value: Any, path: Path, is_scalar: bool, at: SourceLocation
) -> tuple[Argument, Leaf]:
    if is_symbolic(value):
        argument = SymbolArgument(dtype="i32", divisor=divisor_of(value))
        return argument, RunTimeInteger(value)
    if _is_ref(value):
        raise UnsupportedError(
            f"`{show(path)}`: got a mutable `Ref`, which is not supported yet.",
            at=at,
            hint="pass `ref[...]`, return the new value by `input_output_aliases`, and "
            "assign it to `ref[...]`",
        )
    if isinstance(value, jax.Array | np.ndarray):
        return _read_array(value, path, is_scalar, at)
    if isinstance(value, bool | int | float | np.generic):
        return _read_scalar(value, path, at)
    if hasattr(value, "value") and type(value).__name__ == "constexpr":
        return _read_leaf(value.value, path, is_scalar, at)
    raise SignatureError(
        f"`{show(path)}`: got a value of type `{type(value).__name__}`, expected an "
        "array, a number, None, a descriptor, or a tuple of these.",
        at=at,
        hint="annotate the parameter as `tl.constexpr` if it is a compile-time value",
    )


def _is_ref(value: Any) -> bool:
    if isinstance(value, jax.Ref):
        return True
    # Inside `jit` a Ref is a tracer of a type that is no array.
    is_tracer = isinstance(value, jax.core.Tracer)
    return is_tracer and not isinstance(jax.typeof(value), jax.core.ShapedArray)


def _read_array(
    value: Any, path: Path, is_scalar: bool, at: SourceLocation
) -> tuple[Argument, Leaf]:
    array = jnp.asarray(value)
    if not is_scalar or array.ndim > 0:
        return array_argument(array.dtype, array.shape, path), Buffer(array)
    if not jnp.issubdtype(array.dtype, jnp.integer):
        raise UnsupportedError(
            f"`{show(path)}`: a number of type `{dtype_name(array.dtype)}` that the "
            "program computes cannot be passed by value yet.",
            at=at,
            hint="drop the annotation and load it in the kernel: a 0-d array is passed "
            "as a pointer",
        )
    is_wide = array.dtype.itemsize == 8
    return SymbolArgument(dtype="i64" if is_wide else "i32"), RunTimeInteger(array)


def _read_scalar(value: Any, path: Path, at: SourceLocation) -> tuple[Argument, Leaf]:
    if not isinstance(value, np.generic):
        # JAX's own subclasses of int and float would leak its types otherwise.
        plain = value if isinstance(value, bool) else _plain_number(value)
        return ScalarArgument(plain), Static(plain)
    if value.dtype.name not in TRITON_FROM_NUMPY:
        raise UnsupportedError(
            f"`{show(path)}`: a kernel cannot take a number of type "
            f"`{value.dtype.name}`.",
            at=at,
        )
    plain = value.item() if value.dtype.kind in "biu" else float(value)
    return ScalarArgument(plain, dtype=value.dtype.name), Static(plain)


def _plain_number(value: float) -> int | float:
    return int(value) if isinstance(value, int) else float(value)


def _read_descriptor(value: Any, path: Path, at: SourceLocation) -> Operand:
    if not isinstance(value.base, jax.Array | np.ndarray):
        raise SignatureError(
            f"`{show(path)}`: the descriptor's base is of type "
            f"`{type(value.base).__name__}`, expected an array.",
            at=at,
        )
    array = jnp.asarray(value.base)
    base = Buffer(array)
    leaves: list[tuple[Path, Leaf]] = [(path, base), ((*path, "base"), base)]
    sizes: dict[str, tuple[Any, ...]] = {}
    for field, part in _sizes(value, path, at):
        arguments = []
        for i, size in enumerate(part):
            argument, leaf = _read_leaf(size, (*path, field, i), True, at)
            is_known = isinstance(leaf, Static)
            arguments.append(leaf.value if is_known else argument)
            leaves.append(((*path, field, i), leaf))
        sizes[field] = tuple(arguments)
    argument = DescriptorArgument(
        array=array_argument(array.dtype, array.shape, path),
        shape=sizes["shape"],
        strides=sizes["strides"],
        block_shape=tuple(int(size) for size in value.block_shape),
        padding=getattr(value, "padding", "zero"),
    )
    return Operand(argument, tuple(leaves), (base,))


def _sizes(
    value: Any, path: Path, at: SourceLocation
) -> Iterator[tuple[str, tuple[Any, ...]]]:
    for field in ("shape", "strides"):
        yield field, tuple(getattr(value, field))
