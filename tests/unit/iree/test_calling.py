# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Calling programs: what goes in, what comes out, and what is refused."""

from __future__ import annotations

import gc
import re
import threading
import weakref
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

import tritonflow
from tritonflow import Program
from tritonflow.errors import SignatureError
from tritonflow.iree.arguments import aligned_copy, aligned_empty

DTYPES = [
    "bool",
    "int8",
    "int16",
    "int32",
    "uint8",
    "uint16",
    "uint32",
    "float16",
    "bfloat16",
    "float32",
    "complex64",
    "float8_e4m3fn",
    "float8_e5m2",
]


def _numpy(name: str) -> np.dtype:
    return np.dtype(getattr(ml_dtypes, name, name))


def _random(shape: tuple[int, ...], dtype: str, seed: int = 0) -> np.ndarray:
    values = np.random.default_rng(seed).normal(size=shape) * 10
    return np.abs(values).astype(_numpy(dtype))


def _at_offset(array: np.ndarray, offset: int) -> np.ndarray:
    """The same values, beginning `offset` bytes after a multiple of 64."""
    room = aligned_empty((array.nbytes + 64,), np.dtype(np.uint8))
    moved = room[offset : offset + array.nbytes].view(array.dtype)
    moved = moved.reshape(array.shape)
    moved[...] = array
    return moved


@pytest.fixture(scope="module")
def every_dtype() -> Program:
    """Swaps rows of one array of every element type: a pytree in and out."""
    example = {name: np.zeros((2, 4), _numpy(name)) for name in DTYPES}

    def swap(tree: dict[str, Any]) -> dict[str, Any]:
        return {k: jnp.concatenate([x[1:], x[:1]]) for k, x in tree.items()}

    return tritonflow.compile(swap, example, target="cpu")


@pytest.mark.parametrize("producer", [np.asarray, jnp.asarray, np.asfortranarray])
def test_every_element_type_goes_in_and_out(
    every_dtype: Program, producer: Any
) -> None:
    values = {name: _random((2, 4), name) for name in DTYPES}
    results = every_dtype({name: producer(x) for name, x in values.items()})
    assert set(results) == set(DTYPES)
    for name, result in results.items():
        assert result.dtype == _numpy(name)
        assert result.shape == (2, 4)
        np.testing.assert_array_equal(np.asarray(result), values[name][::-1])
    # What came out goes in.
    again = every_dtype(results)
    for name, result in again.items():
        np.testing.assert_array_equal(np.asarray(result), values[name])


def test_64_bit_types_keep_their_bits() -> None:
    with jax.enable_x64(True):
        x = np.array([1 / 3, 1e-300, np.nan, np.inf])
        i = np.array([2**62 + 1, -(2**63), 3, 4])
        program = tritonflow.compile(
            lambda x, i: (x * 3, i + 1, i.astype(jnp.uint64)), x, i, target="cpu"
        )
    y, j, u = program(x, i)
    np.testing.assert_array_equal(np.asarray(y), x * 3)
    np.testing.assert_array_equal(np.asarray(j), i + 1)
    np.testing.assert_array_equal(np.asarray(u), i.astype(np.uint64))


@pytest.mark.parametrize("offset", [0, 4, 8, 16, 32, 60])
@pytest.mark.parametrize("size", [4, 4096])
def test_arrays_may_begin_anywhere(offset: int, size: int) -> None:
    program = _doubling(size)
    x = _at_offset(_random((size,), "float32"), offset)
    np.testing.assert_array_equal(np.asarray(program(x)), x + x)


_PROGRAMS: dict[int, Program] = {}


def _doubling(size: int) -> Program:
    if size not in _PROGRAMS:
        shape = jax.ShapeDtypeStruct((size,), jnp.float32)
        _PROGRAMS[size] = tritonflow.compile(lambda x: x + x, shape, target="cpu")
    return _PROGRAMS[size]


def test_aligned_input_is_shared_and_others_are_copied() -> None:
    from tritonflow.iree.arguments import to_view
    from tritonflow.iree.array import Array
    from tritonflow.iree.devices import open_device
    from tritonflow.iree.manifest import TensorSpec

    device = open_device("cpu", threads=1)
    spec = TensorSpec("x", "float32", (100,))

    def address(x: np.ndarray) -> int:
        view, found, _owner = to_view(x, spec, device)
        array = np.asarray(Array(view.__iree_vm_ref__, device, found))
        return array.__array_interface__["data"][0]

    aligned = aligned_copy(_random((100,), "float32"))
    assert address(aligned) == aligned.__array_interface__["data"][0]
    aligned.flags.writeable = False
    assert address(aligned) == aligned.__array_interface__["data"][0]
    moved = _at_offset(aligned, 16)
    assert address(moved) != moved.__array_interface__["data"][0]
    assert address(moved) % 64 == 0


def test_memory_lives_as_long_as_its_owner() -> None:
    from tritonflow.iree.arguments import to_view
    from tritonflow.iree.devices import open_device
    from tritonflow.iree.manifest import TensorSpec

    room = aligned_empty((100,), np.dtype(np.float32))
    assert isinstance(room.base, np.ndarray)
    watch = weakref.ref(room.base)
    spec = TensorSpec("x", "float32", (100,))
    view, _, owner = to_view(room, spec, open_device("cpu", threads=1))
    del room
    gc.collect()
    assert watch() is not None
    del view, owner
    gc.collect()
    assert watch() is None


@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16])
def test_views_of_a_result_outlive_it(dtype: Any) -> None:
    example = jax.ShapeDtypeStruct((1 << 16,), dtype)
    program = tritonflow.compile(lambda x: x + x, example, target="cpu")
    numbers = [np.full(1 << 16, n, dtype) for n in range(1, 6)]
    views = [np.asarray(program(x)).reshape(256, 256)[::2] for x in numbers]
    for number, view in enumerate(views, 1):
        np.testing.assert_array_equal(view, np.full_like(view, 2 * number))


def test_handed_through_argument_is_not_shared_with_the_caller() -> None:
    x = aligned_copy(_random((16,), "float32"))
    program = tritonflow.compile(
        lambda x, c: (x, x.reshape(4, 4), jax.lax.cond(c, lambda: x, lambda: -x)),
        x,
        True,
        target="cpu",
    )
    before = x.copy()
    results = program(x, True)
    x[:] = 0
    for result in results:
        np.testing.assert_array_equal(np.asarray(result).ravel(), before)


def test_inputs_are_never_written_to() -> None:
    x = aligned_copy(_random((8, 8), "float32"))
    program = tritonflow.compile(lambda x: x.at[0].set(1.0), x, target="cpu")
    before = x.copy()
    result = np.asarray(program(x))
    np.testing.assert_array_equal(x, before)
    assert (result[0] == 1).all()
    np.testing.assert_array_equal(result[1:], before[1:])


@pytest.mark.parametrize("n", [0, 1, 3, 8])
def test_one_program_for_many_sizes(dynamic_program: Program, n: int) -> None:
    x, y = _random((n, 4), "float32"), _random((n, 4), "float32", 1)
    w = _random((4, 3), "float32", 2)
    product, total = dynamic_program(x, w, y)
    assert product.shape == (n, 3)
    np.testing.assert_allclose(np.asarray(product), x @ w, rtol=1e-5)
    np.testing.assert_array_equal(np.asarray(total), x + y)


def test_python_numbers_take_the_arguments_type() -> None:
    program = tritonflow.compile(
        lambda x, s, k: (x * s, k + 1), np.ones(3, np.float32), 2.0, 3, target="cpu"
    )
    y, k = program(np.ones(3, np.float32), 3, 4)
    np.testing.assert_array_equal(np.asarray(y), [3, 3, 3])
    assert int(np.asarray(k)) == 5
    with pytest.raises(SignatureError, match=r"argument `k`: got float64\[\]"):
        program(np.ones(3, np.float32), 3.0, 4.5)


def test_nested_arguments_or_their_leaves() -> None:
    def fn(state: dict[str, Any], scale: Any) -> tuple[Any, dict[str, Any]]:
        a, (b, c) = state["a"], state["pair"]
        return (a + b) * scale, {"c": c, "none": None, "list": [a, b]}

    a, b, c = (_random((4,), "float32", seed) for seed in range(3))
    state = {"a": a, "pair": (b, c)}
    program = tritonflow.compile(fn, state, np.float32(2), target="cpu")
    for args in ((state, np.float32(2)), (a, b, c, np.float32(2))):
        first, rest = program(*args)
        np.testing.assert_array_equal(np.asarray(first), (a + b) * 2)
        assert list(rest) == ["c", "list", "none"]
        assert rest["none"] is None
        np.testing.assert_array_equal(np.asarray(rest["list"][1]), b)


def test_program_without_inputs_or_outputs() -> None:
    constant = tritonflow.compile(lambda: jnp.arange(5), target="cpu")
    np.testing.assert_array_equal(np.asarray(constant()), np.arange(5))
    nothing = tritonflow.compile(lambda x: (), np.ones(3, np.float32), target="cpu")
    assert nothing(np.ones(3, np.float32)) == ()


def test_results_speak_the_protocols(loaded: Program) -> None:
    x = _random((5,), "float32")
    result = loaded(x, x)
    assert result.block_until_ready() is result
    assert (result.ndim, result.size, result.nbytes, len(result)) == (1, 5, 20, 5)
    assert result.device == "cpu"
    assert result.__dlpack_device__() == (1, 0)
    np.testing.assert_array_equal(np.from_dlpack(result), x + x)
    taken = jnp.asarray(result)
    assert taken.unsafe_buffer_pointer() == np.asarray(result).ctypes.data
    with pytest.raises(ValueError, match="explicitly convert"):
        jnp.negative(result)  # JAX's own words, and not the array's contents.
    shared = jax.dlpack.from_dlpack(result)
    np.testing.assert_array_equal(np.asarray(shared), x + x)
    assert shared.unsafe_buffer_pointer() == np.asarray(result).ctypes.data
    np.testing.assert_array_equal(np.asarray(jnp.asarray(result) + 1), x + x + 1)
    assert np.asarray(result, dtype=np.float64).dtype == np.float64
    assert np.array(result).ctypes.data != np.asarray(result).ctypes.data
    assert "float32[5] on cpu" in repr(result)
    with pytest.raises(BufferError):
        result.__dlpack__(copy=True)


def test_result_outlives_its_program(loaded: Program, artifact: Any) -> None:
    x = _random((5,), "float32")
    program = tritonflow.load(artifact)
    results = [program(x, x), np.asarray(program(x, x)), jnp.from_dlpack(program(x, x))]
    del program
    gc.collect()
    for result in results:
        np.testing.assert_array_equal(np.asarray(result), x + x)
    np.testing.assert_array_equal(np.asarray(loaded(results[0], x)), x + x + x)


def test_result_goes_into_another_program(
    loaded: Program, dynamic_program: Program
) -> None:
    x, w = _random((2, 4), "float32"), _random((4, 3), "float32")
    _, total = dynamic_program(x, w, x)
    again = dynamic_program(total, w, jnp.from_dlpack(total))[1]
    np.testing.assert_array_equal(np.asarray(again), 4 * x)
    y = loaded(np.ones(5, np.float32), np.ones(5, np.float32))
    np.testing.assert_array_equal(np.asarray(loaded(y, y)), np.full(5, 4))


def test_programs_run_side_by_side_in_threads(loaded: Program, artifact: Any) -> None:
    programs = [loaded, loaded, tritonflow.load(artifact, threads=2)]
    failures: list[Any] = []

    def work(program: Program, seed: int) -> None:
        x = _random((5,), "float32", seed)
        for _ in range(200):
            if not np.array_equal(np.asarray(program(x, x)), x + x):
                failures.append(seed)

    threads = [
        threading.Thread(target=work, args=(program, seed))
        for seed, program in enumerate(programs * 2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@pytest.mark.parametrize("make", [np.zeros, jnp.zeros, list])
def test_wrong_arguments_are_named(loaded: Program, make: Any) -> None:
    x = np.zeros(5, np.float32)
    if make is list:
        with pytest.raises(SignatureError, match="argument `b`: got element type"):
            loaded(x, "text")
        with pytest.raises(SignatureError, match="argument `b`"):
            loaded(x, object())
        with pytest.raises(SignatureError, match=r"got float64\[1\], expected float32"):
            loaded(x, [0.0])
        return
    with pytest.raises(
        SignatureError, match=r"`b`: got float32\[6\], expected float32"
    ):
        loaded(x, make(6, np.float32))
    with pytest.raises(SignatureError, match=r"argument `a`: got int32\[5\], expected"):
        loaded(make(5, np.int32), x)
    with pytest.raises(SignatureError, match=r"argument `a`: got float32\[5,1\]"):
        loaded(make((5, 1), np.float32), x)


def test_wrong_numbers_of_arguments_are_refused(loaded: Program) -> None:
    x = np.zeros(5, np.float32)
    for args in ((), (x,), (x, x, x)):
        with pytest.raises(
            SignatureError, match=f"got {len(args)} arguments, expected 2"
        ):
            loaded(*args)
    with pytest.raises(SignatureError, match="expected 2"):
        loaded.call_flat([x])


def test_calls_under_jit_are_refused(loaded: Program) -> None:
    with pytest.raises(SignatureError, match=r"`a`: got(.|\n)*outside of jax.jit"):
        jax.jit(loaded)(np.zeros(5, np.float32), np.zeros(5, np.float32))


def test_other_element_types_are_converted_as_the_hint_says(loaded: Program) -> None:
    x = np.ones(5)
    with pytest.raises(SignatureError, match=r"hint: .*numpy.asarray\(x, 'float32'\)"):
        loaded(x, x)
    x = np.asarray(x, "float32")
    np.testing.assert_array_equal(np.asarray(loaded(x, x)), [2] * 5)


def test_repr_shows_the_signature(loaded: Program, dynamic_program: Program) -> None:
    text = r"Program\(\w+ for cpu: a: float32\[5\], b: float32\[5\] -> .*float32\[5\]\)"
    assert re.fullmatch(text, repr(loaded))
    assert "x: float32[n,4]" in repr(dynamic_program)


def test_symbols_must_agree(dynamic_program: Program) -> None:
    x, w = np.zeros((3, 4), np.float32), np.zeros((4, 3), np.float32)
    with pytest.raises(SignatureError, match=r"`y`.*`n` is 3 in `x`, but 2 here"):
        dynamic_program(x, w, x[:2])
    with pytest.raises(SignatureError, match=r"expected float32\[n,4\]"):
        dynamic_program(x[:, :3], w, x)
    # A call that fits, then one that does not, then one that fits.
    assert dynamic_program(x, w, x)[0].shape == (3, 3)


def test_wrong_trees_are_named() -> None:
    x = np.ones(2, np.float32)
    program = tritonflow.compile(lambda t, u: t["k"] + u, {"k": x}, x, target="cpu")
    with pytest.raises(SignatureError, match="dictionary lacks"):
        program({"q": x}, x)
    with pytest.raises(SignatureError, match="expected a dictionary"):
        program([x], x)


def test_out_receives_the_results(loaded: Program, dynamic_program: Program) -> None:
    x = _random((5,), "float32")
    out = np.zeros(5, np.float32)
    assert loaded(x, x, out=out) is out
    np.testing.assert_array_equal(out, x + x)
    mine = loaded(np.zeros(5, np.float32), np.zeros(5, np.float32))
    assert loaded(x, x, out=mine) is mine
    np.testing.assert_array_equal(np.asarray(mine), x + x)
    rows, w = _random((3, 4), "float32"), _random((4, 3), "float32")
    wide = np.zeros((3, 8), np.float32)
    outs = (np.zeros((3, 3), np.float32), wide[:, ::2])
    dynamic_program(rows, w, rows, out=outs)
    np.testing.assert_array_equal(wide[:, ::2], 2 * rows)
    np.testing.assert_allclose(outs[0], rows @ w, rtol=1e-5)


def test_out_must_fit(loaded: Program) -> None:
    x = np.ones(5, np.float32)
    frozen = np.zeros(5, np.float32)
    frozen.flags.writeable = False
    with pytest.raises(SignatureError, match=r"out `result`: got float32\[4\]"):
        loaded(x, x, out=np.zeros(4, np.float32))
    with pytest.raises(SignatureError, match=r"out `result`: got float64\[5\]"):
        loaded(x, x, out=np.zeros(5))
    with pytest.raises(SignatureError, match="read-only"):
        loaded(x, x, out=frozen)
    with pytest.raises(SignatureError, match="read-only"):
        loaded(x, x, out=jnp.zeros(5))
    with pytest.raises(SignatureError, match="expected a NumPy array"):
        loaded(x, x, out="text")


def test_nan_and_infinity_pass_through(loaded: Program) -> None:
    x = np.array([np.nan, np.inf, -np.inf, -0.0, 1e-30], np.float32)
    result = np.asarray(loaded(x, np.zeros(5, np.float32)))
    np.testing.assert_array_equal(result, x + np.float32(0))
