# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""How a kernel call behaves under JAX's transformations, and what it refuses."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import triton
import triton.language as tl
from jax.sharding import AxisType, NamedSharding, PartitionSpec

from tritonflow.errors import UnsupportedError
from tritonflow.jax.export import export_program
from tritonflow.jax.triton_call import triton_call


@triton.jit
def double_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x_ptr + index, index < n)
    tl.store(out_ptr + index, value + value, index < n)


def double(x):
    return triton_call(
        x,
        kernel=double_kernel,
        out_type=jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),),
        n=x.size,
        BLOCK=64,
    )


X = np.linspace(-1, 1, 30, dtype=np.float32).reshape(3, 10)


def test_shapes_and_types_are_known_without_running():
    found = jax.eval_shape(double, jax.ShapeDtypeStruct((3, 10), jnp.bfloat16))
    assert (found.shape, found.dtype) == ((3, 10), jnp.bfloat16)


def test_inside_jit_scan_map_checkpoint_and_cond(calls_in):
    def fn(x, flag):
        y = jax.jit(double)(x)
        y, _ = jax.lax.scan(lambda carry, _: (double(carry), None), y, None, length=3)
        y = jax.lax.map(double, y)
        y = jax.checkpoint(double)(y)
        return jax.lax.cond(flag, double, lambda x: x, y)

    calls = calls_in(export_program(fn, (X, True)).text)
    assert len(calls) == 5
    # A row is shorter, but the number is an argument of the same kernel.
    assert len({call["kernel"] for call in calls}) == 1
    assert {call["arguments"][2]["value"][0] for call in calls} == {30, 10}


def test_a_rule_of_the_users_own_gives_derivatives(calls_in):
    ruled = jax.custom_vjp(double)
    ruled.defvjp(lambda x: (double(x), None), lambda _, g: (double(g),))
    program = export_program(jax.grad(lambda x: (ruled(x) ** 2).sum()), (X,))
    assert len(calls_in(program.text)) == 2


def test_a_rule_of_the_users_own_gives_batches(calls_in):
    ruled = jax.custom_batching.custom_vmap(double)
    ruled.def_vmap(lambda size, batched, x: (double(x), True))
    program = export_program(jax.vmap(ruled), (X,))
    assert program.outputs[0].shape == (3, 10)
    assert len(calls_in(program.text)) == 1


@pytest.mark.parametrize(
    ("use", "message", "hint"),
    [
        (lambda: double(X), "outside of a compiled program", "tritonflow.compile"),
        (lambda: jax.jit(double)(X), "by JAX itself for `cpu`", "tritonflow.compile"),
        (lambda: jax.vmap(double)(X), "jax.vmap is not supported", "custom_vmap"),
        (
            lambda: jax.grad(lambda x: double(x).sum())(X),
            "automatic differentiation is not supported",
            "jax.custom_vjp",
        ),
        (
            lambda: jax.jvp(double, (X,), (X,)),
            "automatic differentiation is not supported",
            "jax.custom_vjp",
        ),
        (
            lambda: jax.linear_transpose(double, X)(X),
            "cannot be transposed",
            "jax.custom_vjp",
        ),
        (
            lambda: jax.jit(double).trace(X).lower(lowering_platforms=("cuda",)),
            "by JAX itself for `cuda`",
            "tritonflow.compile",
        ),
        (
            lambda: jax.export.export(jax.jit(double), platforms=["cpu", "cuda"])(X),
            "by JAX itself for `cpu`",
            "tritonflow.compile",
        ),
    ],
)
def test_what_is_not_there_yet_says_so(use, message, hint):
    with pytest.raises(UnsupportedError, match=message) as caught:
        use()
    assert "`double_kernel`" in caught.value.message
    assert caught.value.at is not None
    assert caught.value.at.file == __file__
    assert hint in (caught.value.hint or "")


def mesh_of_one(kind):
    return jax.make_mesh((1,), ("d",), axis_types=(kind,))


@pytest.mark.parametrize("check", [False, True])
def test_shard_map_over_one_device(calls_in, check):
    mapped = jax.shard_map(
        lambda x: double(x)[:, 0],  # another rank than the operand's
        mesh=mesh_of_one(AxisType.Auto),
        in_specs=PartitionSpec("d"),
        out_specs=PartitionSpec("d"),
        check_vma=check,
    )
    program = export_program(mapped, (X,))
    assert len(calls_in(program.text)) == 1


def test_shardings_over_one_device_leave_no_trace(calls_in):
    sharding = NamedSharding(mesh_of_one(AxisType.Auto), PartitionSpec("d"))

    def fn(x):
        return jax.lax.with_sharding_constraint(double(x), sharding)

    program = export_program(
        jax.jit(fn, in_shardings=sharding, out_shardings=sharding),
        (jax.device_put(X, sharding),),
    )
    assert "sdy." not in program.text
    assert "sharding" not in program.text.lower()
    assert len(calls_in(program.text)) == 1


def test_explicit_mesh_of_one_device(calls_in):
    mesh = mesh_of_one(AxisType.Explicit)
    with jax.set_mesh(mesh):
        x = jax.device_put(X, NamedSharding(mesh, PartitionSpec("d")))
        program = export_program(double, (x,))
    assert len(calls_in(program.text)) == 1


def test_operands_sharded_over_several_devices_are_refused():
    mesh = jax.sharding.AbstractMesh((2,), ("d",), axis_types=(AxisType.Explicit,))
    sharding = NamedSharding(mesh, PartitionSpec(None, "d"))
    with (
        jax.sharding.use_abstract_mesh(mesh),
        pytest.raises(UnsupportedError, match="sharded operands are not supported"),
    ):
        jax.eval_shape(double, jax.ShapeDtypeStruct((3, 10), "f4", sharding=sharding))
