# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Weights of odd names, types, shapes and layouts, through a file and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

import tritonflow
from tritonflow.errors import ParameterError, SignatureError, UnsupportedError

X = np.arange(4, dtype=np.float32)


def compile_with(params: Any) -> tritonflow.Program:
    """Gives twice the input, and every weight and its double."""
    return tritonflow.compile(
        lambda params, x: (x * 2, jax.tree.map(lambda w: (w, w + w), params)),
        params,
        X,
        target="cpu",
        param_argnums=0,
    )


@pytest.mark.parametrize(
    "params",
    [
        {"a": np.zeros((0, 3), np.float32), "b": np.ones(2, np.float32)},
        {"a": np.float32(3), "b": np.ones((), np.int32), "c": 3.5, "d": 2},
        {"a/b": X, "ü": X + 1, "": X[:1], "a b": X[:2]},
        {0: X, 1: X[:3]},
        [X, (X[:3], {"x": X[:1]})],
        X,
        {"a": np.arange(24, dtype=np.float32).reshape(4, 6)[::2].T},
        {"a": np.arange(6, dtype=">f4"), "b": np.arange(3, dtype=">i2")},
        {"a": np.arange(200, dtype=np.uint8), "b": np.array([2**32 - 1], np.uint32)},
        {"a": np.arange(9, dtype=np.uint16), "b": np.arange(9, dtype=np.int8)},
        {"a": X.astype(ml_dtypes.bfloat16), "b": X.astype(np.float16)},
    ],
    ids=lambda params: str(jax.tree.structure(params))[10:50],
)
def test_weights_come_back(tmp_path: Path, params: Any) -> None:
    program = compile_with(params)
    program.save(tmp_path / "m.vmfb")
    program.save_parameters(tmp_path / "m.safetensors")
    loaded = tritonflow.load(tmp_path / "m.vmfb", parameters=tmp_path / "m.safetensors")
    for each in (program, loaded):
        doubled, weights = each(X)
        np.testing.assert_array_equal(np.asarray(doubled), 2 * X)
        found = [np.asarray(leaf) for leaf in jax.tree.leaves(weights)]
        for index, weight in enumerate(jax.tree.leaves(params)):
            same, double = found[2 * index : 2 * index + 2]
            np.testing.assert_array_equal(same, np.asarray(weight))
            expected = jnp.asarray(np.asarray(weight).astype(same.dtype)) * 2
            np.testing.assert_array_equal(double, expected)


def test_names_that_cannot_be_stored(tmp_path: Path) -> None:
    for name in ('q"', "back\\slash", "line\n"):
        with pytest.raises(UnsupportedError, match="cannot be stored"):
            compile_with({name: X})
    program = compile_with({"__metadata__": X})
    with pytest.raises(ParameterError, match="`__metadata__`: the name means"):
        program.save_parameters(tmp_path / "m.safetensors")


def test_inputs_of_the_other_byte_order_are_examples_too() -> None:
    program = tritonflow.compile(lambda x: x + 1, X.astype(">f4"), target="cpu")
    np.testing.assert_array_equal(np.asarray(program(X)), X + 1)


def test_what_is_no_function() -> None:
    with pytest.raises(SignatureError, match="got `int`, expected a function"):
        tritonflow.compile(3, X, target="cpu")  # pyright: ignore
