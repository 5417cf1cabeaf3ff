# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`triton_call` replaced by Triton's interpreter, to test kernels and their callers."""

from __future__ import annotations

import inspect
from typing import Any

import jax
import numpy as np
import pytest
from tests.interpreter import interpret

import tritonflow

LAUNCH_OPTIONS = {"num_warps", "num_stages"}


def interpreted_call(*operands, kernel, out_type, grid, **keywords):
    """Gives what one `triton_call` with one result gives, from NumPy operands."""
    names = list(inspect.signature(kernel.fn).parameters)
    given: dict[str, Any] = dict(zip(names, operands, strict=False))
    given |= {k: v for k, v in keywords.items() if k not in LAUNCH_OPTIONS}
    (missing,) = [name for name in names if name not in given]
    # Bytes of ones are NaN or -1: what no store reaches shows.
    given[missing] = np.empty(out_type.shape, out_type.dtype)
    given[missing].view(np.uint8).fill(255)
    grid = grid(keywords) if callable(grid) else grid
    after = interpret(kernel, grid, **{name: given[name] for name in names})
    arrays = [name for name in names if isinstance(given[name], np.ndarray)]
    return after[arrays.index(missing)]


@pytest.fixture
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs each `triton_call` of the test in Triton's interpreter."""
    jax.config.update("jax_platforms", "cpu")
    monkeypatch.setitem(vars(tritonflow), "triton_call", interpreted_call)
