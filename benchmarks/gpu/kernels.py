# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""One kernel's time inside a program, beside XLA and beside Triton's own launcher."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import flash_attention as fa
import jax
import layer_norm as ln
import matmul as mm
import numpy as np
import softmax as sm
from timing import medians_ms

from . import device

CALLS = 21
"""Calls in the longer program. A program of one call is subtracted, so that the cost of
a call from Python and of its result drops out."""


def measure(rounds: int) -> list[dict[str, Any]]:
    """Gives for each kernel the time of one call in the middle of a program."""
    return [_row(name, *case, rounds=rounds) for name, case in _cases().items()]


def _cases() -> dict[str, tuple[Any, Any, tuple[np.ndarray, ...]]]:
    """Gives functions whose result can be their first argument again."""
    rng = np.random.default_rng(0)

    def normal(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape, np.float32).astype(np.float16)

    rows, columns, size = 16384, 4096, 4096
    product = partial(mm.matmul, tile=mm.Tile(128, 256, 64, num_warps=8, num_stages=4))
    attention = partial(
        fa.flash_attention, tile=fa.Tile(128, 64, num_warps=8, num_stages=3)
    )
    q = normal(4, 2048, 16, 64)
    scale, shift = normal(columns), normal(columns)
    return {
        f"softmax {rows}x{columns} f16": (
            sm.softmax, jax.nn.softmax, (normal(rows, columns),),
        ),
        f"layer norm {rows}x{columns} f16": (
            ln.layer_norm, ln.layer_norm_reference,
            (normal(rows, columns), scale, shift),
        ),
        "attention 4x2048x16x64 f16": (
            attention, jax.nn.dot_product_attention, (q, q, q),
        ),
        f"matmul {size}³ f16": (
            product, lambda a, b: a @ b,
            (normal(size, size), normal(size, size) / 64),
        ),
    }  # fmt: skip


def _row(
    name: str, fn: Any, plain: Any, inputs: tuple[np.ndarray, ...], *, rounds: int
) -> dict[str, Any]:
    ours, ours_result = _in_program(fn, inputs, rounds)
    xla, expected = _in_xla(plain, inputs, rounds)
    launcher, launched = _launched(fn, inputs, rounds)
    difference = np.max(np.abs(ours_result - expected)) / np.max(np.abs(expected))
    return {
        "kernel": name,
        "in the artifact": round(ours, 1),
        "XLA": round(xla, 1),
        "Triton's launcher": round(launcher, 1),
        "artifact / XLA": round(ours / xla, 3),
        "artifact / launcher": round(ours / launcher, 3),
        "difference": float(difference),
        "as launched": bool(np.array_equal(ours_result, launched)),
        "passed": bool(difference < 1e-2),
    }


def _repeated(fn: Any, count: int) -> Callable[..., Any]:
    def program(x: Any, *others: Any) -> Any:
        for _ in range(count):
            x = fn(x, *others)
        return x

    return program


def _in_program(fn: Any, inputs: Any, rounds: int) -> tuple[float, np.ndarray]:
    programs = {}
    with tempfile.TemporaryDirectory() as folder:
        for count in (1, CALLS):
            programs[count] = device.compile_and_load(
                _repeated(fn, count), inputs, Path(folder, "k.vmfb"), device.target()
            )
    on_device = jax.device_put(inputs)
    times = medians_ms(
        {str(n): partial(program, *on_device) for n, program in programs.items()},
        rounds=rounds,
    )
    return _slope_us(times), np.asarray(programs[1](*inputs)).astype(np.float64)


def _in_xla(fn: Any, inputs: Any, rounds: int) -> tuple[float, np.ndarray]:
    on_device = jax.device_put(inputs)
    programs = {count: jax.jit(_repeated(fn, count)) for count in (1, CALLS)}
    times = medians_ms(
        {
            str(n): lambda jitted=jitted: jitted(*on_device).block_until_ready()
            for n, jitted in programs.items()
        },
        rounds=rounds,
    )
    return _slope_us(times), np.asarray(programs[1](*on_device)).astype(np.float64)


def _slope_us(times_ms: dict[str, float]) -> float:
    return (times_ms[str(CALLS)] - times_ms["1"]) / (CALLS - 1) * 1e3


def _launched(fn: Any, inputs: Any, rounds: int) -> tuple[float, np.ndarray]:
    import torch

    launch, result = device.triton_launch(fn, inputs)
    launch()
    samples = []
    for _ in range(rounds):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(CALLS):
            launch()
        end.record()
        end.synchronize()
        samples.append(start.elapsed_time(end) / CALLS * 1e3)
    return statistics.median(samples), result.cpu().numpy().astype(np.float64)
