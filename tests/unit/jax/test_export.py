# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Exported programs: text, signature, weights, and symbolic shapes."""

from __future__ import annotations

import collections
import dataclasses
import functools
import json
import os
import subprocess
import sys
import textwrap

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
import triton
import triton.language as tl

from tritonflow.errors import SignatureError, UnsupportedError
from tritonflow.jax.export import export_program
from tritonflow.jax.symbols import divisor_of
from tritonflow.jax.triton_call import triton_call

State = collections.namedtuple("State", ["cache", "step"])  # noqa: PYI024


@triton.jit
def scale_kernel(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x_ptr + index, index < n)
    tl.store(out_ptr + index, value * factor, index < n)


def scale(x, factor=2.0, **overrides):
    settings = {
        "n": x.size if isinstance(x.size, int) else x.shape[0] * x.shape[1],
        "BLOCK": 64,
        "grid": lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),),
    }
    return triton_call(
        x,
        kernel=scale_kernel,
        out_type=jax.ShapeDtypeStruct(x.shape, x.dtype),
        factor=factor,
        **(settings | overrides),
    )


X = np.arange(21, dtype=np.float32).reshape(3, 7)


def test_arguments_keep_their_place_even_unused(calls_in):
    program = export_program(lambda a, b, c: scale(b), (X, X, np.int8(3)))
    assert [tensor.name for tensor in program.inputs] == ["a", "b", "c"]
    assert [tensor.dtype for tensor in program.inputs] == ["float32", "float32", "int8"]
    (header,) = [line for line in program.text.splitlines() if "@main(" in line]
    assert header.count("%arg") == 3
    assert program.outputs == (("result", "float32", (3, 7)),)
    assert len(calls_in(program.text)) == 1


def test_weights_come_first_under_dotted_keys():
    params = {
        "layers": [{"attention": {"q": X, "k": jnp.zeros((2,))}}],
        "embed": jax.ShapeDtypeStruct((5,), jnp.bfloat16),
    }

    def fn(x, params, flag):
        return scale(x) + params["layers"][0]["attention"]["q"], flag

    program = export_program(fn, (X, params, True), param_argnums=(1,))
    assert [weight[:4] for weight in program.parameters] == [
        (0, "embed", "bfloat16", (5,)),
        (1, "layers.0.attention.k", "float32", (2,)),
        (2, "layers.0.attention.q", "float32", (3, 7)),
    ]
    assert program.parameters[0].value is None
    assert program.parameters[2].value is X
    assert [tensor.name for tensor in program.inputs] == ["x", "flag"]
    assert program.in_tree["children"] == [
        {"kind": "leaf", "index": 0},
        {"kind": "leaf", "index": 1},
    ]
    (header,) = [line for line in program.text.splitlines() if "@main(" in line]
    arguments = header.partition("->")[0]
    order = ["5xbf16", "2xf32", "3x7xf32", "3x7xf32", "tensor<i1>"]
    positions = [arguments.index("%arg" + str(i)) for i in range(5)]
    pieces = [
        arguments[a:b] for a, b in zip(positions, [*positions[1:], None], strict=True)
    ]
    assert all(wanted in piece for wanted, piece in zip(order, pieces, strict=True))


def test_keys_of_several_weight_arguments_begin_with_their_names():
    program = export_program(
        lambda encoder, x, head: x + head + encoder["w"],
        ({"w": X}, X, X),
        param_argnums=(0, -1),
    )
    assert [weight.key for weight in program.parameters] == ["encoder.w", "head"]


def test_registered_classes_may_be_weights():
    @jax.tree_util.register_dataclass
    @dataclasses.dataclass
    class Layer:
        weight: object
        bias: object

    program = export_program(
        lambda layer, x: x * layer.weight + layer.bias,
        (Layer(X, X), X),
        param_argnums=0,
    )
    assert [weight.key for weight in program.parameters] == ["weight", "bias"]


@pytest.mark.parametrize(
    ("args", "argnums", "error", "message"),
    [
        (({"a.b": X, "a": {"b": X}},), 0, SignatureError, "two have the key `a.b`"),
        ((X,), 1, SignatureError, "`param_argnums`: got 1"),
        ((X,), (0.5,), SignatureError, "`param_argnums`: got 0.5"),
        (("text",), (), SignatureError, "argument `params`: got a value of type `str`"),
        (({"a": ["x"]},), (), SignatureError, r"argument `params\.a\.0`"),
        (
            (jax.ShapeDtypeStruct(jax.export.symbolic_shape("b"), "f4"),),
            0,
            UnsupportedError,
            "weight `params`: got the symbolic shape",
        ),
        (
            (jax.ShapeDtypeStruct((3,), jnp.int4),),
            (),
            UnsupportedError,
            "elements of type `int4`",
        ),
    ],
)
def test_bad_arguments(args, argnums, error, message):
    with pytest.raises(error, match=message):
        export_program(lambda params: params, args, param_argnums=argnums)


def test_keys_of_random_numbers_are_refused_with_the_way_out():
    with pytest.raises(UnsupportedError, match=r"key<fry>(.|\n)*key_data"):
        export_program(lambda key: key, (jax.random.key(0),))


def test_results_are_pytrees():
    program = export_program(
        lambda x: {"b": (x, None, [3]), "a": State(scale(x), 1.5)}, (X,)
    )
    assert [tensor.name for tensor in program.outputs] == [
        "result.a.cache",
        "result.a.step",
        "result.b.0",
        "result.b.2.0",
    ]
    assert json.loads(json.dumps(program.out_tree)) == program.out_tree
    assert program.out_tree["keys"] == ["a", "b"]
    assert program.out_tree["children"][0]["kind"] == "namedtuple"


def test_results_of_registered_classes_are_refused():
    @jax.tree_util.register_dataclass
    @dataclasses.dataclass
    class Pair:
        first: object

    with pytest.raises(UnsupportedError, match=r"result of the program is a `.*Pair`"):
        export_program(lambda x: [Pair(x)], (X,))


def test_names_follow_the_function():
    def with_rest(x, *rest):
        return x + rest[0] + rest[1]["y"]

    program = export_program(with_rest, (X, X, {"y": X}))
    assert [t.name for t in program.inputs] == ["x", "rest0", "rest1.y"]
    assert program.name == "with_rest"
    assert export_program(lambda x: x, (X,)).name == "lambda"
    bound = functools.partial(with_rest, X)
    program = export_program(bound, (X, {"y": X}), name="my program")
    assert (program.name, len(program.inputs)) == ("my_program", 2)
    assert "module @jit_my_program" in program.text


def test_types_are_jaxs():
    program = export_program(
        lambda a, b, c, d: (a + b, c, d),
        (np.float64(1), 2.5, np.arange(3), ml_dtypes.bfloat16(2)),
    )
    # 64-bit types are switched off; Python's 2.5 is weak and does not widen.
    assert [t.dtype for t in program.inputs] == ["float32"] * 2 + ["int32", "bfloat16"]
    weak = export_program(lambda a, b: a * b, (jnp.ones(3, jnp.bfloat16), 2.5))
    assert weak.outputs[0].dtype == "bfloat16"
    with jax.enable_x64(True):
        program = export_program(lambda a: scale(a, 0.5), (X.astype(np.float64),))
    assert program.inputs[0].dtype == "float64"
    assert "tensor<3x7xf64>" in program.text


def test_text_holds_no_paths_and_is_the_same_in_every_process(tmp_path):
    code = textwrap.dedent(
        """
        import jax, jax.numpy as jnp, triton, triton.language as tl
        from tritonflow.jax.export import export_program
        from tritonflow.jax.triton_call import triton_call

        @triton.jit
        def twice_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
            index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            tl.store(out_ptr + index, tl.load(x_ptr + index, index < n), index < n)

        def twice(x):
            n = x.shape[0] * 4
            grid = lambda meta: triton.cdiv(n, 32)
            return triton_call(
                x, kernel=twice_kernel, out_type=x, grid=grid, n=n, BLOCK=32)

        b, = jax.export.symbolic_shape("b")
        x = jax.ShapeDtypeStruct((b, 4), jnp.float32)
        program = export_program(lambda x, y: (jnp.tanh(twice(x)), twice(y)), (x, x))
        print(program.text, program.kernels.keys(), program.in_tree, program.outputs)
        """
    )
    texts = []
    for folder, seed, lines in (("a", "1", 0), ("b_longer", "2", 7)):
        path = tmp_path / folder / f"{folder}.py"
        path.parent.mkdir()
        path.write_text("\n" * lines + code)
        run = subprocess.run(
            [sys.executable, str(path)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        texts.append(run.stdout)
    assert texts[0] == texts[1]
    assert str(tmp_path) not in texts[0]
    assert "loc(" not in texts[0]
    assert "0x7" not in texts[0]


def test_exporting_twice_gives_the_same_and_finds_the_calls_again():
    first, second = (export_program(scale, (X,)) for _ in range(2))
    assert first.text == second.text
    assert first.calls == second.calls
    assert len(second.calls) == 1
    assert second.calls[0].location.file == __file__


def test_calls_in_the_text_name_their_descriptions(calls_in):
    program = export_program(lambda x: scale(x) + scale(x[:2])[:1], (X,))
    calls = calls_in(program.text)
    assert [call["call"] for call in calls] == [0, 1]
    assert all(program.calls[call["call"]].kernel == call["kernel"] for call in calls)


def symbolic(text, *names, **keywords):
    shape = jax.export.symbolic_shape(text, **keywords)
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def test_symbolic_sizes_become_values(calls_in):
    program = export_program(scale, (symbolic("b, 7"),))
    (call,) = calls_in(program.text)
    assert call["arguments"] == [
        {"kind": "operand", "operand": 0},
        {"kind": "result", "result": 0},
        {"kind": "value", "operand": 1},
        {"kind": "constant", "value": (2.0, "f32")},
    ]
    assert call["grid"] == [{"operand": 2}, 1, 1]
    assert call["operands"] == 4  # JAX adds the shape of the dynamic result.
    assert "indices_of_shape_operands = dense<3>" in program.text
    assert program.inputs == (("x", "float32", ("b", 7)),)
    assert program.outputs == (("result", "float32", ("b", 7)),)
    assert program.calls[0].grid == ("operand 2", 1, 1)


@pytest.mark.parametrize("x64", [False, True])
def test_values_of_symbolic_sizes_have_32_bits(x64):
    with jax.enable_x64(x64):
        program = export_program(scale, (symbolic("b, 7"),))
    (kernel,) = program.kernels.values()
    assert kernel.parameters[2].type == "i32"
    (call,) = [line for line in program.text.splitlines() if "@tritonflow.call" in line]
    types = call.rpartition(" : (")[2].partition(")")[0].split(", ")
    assert types[1:3] == ["tensor<i32>", "tensor<i32>"]


def test_several_arguments_share_a_scope():
    x = symbolic("b, n")
    y = symbolic("n, 2*b", scope=x.shape[0].scope)
    program = export_program(lambda x, y: (scale(x), scale(y), x.shape[0]), (x, y))
    assert program.inputs[1].shape == ("n", "2*b")
    assert program.outputs[2].shape == ()


def test_scopes_must_be_one():
    with pytest.raises(SignatureError, match="of several scopes") as caught:
        export_program(lambda x, y: (x, y), (symbolic("b, 7"), symbolic("b, 7")))
    assert "symbolic_shape" in str(caught.value.hint)


def test_divisibility_of_sizes():
    b, c = jax.export.symbolic_shape("b, c")
    assert [divisor_of(size) for size in (b, 2 * b, 4 * b + 8 * c, 48 * b)] == [
        *(1, 2, 4),
        16,
    ]
    assert [divisor_of(size) for size in (16 * b + 1, 32 * b - 6, b * c)] == [1, 2, 1]


def test_known_divisibility_reaches_the_kernel():
    for text, expected in (("b, 16", True), ("b, 8", False), ("2*b, 8", True)):
        (kernel,) = export_program(scale, (symbolic(text),)).kernels.values()
        assert kernel.parameters[2].divisible_by_16 is expected


def test_integers_computed_from_sizes_may_be_grid_sizes(calls_in):
    def fn(x):
        return scale(x, grid=(jnp.asarray(x.shape[0]) * 2, 3))

    (call,) = calls_in(export_program(fn, (symbolic("b, 7"),)).text)
    assert call["grid"] == [{"operand": 2}, 3, 1]


@pytest.mark.parametrize(
    ("fn", "message"),
    [
        (
            lambda x: scale(x, BLOCK=x.shape[0]),
            r"constexpr `BLOCK` of kernel `scale_kernel`: .* its value is `b`",
        ),
        (lambda x: scale(x, BLOCK=triton.next_power_of_2(x.shape[0])), "`_DimExpr`|>>"),
        (
            lambda x: scale(x, grid=lambda meta: triton.next_power_of_2(meta["n"])),
            "`grid` of kernel `scale_kernel`: needs the value of a symbolic dimension",
        ),
        (
            lambda x: scale(x, grid=lambda meta: 1 if meta["n"] > 50 else 2),
            "`grid` of kernel `scale_kernel`: needs the value of a symbolic dimension",
        ),
        (lambda x: scale(x) if x.shape[0] > 5 else x, "needs the value of a symbolic"),
    ],
)
def test_symbols_where_numbers_are_needed_are_named_errors(fn, message):
    with pytest.raises(UnsupportedError, match=message) as caught:
        export_program(fn, (symbolic("b, 7"),))
    assert caught.value.at is not None
    assert caught.value.at.file == __file__
    assert "one program for each size" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("fn", "message"),
    [
        (lambda x: jax.pure_callback(np.sin, x, x), "a callback into Python"),
        (lambda x: jax.debug.print("{}", x), "`debug_print`"),
        (lambda x: jnp.linalg.qr(x), "`Qr`"),
        (lambda x: jnp.linalg.eigh(x @ x.T), "`eigh`"),
    ],
)
def test_what_only_jaxs_platforms_have_is_refused(fn, message):
    with pytest.raises(UnsupportedError, match=message):
        export_program(fn, (X,))


def test_errors_of_the_users_function_stay_as_they_are():
    def fn(x):
        raise TypeError("mine")

    with pytest.raises(TypeError, match=r"^mine") as caught:
        export_program(fn, (X,))
    assert type(caught.value) is TypeError
