# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Programs that several tests share, each compiled once."""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tritonflow
from tritonflow import Program


@pytest.fixture(scope="session")
def add_program() -> Program:
    """`a + b` of two f32[5]; runs on one thread."""
    x = np.zeros(5, np.float32)
    return tritonflow.compile(lambda a, b: a + b, x, x, target="cpu", name="add")


@pytest.fixture(scope="session")
def artifact(add_program: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of `add_program`."""
    path = tmp_path_factory.mktemp("artifact") / "add.vmfb"
    add_program.save(path)
    return path


@pytest.fixture(scope="session")
def loaded(artifact: Path) -> Program:
    """`add_program`, loaded on one thread."""
    return tritonflow.load(artifact, threads=1)


@pytest.fixture(scope="session")
def dynamic_program() -> Program:
    """`(x @ w, x + y)` of f32[n,4], f32[4,3] and f32[n,4] for any n."""
    (n,) = jax.export.symbolic_shape("n")
    x = jax.ShapeDtypeStruct((n, 4), jnp.float32)
    w = jax.ShapeDtypeStruct((4, 3), jnp.float32)
    return tritonflow.compile(
        lambda x, w, y: (x @ w, x + y), x, w, x, target="cpu", name="dynamic"
    )
