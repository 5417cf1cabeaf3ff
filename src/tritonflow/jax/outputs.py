# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The outputs of a kernel call, fresh ones and those that alias operands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from ..errors import SignatureError, SourceLocation
from .operands import Buffer, Leaf, Operand, dtype_name


@dataclass(frozen=True, eq=False)
class Outputs:
    """Flat results of a call and the structure in which the caller wants them.

    Attributes:
        results: sizes are numbers or symbolic.
    """

    kernel_name: str
    results: tuple[jax.ShapeDtypeStruct, ...]
    structure: Any

    def fresh(self, aliases: Mapping[int, int], at: SourceLocation) -> list[int]:
        """Gives the indices of the outputs that alias no operand.

        Raises: SignatureError: unless `aliases` names distinct outputs of the call.
        """
        count = len(self.results)
        aliased = list(aliases.values())
        for index in aliased:
            if not isinstance(index, int) or not 0 <= index < count:
                raise SignatureError(
                    f"`input_output_aliases` of kernel `{self.kernel_name}`: got "
                    f"output {index!r}, expected the index of one of {count}.",
                    at=at,
                )
        if len(set(aliased)) != len(aliased):
            raise SignatureError(
                f"`input_output_aliases` of kernel `{self.kernel_name}`: two operands "
                "alias one output, expected at most one.",
                at=at,
            )
        return [index for index in range(count) if index not in aliased]

    def restore(self, flat: Sequence[Any]) -> Any:
        """Gives the results in the caller's structure."""
        return jax.tree_util.tree_unflatten(self.structure, flat)


def read_outputs(out_type: Any, kernel_name: str, at: SourceLocation) -> Outputs:
    """Reads a pytree of objects with a shape and a dtype.

    Raises: SignatureError: if a leaf has none, if there is no leaf, or if a dtype has
        64 bits where JAX's are switched off.
    """
    leaves, structure = jax.tree_util.tree_flatten(out_type)
    if not leaves:
        raise SignatureError(
            f"`out_type` of kernel `{kernel_name}`: got no outputs, but what a call "
            "does is in its outputs.",
            at=at,
            hint="return what the kernel updates in place by `input_output_aliases`",
        )
    results = tuple(_read_result(leaf, kernel_name, at) for leaf in leaves)
    return Outputs(kernel_name, results, structure)


def aliased_leaves(
    operands: Mapping[str, Operand],
    outputs: Outputs,
    aliases: Mapping[int, int],
    at: SourceLocation,
) -> dict[int, Buffer]:
    """Gives the operand that each aliased output updates, by the output's index.

    Raises: SignatureError: if there is no such operand, it is no array, or its shape or
        dtype is not the output's.
    """
    slots = [slot for operand in operands.values() for slot in operand.alias_slots]
    subject = f"`input_output_aliases` of kernel `{outputs.kernel_name}`"
    aliased: dict[int, Buffer] = {}
    for index, output in aliases.items():
        if not isinstance(index, int) or not 0 <= index < len(slots):
            raise SignatureError(
                f"{subject}: got operand {index!r}, expected the index of one of "
                f"{len(slots)}.",
                at=at,
            )
        result = outputs.results[output]
        aliased[output] = _aliased(slots[index], result, f"{subject}: {index}", at)
    return aliased


def _aliased(
    slot: Leaf, result: jax.ShapeDtypeStruct, subject: str, at: SourceLocation
) -> Buffer:
    if not isinstance(slot, Buffer):
        raise SignatureError(
            f"{subject}: the operand is a number, expected an array.", at=at
        )
    array = slot.array
    if tuple(array.shape) != tuple(result.shape) or array.dtype != result.dtype:
        raise SignatureError(
            f"{subject}: the operand is {dtype_name(array.dtype)}{list(array.shape)}, "
            f"its output {dtype_name(result.dtype)}{list(result.shape)}, expected "
            "the same shape and dtype.",
            at=at,
        )
    return slot


def _read_result(
    leaf: Any, kernel_name: str, at: SourceLocation
) -> jax.ShapeDtypeStruct:
    if not hasattr(leaf, "shape") or not hasattr(leaf, "dtype"):
        raise SignatureError(
            f"`out_type` of kernel `{kernel_name}`: got a leaf of type "
            f"`{type(leaf).__name__}`, expected a shape and a dtype.",
            at=at,
            hint="jax.ShapeDtypeStruct(shape, dtype)",
        )
    if jnp.issubdtype(leaf.dtype, jax.dtypes.extended):
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype)
    asked = jnp.dtype(leaf.dtype)
    if jax.dtypes.canonicalize_dtype(asked) != asked:
        raise SignatureError(
            f"`out_type` of kernel `{kernel_name}`: got {asked.name}, but JAX's 64-bit "
            "types are switched off.",
            at=at,
            hint='jax.config.update("jax_enable_x64", True), or ask for 32 bits',
        )
    return jax.ShapeDtypeStruct(tuple(leaf.shape), asked)
