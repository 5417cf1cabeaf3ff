# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""From a call's checked parts to the operands and the parameter of its primitive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp

from ..errors import SourceLocation
from ..kernel.specialization import Specialization, SpecializedParameter
from .launch import GridOperand, KernelArgument, Launch
from .operands import Buffer, Leaf, Operand, Path, RunTimeInteger
from .symbols import is_symbolic


@dataclass(frozen=True, eq=False, kw_only=True)
class CallParts:
    """What a call consists of.

    Attributes:
        operands: by parameter.
        outputs: the index of the fresh output that a parameter takes.
        aliases: the operand that an output updates, by the output's index.
        grid: three sizes, each a number, a symbolic size or a 0-d integer array.
        zeroed: indices of outputs that start as zeros.
        at: the user's call.
    """

    specialization: Specialization
    operands: Mapping[str, Operand]
    outputs: Mapping[str, int]
    aliases: Mapping[int, Buffer]
    results: tuple[jax.ShapeDtypeStruct, ...]
    grid: tuple[Any, Any, Any]
    zeroed: tuple[int, ...]
    at: SourceLocation


@dataclass(eq=False)
class _Values:
    """The primitive's operands so far; an operand that is used twice stands once."""

    arrays: list[Any] = field(default_factory=list)
    indices: dict[int, int] = field(default_factory=dict)

    def index_of(self, owner: object, array: Any) -> int:
        """Gives the index of the operand that stands for `owner`, adding `array`."""
        if id(owner) not in self.indices:
            self.indices[id(owner)] = len(self.arrays)
            self.arrays.append(array)
        return self.indices[id(owner)]


def assemble(
    parts: CallParts,
    *,
    name: str,
    cost_estimate: tuple[tuple[str, int], ...],
    metadata: bytes,
) -> tuple[list[Any], Launch]:
    """Gives the primitive's operands, and the launch that refers to them by index."""
    leaves: dict[Path, Leaf] = {}
    for operand in parts.operands.values():
        leaves |= dict(operand.leaves)
    results_of = {id(buffer): result for result, buffer in parts.aliases.items()}
    values = _Values()
    arguments = tuple(
        _argument(parameter, parts, leaves, results_of, values)
        for parameter in parts.specialization.parameters
    )
    launch = Launch(
        specialization=parts.specialization,
        name=name,
        site=parts.at,
        grid=tuple(_grid_size(size, values) for size in parts.grid),
        arguments=arguments,
        results=parts.results,
        zeroed=tuple(i for i in parts.zeroed if i not in parts.aliases),
        cost_estimate=cost_estimate,
        metadata=metadata,
    )
    return values.arrays, launch


def _argument(
    parameter: SpecializedParameter,
    parts: CallParts,
    leaves: Mapping[Path, Leaf],
    results_of: Mapping[int, int],
    values: _Values,
) -> KernelArgument:
    source = parameter.source
    if source not in leaves:
        return KernelArgument("result", result=parts.outputs[str(source[0])])
    leaf = leaves[source]
    if isinstance(leaf, RunTimeInteger):
        index = values.index_of(leaf, _run_time_integer(leaf.value))
        return KernelArgument("value", operand=index)
    if not isinstance(leaf, Buffer):
        return KernelArgument("constant", value=leaf.value, type=parameter.type)
    result = results_of.get(id(leaf))
    if result is None:
        return KernelArgument("operand", operand=values.index_of(leaf, leaf.array))
    # A zeroed output that aliases an operand starts from zeros in the operand's place.
    is_zeroed = result in parts.zeroed
    array = jnp.zeros_like(leaf.array) if is_zeroed else leaf.array
    index = values.index_of(leaf, array)
    return KernelArgument("alias", operand=index, result=result)


def _grid_size(size: Any, values: _Values) -> int | GridOperand:
    if isinstance(size, int):
        return size
    return GridOperand(values.index_of(size, _run_time_integer(size)))


def _run_time_integer(value: Any) -> Any:
    """Gives a 0-d array: of symbolic sizes and narrow integers always an i32 one."""
    array = jnp.asarray(value)
    is_wide = array.dtype.itemsize == 8
    if is_symbolic(value) or not is_wide:
        return array.astype(jnp.int32)
    return array
