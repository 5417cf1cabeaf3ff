# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels inside programs on an NVIDIA GPU: where their operands may come from."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.gpu.device import NEEDS_GPU, chip
from tests.kernels import negate

import tritonflow

pytestmark = NEEDS_GPU


@pytest.mark.parametrize("start", [0, 1, 2, 3, 4, 1001, 1024])
def test_slices_of_a_value_at_any_place(start: int) -> None:
    x = np.random.default_rng(start).normal(size=6000).astype(np.float32)
    program = tritonflow.compile(
        lambda v: negate((v + 1)[start : start + 4096]), x, target=chip()
    )
    expected = -(x + np.float32(1))[start : start + 4096]
    np.testing.assert_array_equal(np.asarray(program(x)), expected)


def test_slices_whose_start_is_known_at_run_time() -> None:
    def rows(v: jax.Array, first: jax.Array) -> jax.Array:
        return negate(jax.lax.dynamic_slice(v * 2, (first,), (4096,)))

    x = np.random.default_rng(0).normal(size=6000).astype(np.float32)
    program = tritonflow.compile(rows, x, np.int32(0), target=chip())
    for first in (0, 1, 7, 1904):
        expected = -2 * x[first : first + 4096]
        np.testing.assert_array_equal(np.asarray(program(x, np.int32(first))), expected)


@pytest.fixture(scope="module")
def torch() -> Any:
    return pytest.importorskip("torch")


@pytest.mark.parametrize("start", [0, 1, 3, 4, 16])
def test_slices_of_a_torch_tensor(torch: Any, start: int) -> None:
    values = torch.arange(5000, dtype=torch.float32, device="cuda")
    spec = jax.ShapeDtypeStruct((4096,), jnp.float32)
    program = tritonflow.compile(negate, spec, target=chip())
    result = torch.from_dlpack(program(values[start : start + 4096]))
    assert torch.equal(result, -values[start : start + 4096])


def test_pending_work_of_torch_is_waited_for(torch: Any) -> None:
    spec = jax.ShapeDtypeStruct((4096,), jnp.float32)
    program = tritonflow.compile(negate, spec, target=chip())
    big = torch.ones((8192, 8192), device="cuda")
    for stream in (torch.cuda.current_stream(), torch.cuda.Stream()):
        with torch.cuda.stream(stream):
            total = torch.zeros(4096, device="cuda")
            for _ in range(20):
                total += (big @ big)[0, :4096] / 8192
            result = torch.from_dlpack(program(total))
        torch.cuda.synchronize()
        assert torch.equal(result, -total)
        assert torch.equal(total, torch.full_like(total, 20.0))
