# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Calls that do not fit their kernel, or ask for what is not there, say so."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import triton
from tests.unit.jax.kernels import F32, VECTOR, add_kernel

from tritonflow.errors import SignatureError, UnsupportedError
from tritonflow.jax.export import export_program
from tritonflow.jax.triton_call import triton_call

tuned = triton.autotune([triton.Config({"BLOCK": 64})], key=[])(add_kernel)


def call_add(*args, **overrides):
    settings = {"kernel": add_kernel, "out_type": F32, "grid": 1, "n": 37} | overrides
    return export_program(lambda *xs: triton_call(*xs, **settings), args)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda: call_add(VECTOR, VECTOR, BLOKC=64),
            SignatureError,
            "`BLOKC`(.|\n)*BLOCK",
        ),
        (
            lambda: call_add(VECTOR),
            SignatureError,
            "got 1 outputs that alias no operand, but 2 parameters have no argument: "
            "`y_ptr`, `out_ptr`(.|\n)*pass those that are inputs",
        ),
        (
            lambda: call_add(VECTOR, VECTOR, grid=lambda meta: (meta["BLOK"],)),
            SignatureError,
            r"the function asks for `BLOK`, expected one of BLOCK, (.|\n)*"
            r"at .*test_call_errors",
        ),
        (
            lambda: call_add(*[VECTOR] * 5),
            SignatureError,
            "got 5 positional arguments, but only 4",
        ),
        (
            lambda: call_add(VECTOR, VECTOR, VECTOR, VECTOR),
            SignatureError,
            "constexpr `BLOCK` of kernel `add_kernel`: got an array",
        ),
        (
            lambda: call_add(VECTOR, VECTOR, out_type=None),
            SignatureError,
            "`out_type`: got none",
        ),
        (
            lambda: call_add(VECTOR, VECTOR, out_shape=F32),
            SignatureError,
            "got `out_shape` too",
        ),
        (
            lambda: call_add(VECTOR, VECTOR, VECTOR, out_type=()),
            SignatureError,
            "got no outputs",
        ),
        (
            lambda: call_add(VECTOR, VECTOR, out_type=(3, 4)),
            SignatureError,
            "got a leaf of type `int`",
        ),
        (
            lambda: call_add(
                VECTOR, VECTOR, out_type=jax.ShapeDtypeStruct((37,), np.float64)
            ),
            SignatureError,
            "64-bit types are switched off",
        ),
        (
            lambda: call_add(VECTOR, VECTOR, n="37"),
            SignatureError,
            "`n`: got a value of type `str`",
        ),
        (
            lambda: call_add(VECTOR, VECTOR, n={"a": 3}),
            SignatureError,
            "`n`: got a value of type `dict`",
        ),
        (
            lambda: call_add(VECTOR, VECTOR, n=np.complex64(1)),
            UnsupportedError,
            "`n`: a kernel cannot take a number of type `complex64`",
        ),
        (
            lambda: call_add(VECTOR, VECTOR, n=2**64),
            SignatureError,
            "does not fit",
        ),
        (
            lambda: call_add(VECTOR, VECTOR, has_side_effect=True),
            UnsupportedError,
            "`has_side_effect` is not supported",
        ),
        (
            lambda: call_add(VECTOR, VECTOR, kernel=lambda x: x),
            SignatureError,
            "expected a @triton.jit function",
        ),
        (
            lambda: call_add(VECTOR.astype(jnp.int4), VECTOR),
            UnsupportedError,
            "`int4`",
        ),
        (
            lambda: call_add(VECTOR.astype(jnp.complex64), VECTOR),
            UnsupportedError,
            "`x_ptr`: a kernel cannot point to elements of type `complex64`",
        ),
    ],
)
def test_calls_that_do_not_fit(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_random_keys_are_refused_by_name():
    with pytest.raises(UnsupportedError, match=r"`x_ptr`.*key<fry>"):
        export_program(
            lambda x: triton_call(
                jax.random.key(0),
                x,
                kernel=add_kernel,
                out_type=F32,
                grid=1,
                n=37,
            ),
            (VECTOR,),
        )


@pytest.mark.parametrize("inside", [False, True])
def test_refs_are_refused_by_name(inside):
    def fn(x):
        ref = jax.new_ref(x)

        def call(ref):
            return triton_call(ref, x, kernel=add_kernel, out_type=F32, grid=1, n=37)

        return jax.jit(call)(ref) if inside else call(ref)

    with pytest.raises(UnsupportedError, match="`x_ptr`: got a mutable `Ref`"):
        export_program(fn, (VECTOR,))


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ((), "got 0 dimensions, expected 1 to 3"),
        ((1, 2, 3, 4), "got 4 dimensions, expected 1 to 3"),
        ((1.5,), "got the size 1.5 of type `float`"),
        (-1, "got the size -1"),
        (True, "got the size True"),
        ("3", "got the size '3'"),
    ],
)
def test_bad_grids_are_errors_at_the_call(grid, message):
    with pytest.raises(SignatureError, match=message) as caught:
        export_program(
            lambda x: triton_call(
                x, x, kernel=add_kernel, out_type=F32, grid=grid, n=37
            ),
            (VECTOR,),
        )
    assert caught.value.at is not None
    assert caught.value.at.file == __file__


@pytest.mark.parametrize(
    ("fn", "message"),
    [
        (add_kernel, r"got the Triton kernel `add_kernel`(.|\n)*kernel=add_kernel"),
        (tuned, "got the Triton kernel `add_kernel`"),
        (3, "got `int`, expected a function"),
    ],
)
def test_only_functions_of_arrays_are_programs(fn, message):
    with pytest.raises(SignatureError, match=message):
        export_program(fn, [VECTOR])
