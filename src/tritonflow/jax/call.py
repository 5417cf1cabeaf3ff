# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""From what a user asked of a kernel to one equation of the JAX program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import SignatureError, SourceLocation, UnsupportedError
from ..kernel.arguments import Argument
from ..kernel.kernel import Kernel
from ..kernel.signature import specialize
from ..kernel.specialization import Specialization
from .assembly import CallParts, assemble
from .binding import Binding, bind_arguments
from .grid import read_grid, read_zeroed
from .operands import Operand, array_argument, read_operand
from .outputs import Outputs, aliased_leaves, read_outputs
from .primitive import triton_call_p
from .symbols import is_symbolic, named_symbol_errors


@dataclass(frozen=True, eq=False, kw_only=True)
class CallRequest:
    """The arguments of a `triton_call`, as given.

    Attributes:
        options: explicit ones, where None means not given, then the backend's.
        at: the user's line.
    """

    kernel: Any
    positional: Sequence[Any]
    keywords: Mapping[str, Any]
    out_type: Any
    grid: Any
    name: str
    options: Sequence[Mapping[str, Any]]
    aliases: Mapping[int, int]
    zeroed: Any
    metadata: bytes
    cost_estimate: tuple[tuple[str, int], ...]
    at: SourceLocation


def perform(request: CallRequest) -> Any:
    """Gives the outputs of the call, in the structure of its `out_type`."""
    kernel, at = Kernel.of(request.kernel), request.at
    outputs = read_outputs(request.out_type, kernel.name, at)
    fresh = outputs.fresh(request.aliases, at)
    bound = bind_arguments(kernel, request.positional, request.keywords, fresh, at)
    operands = {
        name: _read(kernel, name, value, at) for name, value in bound.operands.items()
    }
    options = _merge_options([*request.options, bound.options], at)
    try:
        specialization = _specialize(kernel, operands, outputs, bound, options)
    except (SignatureError, UnsupportedError) as error:
        # It knows the kernel's line; the one to change is more often the call's.
        raise type(error)(error.message, at=at, hint=error.hint) from error
    symbols = {k: v for k, v in bound.operands.items() if is_symbolic(v)}
    meta = {**symbols, **specialization.meta}
    count = len(outputs.results)
    parts = CallParts(
        specialization=specialization,
        operands=operands,
        outputs=bound.outputs,
        aliases=aliased_leaves(operands, outputs, request.aliases, at),
        results=outputs.results,
        grid=read_grid(request.grid, meta, kernel.name, at),
        zeroed=read_zeroed(request.zeroed, meta, count, kernel.name),
        at=at,
    )
    values, launch = assemble(
        parts,
        name=request.name or kernel.name,
        cost_estimate=request.cost_estimate,
        metadata=request.metadata,
    )
    return outputs.restore(triton_call_p.bind(*values, launch=launch))


def _read(kernel: Kernel, name: str, value: Any, at: SourceLocation) -> Operand:
    annotated = kernel.by_name[name].annotated_type
    is_scalar = annotated is not None and not annotated.startswith("*")
    return read_operand(value, (name,), is_scalar=is_scalar, at=at)


def _specialize(
    kernel: Kernel,
    operands: Mapping[str, Operand],
    outputs: Outputs,
    bound: Binding,
    options: Mapping[str, Any],
) -> Specialization:
    arguments: dict[str, Argument] = {
        name: operand.argument for name, operand in operands.items()
    }
    for name, index in bound.outputs.items():
        result = outputs.results[index]
        arguments[name] = array_argument(result.dtype, result.shape, (name,))
    # Heuristics are the user's functions: they may compute with symbolic sizes.
    with named_symbol_errors(f"specialisation of kernel `{kernel.name}`"):
        return specialize(kernel, arguments, bound.constexprs, options)


def _merge_options(
    sources: Sequence[Mapping[str, Any]], at: SourceLocation
) -> dict[str, Any]:
    """Gives the options of all sources. Raises SignatureError on a repeated one."""
    merged: dict[str, Any] = {}
    for source in sources:
        given = {name: value for name, value in source.items() if value is not None}
        if repeated := sorted(merged.keys() & given.keys()):
            raise SignatureError(f"option `{repeated[0]}` is given twice.", at=at)
        merged |= given
    return merged
