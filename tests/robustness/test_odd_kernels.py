# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels that are legal and odd: many parameters, long, redefined, of odd names."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import triton
import triton.language as tl
from tests.robustness.kernels import copy

import tritonflow
from tritonflow.errors import UnsupportedError

X = np.arange(16, dtype=np.float32)
HEADER = "import triton, triton.language as tl\n"


def load_source(path: Path, source: str) -> Any:
    """The module that `source`, written to `path`, makes."""
    path.write_text(HEADER + source)
    module = ModuleType(path.stem)
    # Not by an import: bytecode of an earlier version of the file, as long as this one
    # and written in the same second, would be taken for its own.
    exec(compile(path.read_text(), path, "exec"), module.__dict__)
    return module


def run(fn: Any, *arguments: Any) -> Any:
    program = tritonflow.compile(fn, *arguments, target="cpu")
    return jax.tree.map(np.asarray, program(*arguments))


def call(kernel: Any, *arguments: Any, **keywords: Any) -> Any:
    return tritonflow.triton_call(
        *arguments, kernel=kernel, out_type=arguments[0], grid=(1,), **keywords
    )


def many_arrays(count: int) -> str:
    names = [f"p{i}" for i in range(count)]
    loads = "".join(f"    v += tl.load({name} + i)\n" for name in names[1:])
    return (
        f"@triton.jit\ndef wide({', '.join(names)}, y):\n    i = tl.arange(0, 16)\n"
        f"    v = tl.load(p0 + i)\n{loads}    tl.store(y + i, v)\n"
    )


def test_as_many_arrays_as_a_device_passes(tmp_path: Path) -> None:
    arrays = [np.full(16, i, np.float32) for i in range(31)]
    wide = load_source(tmp_path / "m.py", many_arrays(31)).wide
    result = run(lambda *xs: call(wide, *xs), *arrays)
    np.testing.assert_array_equal(result, np.full(16, 31 * 30 / 2))


@pytest.mark.parametrize(("target", "limit"), [("cpu", 32), ("cuda:sm_80", 64)])
def test_more_arrays_than_a_device_passes(
    tmp_path: Path, target: str, limit: int
) -> None:
    wide = load_source(tmp_path / "m.py", many_arrays(limit)).wide
    arrays = [X] * limit
    message = f"`wide`: got {limit + 1} arrays, expected at most {limit} on `{target}`"
    with pytest.raises(UnsupportedError, match=message):
        tritonflow.compile(lambda *xs: call(wide, *xs), *arrays, target=target)


def test_many_numbers(tmp_path: Path) -> None:
    names = [f"p{i}" for i in range(150)]
    source = (
        f"@triton.jit(do_not_specialize={names!r})\n"
        f"def many(x, {', '.join(names)}, y):\n    i = tl.arange(0, 16)\n"
        f"    tl.store(y + i, tl.load(x + i) + {' + '.join(names)})\n"
    )
    many = load_source(tmp_path / "m.py", source).many
    result = run(lambda x: call(many, x, *range(150)), X)
    np.testing.assert_array_equal(result, X + 150 * 149 / 2)


@triton.jit
def _unrolled(x, y, COUNT: tl.constexpr):
    i = tl.arange(0, 16)
    v = tl.load(x + i)
    for j in tl.static_range(COUNT):
        v = v + tl.sum(v, 0) * 0 + j
    tl.store(y + i, v)


@pytest.mark.slow
def test_long_unrolled_loops() -> None:
    result = run(lambda x: call(_unrolled, x, COUNT=1000), X)
    np.testing.assert_array_equal(result, X + 1000 * 999 / 2)


def test_redefined_kernels_and_helpers_of_one_name(tmp_path: Path) -> None:
    """Modules of one name and file, edited in between; all in one program at last."""
    kernels = []
    for factor in (2, 3, 5):
        source = (
            f"C = tl.constexpr({factor})\n"
            f"@triton.jit\ndef helper(v):\n    return v * {factor}\n"
            "@triton.jit\ndef kernel(x, y):\n    i = tl.arange(0, 16)\n"
            "    tl.store(y + i, helper(tl.load(x + i)) + C)\n"
        )
        kernel = load_source(tmp_path / f"m{factor}.py", source).kernel
        again = load_source(tmp_path / "same.py", source).kernel
        expected = X * factor + factor
        np.testing.assert_array_equal(run(lambda x, k=again: call(k, x), X), expected)
        kernels.append((kernel, expected))
    results = run(lambda x: [call(kernel, x) for kernel, _ in kernels], X)
    for result, (_, expected) in zip(results, kernels, strict=True):
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize(
    "name", ["main", "__init", "main_dispatch_0", "hal", "printf", "memcpy", "expf"]
)
def test_kernels_named_as_symbols_of_others(tmp_path: Path, name: str) -> None:
    source = (
        f"@triton.jit\ndef {name}(x, y):\n    i = tl.arange(0, 16)\n"
        "    tl.store(y + i, tl.exp(-tl.load(x + i)))\n"
    )
    kernel = getattr(load_source(tmp_path / "m.py", source), name)
    result = run(lambda x: jnp.exp(call(kernel, x)), X)
    np.testing.assert_allclose(result, np.exp(np.exp(-X.astype(float))), rtol=1e-5)


@pytest.mark.parametrize("name", ["main", "__init", "main$async", 'a.b-c "d"', "été"])
def test_programs_of_odd_names(tmp_path: Path, name: str) -> None:
    program = tritonflow.compile(lambda x: x + 1, X, target="cpu", name=name)
    program.save(tmp_path / "ü.vmfb")
    loaded = tritonflow.load(tmp_path / "ü.vmfb")
    assert loaded.name == program.name
    np.testing.assert_array_equal(np.asarray(loaded(X)), X + 1)


@triton.jit
def _two_updates(a, b, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    first = tl.load(a + i)
    second = tl.load(b + (BLOCK - 1 - i))
    tl.store(a + i, first + 2 * second)


@triton.jit
def _both_updated(a, b, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(a + i, tl.load(a + i) + 1)
    tl.store(b + i, tl.load(b + i) * 2)


def test_one_array_for_several_parameters() -> None:
    result = run(
        lambda x: call(_two_updates, x, x, BLOCK=16, input_output_aliases={0: 0}), X
    )
    np.testing.assert_array_equal(result, X + 2 * X[::-1])
    first, second, untouched = run(
        lambda x: (
            *tritonflow.triton_call(
                x,
                x,
                BLOCK=16,
                kernel=_both_updated,
                out_type=(x, x),
                grid=(1,),
                input_output_aliases={0: 0, 1: 1},
            ),
            x,
        ),
        X,
    )
    np.testing.assert_array_equal(first, X + 1)
    np.testing.assert_array_equal(second, X * 2)
    np.testing.assert_array_equal(untouched, X)


def test_results_of_every_origin() -> None:
    """Arguments, constants, a kernel's result, each several times and nested."""

    def fn(x: Any, y: Any) -> Any:
        z = copy(x, BLOCK=16)
        return {
            "a": (x, z, z),
            "b": [y, None, jnp.ones(3)],
            "c": z + 1,
            "d": (),
            "e": 3,
        }

    result = run(fn, X, 2 * X)
    for value in result["a"]:
        np.testing.assert_array_equal(value, X)
    np.testing.assert_array_equal(result["b"][0], 2 * X)
    assert result["b"][1] is None
    assert (result["d"], int(result["e"])) == ((), 3)
    np.testing.assert_array_equal(result["c"], X + 1)


@pytest.mark.parametrize("shape", [(), (0,), (0, 5), (1, 1, 1), (3, 0, 2)], ids=str)
@pytest.mark.parametrize("dtype", ["bool", "float32"])
def test_shapes_without_or_with_empty_dimensions(shape: Any, dtype: str) -> None:
    x = np.ones(shape, dtype)
    result = run(lambda x: copy(x, grid=(1,)), x)
    np.testing.assert_array_equal(result, x)
