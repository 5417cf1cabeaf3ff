# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What cannot be compiled or launched is refused, with line and reason."""

from __future__ import annotations

from pathlib import Path

import pytest
import triton
import triton.language as tl
from tests.unit.compiler.kernels import (
    MATMUL,
    XY,
    compiled,
    constant_memory,
    dependent,
    matmul,
)

from tritonflow.errors import KernelCompileError, UnsupportedError
from tritonflow.kernel.signature import ScalarArgument


@pytest.mark.parametrize(
    ("option", "value", "target"),
    [
        ("num_ctas", 2, "cuda:sm_90"),
        ("launch_cooperative_grid", True, "cuda:sm_90"),
        ("launch_cooperative_grid", True, "cpu"),
        ("launch_pdl", True, "cuda:sm_90"),
        ("waves_per_eu", 2, "cuda:sm_90"),
        ("maxnreg", 64, "rocm:gfx942"),
    ],
)
def test_options_that_a_dispatch_cannot_carry(option, value, target, tmp_path):
    message = rf"kernel `constant_memory` for {target}: option `{option}={value}`"
    with pytest.raises(UnsupportedError, match=message):
        compiled(constant_memory, XY, target, tmp_path, N=64, **{option: value})


@pytest.mark.parametrize(
    ("options", "target", "message"),
    [
        (
            {"num_stages": 8},
            "cuda:sm_86",
            "bytes of shared memory, the chip has 101376",
        ),
        (
            {"num_stages": 9},
            "cuda:sm_90",
            "bytes of shared memory, the chip has 232448",
        ),
        ({"num_warps": 64}, "cuda:sm_90", "a program has 2048 threads"),
        ({"num_warps": 3}, "cuda:sm_90", "num_warps must be a power of 2"),
    ],
)
@pytest.mark.slow
def test_what_no_launch_could_have_is_an_error(options, target, message, tmp_path):
    arguments = {**MATMUL, "n": ScalarArgument(2048)}
    with pytest.raises(KernelCompileError, match=message):
        compiled(matmul, arguments, target, tmp_path, N=128, **options)


@triton.jit
def helper(x, N: tl.constexpr):
    return tl.load(x + tl.arange(0, N))


@triton.jit
def wrong_in_callee(x, y, n, N: tl.constexpr):
    v = helper(x, N + 1)
    tl.store(y, v)


@triton.jit
def wrong_name(x, y, n, N: tl.constexpr):
    o = tl.arange(0, N)
    tl.store(y + o, absent)  # noqa: F821


@triton.jit
def wrong_types(x, y, n, N: tl.constexpr):
    tl.static_assert(N == 0, "blocks of nothing only")


def line_of(text: str) -> int:
    lines = Path(__file__).read_text().split("\n")
    return next(i for i, line in enumerate(lines, 1) if text in line)


@pytest.mark.parametrize(
    ("function", "line", "reason"),
    [
        (wrong_in_callee, "v = helper(x, N + 1)", "power of 2"),
        (wrong_name, "tl.store(y + o, absent)", "absent is not defined"),
        (wrong_types, "tl.static_assert(N == 0", "blocks of nothing only"),
    ],
)
def test_a_refused_kernel_names_line_and_reason(function, line, reason, tmp_path):
    with pytest.raises(KernelCompileError) as caught:
        compiled(function, XY, "cuda:sm_80", tmp_path, N=64)
    text = str(caught.value)
    assert f"at {__file__}:{line_of(line)}" in text
    assert reason in text
    assert "Traceback" not in text
    assert len(text) < 600


@triton.jit
def wants_too_much(x, y, n, N: tl.constexpr):
    tl.extra.cuda.gdc_wait()
    tl.store(y, tl.load(x))


def test_a_pass_that_fails_names_line_and_reason(tmp_path, capfd):
    with pytest.raises(KernelCompileError) as caught:
        compiled(wants_too_much, XY, "rocm:gfx942", tmp_path, N=64)
    text = str(caught.value)
    line = line_of("tl.extra.cuda.gdc_wait()")
    if "tt.grid_dependency_wait" not in text:
        # Until Triton 3.8 it is NVIDIA's assembly, which AMD's assembler meets: that
        # knows no line, so the kernel's own is named.
        assert "invalid instruction" in text
        line -= 1
    assert f"at {__file__}:{line}" in text
    assert capfd.readouterr().err == ""


def test_an_assembler_that_refuses_is_named(tmp_path):
    with pytest.raises(KernelCompileError, match=r"ptxas refuses its code.*sm_90"):
        compiled(dependent, XY, "cuda:sm_80", tmp_path, N=64)
