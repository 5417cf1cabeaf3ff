# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels that come as files of Triton IR."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import triton
import triton.language as tl

from tritonflow.compiler.cache import KernelCache
from tritonflow.compiler.compile import compile_kernel
from tritonflow.compiler.triton_api import TritonCompiler, compiling_for
from tritonflow.errors import KernelCompileError
from tritonflow.kernel.kernel import Kernel
from tritonflow.kernel.signature import (
    ArrayArgument,
    ScalarArgument,
    Specialization,
    specialize,
)
from tritonflow.target import Target


@triton.jit(noinline=True)
def put(p, o, v):
    tl.store(p + o, v)


@triton.jit
def shift(x, n, y, s, N: tl.constexpr):
    if tl.program_id(0) > n:
        return
    o = tl.arange(0, N)
    put(y, n, 1.0)
    tl.store(y + o, tl.load(x + o, o < n, cache_modifier=".cg") + s, o < n)


X = ArrayArgument("float32", (64,))
ARGUMENTS = {
    "x": X,
    "n": ScalarArgument(60),
    "y": X,
    "s": ScalarArgument(2.0, "float64"),
}


def ttir_of(spec: Specialization, target: Target) -> str:
    with compiling_for(target):
        compiler = TritonCompiler(target, spec.options)
        return str(compiler.run("ttir", compiler.module_of(spec)))


@pytest.mark.parametrize("text", ["cuda:sm_80", "cuda:sm_90", "rocm:gfx942", "cpu"])
def test_a_file_compiles_to_the_same_as_its_source(text, tmp_path):
    target = Target.parse(text)
    cache = KernelCache(tmp_path / "cache")
    original = specialize(Kernel.of(shift), ARGUMENTS, {"N": 64}, {})
    path = tmp_path / "shift.ttir"
    path.write_text(ttir_of(original, target))
    spec = specialize(Kernel.of(path), ARGUMENTS, {}, {})
    kernel = compile_kernel(spec, target, cache=cache)
    wanted = compile_kernel(original, target, cache=cache)
    assert [(p.name, p.type, p.effect) for p in kernel.parameters] == [
        (p.name, p.type, p.effect) for p in wanted.parameters
    ]
    assert kernel.abi == wanted.abi
    assert instructions(kernel.ptx) == instructions(wanted.ptx)
    # The file's own locations lead to the source.
    assert Path(__file__).name in (kernel.parameters[2].written_at or "")


def instructions(ptx: str) -> list[str]:
    return re.findall(r"^\t(?:@!?%p\d+ )?([a-z][\w.:]*)", ptx, re.MULTILINE)


def test_a_file_that_is_not_triton_ir_is_a_clear_error(tmp_path):
    path = tmp_path / "bad.ttir"
    path.write_text(
        "module {\n  tt.func public @k(%x: i32) {\n    tt.nothing\n  }\n}\n"
    )
    spec = specialize(Kernel.of(path), {"x": ScalarArgument(1)}, {}, {})
    with pytest.raises(KernelCompileError) as caught:
        compile_kernel(spec, Target.parse("cpu"), cache=KernelCache(tmp_path))
    text = str(caught.value)
    assert "tt.nothing" in text
    assert f"{path}:2" in text
