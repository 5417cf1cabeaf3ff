# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What a CPU can do, as far as the form of the code depends on it."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..target import HOST_CPU, Target

_AVX512 = frozenset({"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx2", "fma"})
_AVX512_BF16 = _AVX512 | {"avx512bf16", "avx512vnni"}
_AVX2 = frozenset({"avx2", "fma"})

NAMED_CPUS: dict[str, frozenset[str]] = {
    "x86-64": frozenset(),
    "x86-64-v2": frozenset(),
    "x86-64-v3": _AVX2,
    "x86-64-v4": _AVX512,
    "haswell": _AVX2,
    "broadwell": _AVX2,
    "skylake": _AVX2,
    "alderlake": _AVX2,
    "znver1": _AVX2,
    "znver2": _AVX2,
    "znver3": _AVX2,
    "znver4": _AVX512_BF16,
    "znver5": _AVX512_BF16,
    "skylake-avx512": _AVX512,
    "cascadelake": _AVX512 | {"avx512vnni"},
    "icelake-server": _AVX512 | {"avx512vnni"},
    "cooperlake": _AVX512_BF16,
    "sapphirerapids": _AVX512_BF16,
    "graniterapids": _AVX512_BF16,
}
"""Features of CPUs by LLVM's name for them. Source: LLVM's X86TargetParser."""


@dataclass(frozen=True)
class CpuFeatures:
    """What the lowering needs to know of a CPU.

    Attributes:
        vector_bits: width of a vector register.
        flags: names of features as LLVM spells them: `avx512f`, `avx512bf16`, `avx2`.
    """

    vector_bits: int
    flags: frozenset[str] = frozenset()

    @property
    def strip_lanes(self) -> int:
        """Lanes of a strip: four registers of 32-bit elements."""
        return 4 * self.vector_bits // 32

    @property
    def vector_registers(self) -> int:
        """Number of vector registers."""
        return 32 if self.has("avx512f") else 16

    def has(self, feature: str, /) -> bool:
        """Whether the CPU has LLVM's feature of that name."""
        return feature in self.flags


def features_of(target: Target) -> CpuFeatures:
    """Gives the features of a CPU target; an unknown name gets those of a baseline."""
    if target.chip == HOST_CPU:
        return host_features()
    return _from_flags(NAMED_CPUS.get(target.chip, frozenset()))


@cache
def host_features() -> CpuFeatures:
    """Gives the features of the CPU that this process runs on."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return _from_flags(frozenset())
    return _from_flags(_host_flags())


def _host_flags() -> frozenset[str]:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return frozenset()
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "flags":
            # LLVM writes no underscores after `avx512`.
            return frozenset(each.replace("_", "") for each in value.split())
    return frozenset()


def _from_flags(flags: frozenset[str]) -> CpuFeatures:
    if "avx512f" in flags:
        return CpuFeatures(512, flags)
    return CpuFeatures(256 if "avx2" in flags else 128, flags)
