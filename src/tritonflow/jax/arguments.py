# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The example arguments of a program: weights apart from inputs, both flat."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from ..errors import SignatureError
from .pytree import Description, describe
from .symbols import is_symbolic


@dataclass(frozen=True, eq=False, kw_only=True)
class ProgramArguments:
    """A program's arguments.

    Attributes:
        types: of all leaves, weights first.
        weights: dotted key and example of each, None where only the type was given.
        in_tree: of the tuple of arguments that are no weights.
        structures: JAX's structure of each argument.
        argnums: positions of the arguments in the order of their leaves.
    """

    types: tuple[jax.ShapeDtypeStruct, ...]
    weights: tuple[tuple[str, Any], ...]
    input_names: tuple[str, ...]
    in_tree: Description
    structures: tuple[Any, ...]
    argnums: tuple[int, ...]

    def restore(self, leaves: Sequence[Any]) -> list[Any]:
        """Gives the arguments for the function from flat leaves, weights first."""
        arguments: list[Any] = [None] * len(self.argnums)
        start = 0
        for argnum, structure in zip(self.argnums, self.structures, strict=True):
            end = start + structure.num_leaves
            arguments[argnum] = jax.tree_util.tree_unflatten(
                structure, leaves[start:end]
            )
            start = end
        return arguments


def read_arguments(
    fn: Callable[..., Any], args: Sequence[Any], param_argnums: int | Sequence[int]
) -> ProgramArguments:
    """Takes example arguments apart.

    The key of a weight is its path inside of its argument (`layers.0.attention.q`); if
    several arguments are weights, the argument's name comes first. The name of an input
    begins with the argument's.

    Raises: SignatureError: on a leaf that is no array, on a `param_argnums` out of
        range, on weights of one key.
    """
    _check_count(fn, args)
    weight_nums = _argnums(param_argnums, len(args))
    input_nums = [i for i in range(len(args)) if i not in weight_nums]
    names = _argument_names(fn, len(args))
    weights = [
        (_weight_key(names[i], path, len(weight_nums)), leaf)
        for i in weight_nums
        for path, leaf in _leaves(args[i])
    ]
    _check_keys([key for key, _ in weights])
    inputs = [
        (f"{names[i]}.{path}".rstrip("."), leaf)
        for i in input_nums
        for path, leaf in _leaves(args[i])
    ]
    in_tree, _, _ = describe(tuple(args[i] for i in input_nums))
    order = (*weight_nums, *input_nums)
    return ProgramArguments(
        types=tuple(_type_of(leaf, name) for name, leaf in (*weights, *inputs)),
        weights=tuple((key, _example(leaf)) for key, leaf in weights),
        input_names=tuple(name for name, _ in inputs),
        in_tree=in_tree,
        structures=tuple(jax.tree_util.tree_structure(args[i]) for i in order),
        argnums=order,
    )


def _check_count(fn: Callable[..., Any], args: Sequence[Any]) -> None:
    if not callable(fn):
        raise SignatureError(f"`fn`: got `{type(fn).__name__}`, expected a function.")
    try:
        signature = inspect.signature(fn)
    except (TypeError, ValueError):
        return  # Some callables of C have none.
    try:
        signature.bind(*args)
    except TypeError as error:
        name = getattr(fn, "__name__", type(fn).__name__)
        raise SignatureError(
            f"`{name}`: got {len(args)} example arguments, expected those of "
            f"`{name}{signature}`: {error}."
        ) from error


def _leaves(tree: Any) -> list[tuple[str, Any]]:
    _, leaves, paths = describe(tree)
    return list(zip(paths, leaves, strict=True))


def _argnums(param_argnums: int | Sequence[int], count: int) -> tuple[int, ...]:
    given = [param_argnums] if isinstance(param_argnums, int) else list(param_argnums)
    for index in given:
        if not isinstance(index, int) or not -count <= index < count:
            raise SignatureError(
                f"`param_argnums`: got {index!r}, expected the position of one of "
                f"{count} arguments."
            )
    return tuple(sorted({index % count for index in given}))


def _argument_names(fn: Callable[..., Any], count: int) -> list[str]:
    """Gives the names of the function's positional parameters, made up where needed."""
    try:
        declared = list(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError):
        declared = []
    positional = (
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
    )
    names = [each.name for each in declared if each.kind in positional][:count]
    rest = next((p.name for p in declared if p.kind is p.VAR_POSITIONAL), "arg")
    first = 0 if rest != "arg" else len(names)
    return names + [f"{rest}{first + i}" for i in range(count - len(names))]


def _weight_key(argument: str, path: str, arguments: int) -> str:
    if arguments == 1 and path:
        return path
    return f"{argument}.{path}".rstrip(".")


def _check_keys(keys: Sequence[str]) -> None:
    repeated = sorted({key for key in keys if keys.count(key) > 1})
    if repeated:
        raise SignatureError(
            f"weights: two have the key `{repeated[0]}`, expected one.",
            hint="a dictionary's key with a dot in it may look like a path",
        )


def _example(leaf: Any) -> Any | None:
    return None if isinstance(leaf, jax.ShapeDtypeStruct) else leaf


def _check_sizes(type_: jax.ShapeDtypeStruct, name: str) -> None:
    for size in type_.shape:
        if not is_symbolic(size) and not 0 <= size < 2**63:
            raise SignatureError(
                f"argument `{name}`: got the shape {type_.shape}, expected sizes of 0 "
                "or more."
            )


def _type_of(leaf: Any, name: str) -> jax.ShapeDtypeStruct:
    if isinstance(leaf, jax.ShapeDtypeStruct):
        _check_sizes(leaf, name)
        return leaf
    if isinstance(leaf, jax.Array):
        return jax.ShapeDtypeStruct(
            leaf.shape, leaf.dtype, weak_type=getattr(leaf, "weak_type", False)
        )
    if isinstance(leaf, bool | int | float | complex):
        type_ = jax.typeof(leaf)
        return jax.ShapeDtypeStruct((), type_.dtype, weak_type=True)
    if isinstance(leaf, np.ndarray | np.generic) and leaf.dtype.kind not in "OUSMm":
        # JAX knows the machine's own byte order alone.
        dtype = jax.dtypes.canonicalize_dtype(leaf.dtype.newbyteorder("="))
        return jax.ShapeDtypeStruct(leaf.shape, dtype)
    if hasattr(leaf, "shape") and hasattr(leaf, "dtype"):
        return _type_of(np.asarray(leaf), name)
    raise SignatureError(
        f"argument `{name}`: got a value of type `{type(leaf).__name__}`, expected "
        "arrays, numbers, or jax.ShapeDtypeStruct.",
        hint="bind what is no array beforehand: functools.partial(fn, option=...)",
    )
