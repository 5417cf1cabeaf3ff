# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What a program is compiled for: `cpu`, `cpu:znver4`, `cuda:sm_90`, `rocm:gfx942`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from .errors import TargetError

Backend = Literal["cpu", "cuda", "rocm"]

CUDA_CAPABILITIES = (75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121)
"""Compute capabilities that Triton compiles for. Source: CUDA 13 `ptxas --help`."""

ROCM_WARP_SIZES = {
    "gfx90a": 64,
    "gfx942": 64,
    "gfx950": 64,
    "gfx1100": 32,
    "gfx1101": 32,
    "gfx1200": 32,
    "gfx1201": 32,
}
"""Wavefront size by chip. Source: LLVM's AMDGPU usage guide, processors table."""

HOST_CPU = "host"


@dataclass(frozen=True, order=True)
class Target:
    """A device kind and a chip of it.

    Attributes:
        backend: `cpu`, `cuda` or `rocm`.
        chip: `sm_90`, `gfx942`, a CPU name as LLVM spells it, or `host`.
    """

    backend: Backend
    chip: str

    @classmethod
    def parse(cls, text: str | Target) -> Target:
        """Gives the target that `text` names. Raises TargetError on any other text."""
        if isinstance(text, Target):
            return text
        if not isinstance(text, str):
            raise TargetError(
                f"`target`: got {text!r}, expected a text such as cpu or cuda:sm_90."
            )
        backend, _, chip = text.partition(":")
        if backend == "cpu":
            return cls("cpu", _cpu_chip(text, chip))
        if backend == "cuda":
            return cls("cuda", _cuda_chip(text, chip))
        if backend == "rocm":
            return cls("rocm", _rocm_chip(text, chip))
        raise TargetError(
            f"target `{text}`: unknown device kind `{backend}`, "
            "expected cpu, cuda or rocm.",
            hint="examples: cpu, cuda:sm_90, rocm:gfx942",
        )

    @property
    def capability(self) -> int:
        """Compute capability of a CUDA target, as major * 10 + minor: `sm_90` is 90."""
        if self.backend != "cuda":
            raise TargetError(f"target `{self}`: only cuda has a compute capability.")
        return int(self.chip.removeprefix("sm_"))

    @property
    def warp_size(self) -> int:
        """Threads of a warp: 32 on CUDA, 32 or 64 on ROCm, 1 on a CPU."""
        if self.backend == "cuda":
            return 32
        return ROCM_WARP_SIZES[self.chip] if self.backend == "rocm" else 1

    def __str__(self) -> str:
        if self.backend == "cpu" and self.chip == HOST_CPU:
            return "cpu"
        return f"{self.backend}:{self.chip}"


def parse_targets(target: str | Target | Iterable[str | Target]) -> tuple[Target, ...]:
    """Gives the targets of one program: at least one, no repeats, one device kind."""
    if isinstance(target, str | Target) or not isinstance(target, Iterable):
        texts = [target]
    else:
        texts = list(target)
    targets = tuple(Target.parse(text) for text in texts)
    if not targets:
        raise TargetError("`target`: got none, expected at least one.")
    repeated = sorted({str(t) for t in targets if targets.count(t) > 1})
    if repeated:
        raise TargetError(f"`target`: `{repeated[0]}` is named twice.")
    if len({t.backend for t in targets}) > 1:
        raise TargetError(
            f"`target`: got {', '.join(map(str, targets))}, expected one device kind.",
            hint="compile one artifact for each device kind",
        )
    if targets[0].backend == "cpu" and len(targets) > 1:
        raise TargetError(
            f"`target`: got {', '.join(map(str, targets))}, expected one CPU.",
            hint="compile one artifact for each CPU, or name the oldest of them",
        )
    return targets


def _cpu_chip(text: str, chip: str) -> str:
    if not chip:
        if text.endswith(":"):
            raise TargetError(f"target `{text}`: no CPU after the colon.")
        return HOST_CPU
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", chip):
        raise TargetError(f"target `{text}`: `{chip}` is not a CPU name.")
    return chip


def _cuda_chip(text: str, chip: str) -> str:
    known = [f"sm_{capability}" for capability in CUDA_CAPABILITIES]
    if chip not in known:
        raise TargetError(
            f"target `{text}`: {_not_known(chip)}, expected one of {', '.join(known)}.",
            hint="the H100 and H200 are cuda:sm_90, the A100 is cuda:sm_80",
        )
    return chip


def _not_known(chip: str) -> str:
    return f"unknown chip `{chip}`" if chip else "it names no chip"


def _rocm_chip(text: str, chip: str) -> str:
    if chip not in ROCM_WARP_SIZES:
        raise TargetError(
            f"target `{text}`: {_not_known(chip)}, expected one of "
            f"{', '.join(ROCM_WARP_SIZES)}.",
            hint="the MI300X is rocm:gfx942",
        )
    return chip
