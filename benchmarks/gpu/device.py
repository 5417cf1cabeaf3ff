# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The GPU of this machine as a target, and the kernels launched by Triton itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

import tritonflow


def target() -> str:
    """Gives the target of JAX's first GPU, such as `cuda:sm_90`."""
    return f"cuda:sm_{jax.devices()[0].compute_capability.replace('.', '')}"


def compile_and_load(fn: Any, inputs: Sequence[Any], path: Any, targets: Any) -> Any:
    """Gives the program of `fn`, compiled, saved at `path` and loaded on the GPU."""
    program = tritonflow.compile(fn, *inputs, target=targets, name="program")
    program.save(path)
    return tritonflow.load(path, device="cuda")


def triton_launch(
    fn: Any, inputs: Sequence[np.ndarray]
) -> tuple[Callable[[], Any], Any]:
    """Gives a launch of `fn`'s one kernel through Triton, and its result's tensor.

    Args:
        fn: a function of arrays that makes a single `triton_call` with one result.
        inputs: what it takes; copied to the GPU as PyTorch tensors.
    """
    import torch

    shapes = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in inputs]
    operands, keywords = _recorded_call(fn, shapes)
    kernel, grid, out = (keywords.pop(k) for k in ("kernel", "grid", "out_type"))
    tensors = [torch.from_numpy(x).cuda() for x in inputs]
    places = {id(shape): tensor for shape, tensor in zip(shapes, tensors, strict=True)}
    given = dict(
        zip(kernel.arg_names, (places.get(id(x), x) for x in operands), strict=False)
    )
    given |= keywords
    (missing,) = [name for name in kernel.arg_names if name not in given]
    dtype = getattr(torch, np.dtype(out.dtype).name)
    given[missing] = result = torch.empty(out.shape, dtype=dtype, device="cuda")
    grid = grid(keywords) if callable(grid) else grid

    def launch() -> Any:
        return kernel[grid](**given)

    return launch, result


def _recorded_call(fn: Any, shapes: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    calls = []

    def record(*operands: Any, **keywords: Any) -> Any:
        calls.append((operands, keywords))
        return keywords["out_type"]

    real = tritonflow.triton_call
    tritonflow.triton_call = record
    try:
        fn(*shapes)
    finally:
        tritonflow.triton_call = real
    (call,) = calls
    return call
