# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Code size, compile time, determinism, other CPUs, and what is refused."""

from __future__ import annotations

import inspect
import time

import ml_dtypes
import numpy as np
import pytest
import triton
import triton.language as tl

from tritonflow.errors import UnsupportedError

from .harness import Launch, compile_text, load, lower, program_text, run, ttir_of


@triton.jit
def softmax(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    a = tl.load(x + row * n + i, mask=i < n, other=-float("inf"))
    e = tl.exp(a - tl.max(a, axis=0))
    tl.store(out + row * n + i, e / tl.sum(e, axis=0), mask=i < n)


@triton.jit
def talkative(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i)
    tl.device_print("value", value)  # the line of the error
    tl.store(out + i, value)


def _softmax(block: int) -> Launch:
    x = np.zeros((2, block), np.float32)
    return Launch(softmax, [x, x.copy(), block - 5], (2,), {"BLOCK": block})


def test_code_does_not_grow_with_the_block() -> None:
    sizes = []
    for block in (1024, 16384):
        start = time.perf_counter()
        sizes.append(len(compile_text(program_text([_softmax(block)]))))
        # The bar is 1.5 s on an idle machine; a test run shares it.
        assert time.perf_counter() - start < 6
    assert sizes[1] < 1.2 * sizes[0]


def test_lowering_is_deterministic_and_has_no_paths() -> None:
    first, second = lower(_softmax(1024)), lower(_softmax(1024))
    assert first == second
    assert "/" not in first
    assert " loc(" not in first


@pytest.mark.parametrize("cpu", ["x86-64-v3", "x86-64-v4", "generic"])
def test_other_cpus(cpu: str) -> None:
    launch = _softmax(1024)
    launch.arguments[0][...] = np.random.default_rng(0).standard_normal((2, 1024))
    expected = launch.arguments[0].reshape(-1)[: 2 * 1019].reshape(2, 1019)
    expected = np.exp(expected - expected.max(1)[:, None])
    expected /= expected.sum(1)[:, None]
    text = program_text([launch], f"cpu:{cpu}")
    functions, _ = load(compile_text(text, [f"--iree-llvmcpu-target-cpu={cpu}"]))
    out = functions.run0(*(a.reshape(-1) for a in launch.arguments[:2]))[1].to_host()
    np.testing.assert_allclose(out[: 2 * 1019].reshape(2, 1019), expected, 1e-5)


@triton.jit
def short_floats(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + i, a * b + (i * 1.0).to(a.dtype))


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_short_floats_on_a_cpu_without_instructions_for_them(dtype: type) -> None:
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal(64).astype(dtype) for _ in range(2))
    launch = Launch(short_floats, [x, y, x.copy()], (1,), {"BLOCK": 64})
    binary = compile_text(
        program_text([launch], "cpu:x86-64-v3"), ["--iree-llvmcpu-target-cpu=x86-64-v3"]
    )
    raw = [each.view(np.int16) for each in launch.arguments]
    out = load(binary)[0].run0(*raw)[2].to_host().view(dtype)
    np.testing.assert_array_equal(out, x * y + np.arange(64).astype(dtype))


def test_unsupported_operation_names_kernel_and_line() -> None:
    x = np.zeros(64, np.float32)
    launch = Launch(talkative, [x, x.copy()], (1,), {"BLOCK": 64})
    with pytest.raises(UnsupportedError) as caught:
        lower(launch)
    message = str(caught.value)
    assert "`talkative`" in message
    assert "`tt.print`" in message
    lines, first = inspect.getsourcelines(talkative.fn)
    line = next(n for n, text in enumerate(lines) if "the line of the error" in text)
    assert f"{__file__}:{first + line}" in message


def test_ttir_without_locations_is_lowered_too() -> None:
    text = ttir_of(_softmax(1024))
    assert "loc(" in text


@triton.jit
def many_blocks(x, out, n, R: tl.constexpr, C: tl.constexpr):
    where = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    total = tl.zeros((R, C), tl.float32)
    a = tl.exp(tl.load(x + where))
    a = tl.exp(a - tl.sum(a, axis=1)[:, None])
    a = tl.exp(a - tl.sum(a, axis=0)[None, :])
    a = tl.exp(a - tl.sum(a, axis=1)[:, None])
    a = tl.exp(a - tl.sum(a, axis=0)[None, :])
    for _ in range(n):
        total += a
    tl.store(out + where, total)


def test_scratch_is_reused() -> None:
    launch = Launch(
        many_blocks,
        [np.zeros(128 * 128, np.float32), np.zeros(128 * 128, np.float32), 2],
        (1,),
        {"R": 128, "C": 128},
    )
    text = lower(launch)
    assert text.count("memref.alloc() : memref<65536xi8") <= 3
    run(launch)
