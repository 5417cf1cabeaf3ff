# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What a workgroup may take of its chip; a launch that takes more fails at run time."""

from __future__ import annotations

from ..errors import KernelCompileError
from ..kernel.specialization import Specialization
from ..target import Target

MAX_THREADS = 1024

_KIB = 1024
_SHARED_BYTES = {
    "sm_75": 64 * _KIB,
    "sm_80": 163 * _KIB,
    "sm_86": 99 * _KIB,
    "sm_87": 163 * _KIB,
    "sm_88": 163 * _KIB,
    "sm_89": 99 * _KIB,
    "sm_90": 227 * _KIB,
    "sm_100": 227 * _KIB,
    "sm_103": 227 * _KIB,
    "sm_110": 227 * _KIB,
    "sm_120": 99 * _KIB,
    "sm_121": 99 * _KIB,
    "gfx950": 160 * _KIB,
}
"""Most shared memory of a workgroup. Source: CUDA C++ programming guide, table of
technical specifications per compute capability; AMD's CDNA 4 ISA guide."""

_AMD_SHARED_BYTES = 64 * _KIB


def shared_memory_limit(target: Target) -> int:
    """Gives the bytes of shared memory that one workgroup can have."""
    return _SHARED_BYTES.get(target.chip, _AMD_SHARED_BYTES)


def check_limits(
    spec: Specialization, target: Target, *, threads: int, shared_bytes: int
) -> None:
    """Raises KernelCompileError if no launch of the kernel can succeed on the chip."""
    if threads > MAX_THREADS:
        raise KernelCompileError(
            f"kernel `{spec.name}` for {target}: a program has {threads} threads, the "
            f"most is {MAX_THREADS}.",
            at=spec.kernel.location,
            hint="lower num_warps",
        )
    limit = shared_memory_limit(target)
    if shared_bytes > limit:
        raise KernelCompileError(
            f"kernel `{spec.name}` for {target}: it needs {shared_bytes} bytes of "
            f"shared memory, the chip has {limit}.",
            at=spec.kernel.location,
            hint="lower num_stages or the block sizes",
        )
