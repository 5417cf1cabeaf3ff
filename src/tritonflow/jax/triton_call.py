# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`triton_call`: a Triton kernel as an operation of a JAX program.

What may be given for a run-time parameter of the kernel, by position or by name:

| value | what the kernel gets |
|---|---|
| array of any rank, 0-d ones too | a pointer |
| number of Python or NumPy | the number, specialised as Triton's launcher does |
| size that depends on a symbolic dimension | its value in each run, an i32 |
| 0-d integer array, if the parameter is annotated as integer | its value, i32 or i64 |
| None, a tuple of these | the same as from Triton's launcher |
| `TensorDescriptor` | a descriptor made on the device |
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import SignatureError, SourceLocation, UnsupportedError
from .call import CallRequest, perform

Grid = int | tuple[Any, ...] | Callable[[dict[str, Any]], Any]


def triton_call(
    *args: Any,
    kernel: Any,
    out_type: Any = None,
    grid: Grid,
    name: str = "",
    num_warps: int | None = None,
    num_stages: int | None = None,
    num_ctas: int | None = None,
    compute_capability: int | None = None,
    backend_options: Mapping[str, Any] | None = None,
    input_output_aliases: Mapping[int, int] | None = None,
    zeroed_outputs: Sequence[int] | Callable[[dict[str, Any]], Sequence[int]] = (),
    debug: bool = False,
    serialized_metadata: bytes = b"",
    cost_estimate: Mapping[str, int] | None = None,
    has_side_effect: bool = False,
    **kwargs: Any,
) -> Any:
    """Gives the outputs, in the structure of `out_type`, of one launch of a kernel.

    Args:
        args: operands in parameter order, past the parameters given by keyword.
        kernel: a `@triton.jit` function, decorated or not, or a `.ttir` file's path.
        out_type: pytree of objects with `shape` and `dtype`. Outputs that alias no
            operand take, in order, the parameters nobody supplied. Also `out_shape`.
        grid: one to three sizes, or a function of constexprs, options and scalars.
        compute_capability: unused: `tritonflow.compile` is told the targets.
        input_output_aliases: from operands, counted as leaves of tuples in parameter
            order, to outputs that the kernel updates in place.
        zeroed_outputs: indices of outputs that start as zeros, or a function as `grid`.
        serialized_metadata: kept with the call's description, as is `cost_estimate`.
        has_side_effect: not supported: what a call does is in its outputs.
        kwargs: operands, constexprs and options of Triton's compiler by name.

    Raises: SignatureError, UnsupportedError: naming the argument and the user's line.
    """
    del compute_capability
    at = _caller()
    _refuse_side_effect(has_side_effect, at)
    explicit = {"num_warps": num_warps, "num_stages": num_stages, "num_ctas": num_ctas}
    request = CallRequest(
        kernel=kernel,
        positional=args,
        out_type=_one_out_type(out_type, kwargs, at),
        keywords=kwargs,
        grid=grid,
        name=name,
        options=[{**explicit, "debug": debug or None}, dict(backend_options or {})],
        aliases=dict(input_output_aliases or {}),
        zeroed=zeroed_outputs,
        metadata=bytes(serialized_metadata),
        cost_estimate=tuple(sorted((cost_estimate or {}).items())),
        at=at,
    )
    return perform(request)


def _caller() -> SourceLocation:
    frame = sys._getframe(2)
    return SourceLocation(frame.f_code.co_filename, frame.f_lineno)


def _refuse_side_effect(has_side_effect: bool, at: SourceLocation) -> None:
    if has_side_effect:
        raise UnsupportedError(
            "`has_side_effect` is not supported: a call whose outputs are not used is "
            "removed from the program, whatever else it does.",
            at=at,
            hint="return what the kernel writes, by `out_type` and, for what it "
            "updates in place, `input_output_aliases`",
        )


def _one_out_type(out_type: Any, kwargs: dict[str, Any], at: SourceLocation) -> Any:
    """Gives `out_type` or what stands under its older name, which it takes away."""
    older = kwargs.pop("out_shape", None)
    if (out_type is None) == (older is None):
        found = "got none" if older is None else "got `out_shape` too"
        raise SignatureError(
            f"`out_type`: {found}, expected the shapes and dtypes of the outputs once.",
            at=at,
            hint="out_type=jax.ShapeDtypeStruct(shape, dtype)",
        )
    return older if out_type is None else out_type
