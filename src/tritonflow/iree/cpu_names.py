# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Names of CPUs, asked of IREE's compiler where a wrong one would end the process."""

from __future__ import annotations

import functools
import subprocess

from iree.compiler.tools.binaries import find_tool

from ..cpu.features import NAMED_CPUS
from ..errors import TargetError
from ..target import HOST_CPU, Target

_PROBE = (
    "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }"
)
_REFUSALS = ("Unknown CPU", "not a recognized processor", "LLVM ERROR")


def check_cpu(target: Target) -> None:
    """Checks that LLVM knows the CPU of a `cpu` target.

    Raises: TargetError: it does not.
    """
    if target.chip == HOST_CPU or target.chip in NAMED_CPUS:
        return
    refusal = _refusal(target.chip)
    if refusal:
        raise TargetError(
            f"target `{target}`: LLVM knows no CPU `{target.chip}`: {refusal}",
            hint="examples: cpu, cpu:znver4, cpu:x86-64-v3, cpu:sapphirerapids",
        )


@functools.cache
def _refusal(chip: str) -> str:
    """Gives what IREE says of a name that it does not know; empty if it knows it."""
    command = [
        find_tool("iree-compile"),
        "-",
        "-o",
        "-",
        "--iree-hal-target-device=local",
        "--iree-hal-local-target-device-backends=llvm-cpu",
        f"--iree-llvmcpu-target-cpu={chip}",
    ]
    done = subprocess.run(
        command, input=_PROBE.encode(), capture_output=True, check=False
    )
    words = done.stderr.decode(errors="replace").strip()
    refused = done.returncode != 0 or any(word in words for word in _REFUSALS)
    return words.splitlines()[0] if refused and words else "refused" * refused
