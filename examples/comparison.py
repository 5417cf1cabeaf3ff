# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Compiles an example for the CPU, runs it, and compares it with plain JAX."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from rich.console import Console

import tritonflow


def check(
    function: Callable[..., Any],
    reference: Callable[..., Any],
    *arguments: np.ndarray,
    tolerance: float,
    target: str = "cpu",
) -> None:
    """Prints how far `function`, compiled by tritonflow, is from `reference`.

    Args:
        function: takes and gives arrays; holds the `triton_call`s.
        reference: the same in `jax.numpy`.
        tolerance: the largest absolute difference that passes.

    Raises:
        SystemExit: the difference is larger, or not a number.
    """
    started = time.perf_counter()
    program = tritonflow.compile(function, *arguments, target=target)
    compile_s = time.perf_counter() - started
    found = np.asarray(program(*arguments)).astype(np.float64)
    expected = np.asarray(jax.jit(reference)(*arguments)).astype(np.float64)
    difference = float(np.max(np.abs(found - expected), initial=0.0))
    shapes = ", ".join(f"{a.dtype}{list(a.shape)}" for a in arguments)
    name = getattr(function, "__name__", "program")
    passed = difference <= tolerance
    Console(highlight=False, markup=False).print(
        f"{name} of {shapes} for {target}: compiled in {compile_s:.2f} s, max abs "
        f"difference from plain JAX {difference:.1e} (allowed {tolerance:.0e}): "
        f"{'passed' if passed else 'FAILED'}"
    )
    if not passed:
        raise SystemExit(1)
