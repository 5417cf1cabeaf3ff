# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Machine code for AMD GPUs."""

from __future__ import annotations

from ..kernel.specialization import Specialization
from ..target import Target
from .triton_api import TritonCompiler


def machine_code(
    compiler: TritonCompiler, llvm_ir: str, spec: Specialization, target: Target
) -> tuple[bytes, str]:
    """Gives the hsaco of one kernel, and no PTX."""
    return compiler.run("hsaco", compiler.run("amdgcn", llvm_ir)), ""
