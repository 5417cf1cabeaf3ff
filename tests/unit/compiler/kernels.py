# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels that several tests compile, and how they do it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import triton
import triton.language as tl

from tritonflow.compiler.cache import KernelCache
from tritonflow.compiler.compile import compile_kernel
from tritonflow.kernel.kernel import Kernel
from tritonflow.kernel.signature import ArrayArgument, ScalarArgument, specialize
from tritonflow.target import Target

F32 = ArrayArgument("float32", (64,))


def compiled(function: Any, arguments: Any, target: str, root: Path, **options: Any):
    """`function` compiled for one target; `options` are constexprs and options."""
    names = Kernel.of(function).by_name
    constants = {k: options.pop(k) for k in list(options) if k in names}
    spec = specialize(Kernel.of(function), arguments, constants, options)
    return compile_kernel(spec, Target.parse(target), cache=KernelCache(root))


@triton.jit
def matmul(a, b, c, n, N: tl.constexpr):
    i = tl.arange(0, N)
    total = tl.zeros((N, N), tl.float32)
    p = a + i[:, None] * n + i[None, :]
    q = b + i[:, None] * n + i[None, :]
    for _ in range(0, n, N):
        total += tl.dot(tl.load(p), tl.load(q))
        p += N
        q += N * n
    tl.store(c + i[:, None] * N + i[None, :], total)


HALF = ArrayArgument("float16", (64, 64))
MATMUL = {"a": HALF, "b": HALF, "c": F32, "n": ScalarArgument(256)}


@triton.jit
def constant_memory(x: tl.const, y, n, N: tl.constexpr):
    o = tl.arange(0, N)
    tl.store(y + o, tl.load(x + o, o < n), o < n)


@triton.jit
def dependent(x, y, n, N: tl.constexpr):
    o = tl.arange(0, N)
    tl.extra.cuda.gdc_wait()
    tl.store(y + o, tl.load(x + o, o < n), o < n)
    tl.extra.cuda.gdc_launch_dependents()


XY = {"x": F32, "y": F32, "n": ScalarArgument(61)}
