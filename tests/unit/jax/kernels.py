# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The kernel that most tests of calls use, and its operands."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import triton
import triton.language as tl

F32 = jax.ShapeDtypeStruct((37,), jnp.float32)
VECTOR = jnp.arange(37, dtype=jnp.float32)


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr = 64):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.load(x_ptr + index, index < n) + tl.load(y_ptr + index, index < n)
    tl.store(out_ptr + index, total, index < n)
