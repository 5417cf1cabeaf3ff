# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The JAX primitive of a kernel call, and what it says where it cannot serve yet."""

from __future__ import annotations

from typing import Any, NoReturn

import jax.core
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
from jax.sharding import NamedSharding, PartitionSpec

from ..errors import UnsupportedError
from .launch import Launch
from .lowering import lower_call

PLATFORM = "iree"
"""Programs are exported for a platform of their own: JAX's keep rules of their own."""

triton_call_p = Primitive("triton_call")
triton_call_p.multiple_results = True


def _refuse(launch: Launch, what: str, hint: str) -> NoReturn:
    raise UnsupportedError(
        f"`triton_call` of kernel `{launch.specialization.name}`: {what}.",
        at=launch.site,
        hint=hint,
    )


@triton_call_p.def_abstract_eval
def _abstract_eval(*operands: Any, launch: Launch) -> list[jax.core.ShapedArray]:
    if any(_is_sharded(operand) for operand in operands):
        _refuse(
            launch,
            "sharded operands are not supported yet",
            "call it inside `jax.shard_map` over a mesh of one device, or gather first",
        )
    varying = [operand for operand in operands if _varying_axes(operand)]
    if not varying:
        return [jax.core.ShapedArray(r.shape, r.dtype) for r in launch.results]
    # Inside `jax.shard_map` a type names the mesh axes over which values differ.
    axes = frozenset().union(*map(_varying_axes, varying))
    like = max(varying, key=lambda operand: len(_varying_axes(operand)))
    return [
        jax.core.ShapedArray(
            result.shape,
            result.dtype,
            sharding=NamedSharding(
                like.sharding.mesh, PartitionSpec(*[None] * len(result.shape))
            ),
            manual_axis_type=type(like.manual_axis_type)(varying=axes),
        )
        for result in launch.results
    ]


def _varying_axes(operand: Any) -> frozenset[str]:
    type_ = getattr(operand, "manual_axis_type", None)
    return frozenset(type_.varying) if type_ is not None else frozenset()


def _is_sharded(operand: Any) -> bool:
    sharding = getattr(operand, "sharding", None)
    mesh = getattr(sharding, "mesh", None)
    if mesh is None or mesh.empty or mesh.size == 1:
        return False
    return any(axis is not None for axis in getattr(sharding, "spec", ()))


@triton_call_p.def_impl
def _impl(*operands: Any, launch: Launch) -> NoReturn:
    _refuse(
        launch,
        "a call outside of a compiled program is not supported yet",
        "put the call in a function and compile it: "
        'program = tritonflow.compile(fn, *args, target="cpu"); program(*args)',
    )


def _jvp(primals: Any, tangents: Any, *, launch: Launch) -> NoReturn:
    _refuse(
        launch,
        "automatic differentiation is not supported",
        "give the function that calls it a rule by jax.custom_vjp or jax.custom_jvp",
    )


def _transpose(cotangents: Any, *operands: Any, launch: Launch) -> NoReturn:
    _refuse(
        launch,
        "a call cannot be transposed",
        "give the function that calls it a rule by jax.custom_vjp",
    )


def _batch(operands: Any, dimensions: Any, *, launch: Launch) -> NoReturn:
    _refuse(
        launch,
        "jax.vmap is not supported yet",
        "give the kernel a grid dimension for the batch, loop with jax.lax.map, or "
        "write a rule by jax.custom_batching.custom_vmap",
    )


def _lower(ctx: mlir.LoweringRuleContext, *operands: Any, launch: Launch) -> Any:
    platforms = ctx.platforms or ctx.module_context.platforms
    foreign = [platform for platform in platforms if platform != PLATFORM]
    if foreign:
        _refuse(
            launch,
            f"compilation by JAX itself for `{foreign[0]}` is not supported yet",
            "compile the function by tritonflow instead of jax.jit: "
            'tritonflow.compile(fn, *args, target="cpu")',
        )
    return lower_call(ctx, operands, launch)


ad.primitive_jvps[triton_call_p] = _jvp
ad.primitive_transposes[triton_call_p] = _transpose
batching.primitive_batchers[triton_call_p] = _batch
mlir.register_lowering(triton_call_p, _lower)
