# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""A kernel that copies, and the call of it that most tests here vary."""

from __future__ import annotations

from typing import Any

import jax
import triton
import triton.language as tl

import tritonflow


@triton.jit
def copy_kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, i < n), i < n)


def copy(x: Any, **changed: Any) -> Any:
    """`x`, copied by a kernel; `changed` replaces arguments of the call."""
    call = {
        "n": x.size,
        "kernel": copy_kernel,
        "out_type": jax.ShapeDtypeStruct(x.shape, x.dtype),
        "grid": (triton.cdiv(x.size, 64),),
        "BLOCK": 64,
        **changed,
    }
    return tritonflow.triton_call(x, **call)
