# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a device can run an artifact's code, found out before it tries."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import TargetError
from ..target import Target
from .devices import Device
from .manifest import Manifest

# LLVM's names of what changes the code that it makes, and Linux's. The other features
# of a CPU are instructions that no kernel asks for.
_X86_FEATURES = {
    "sse3": "pni",
    "ssse3": "ssse3",
    "sse4.1": "sse4_1",
    "sse4.2": "sse4_2",
    "popcnt": "popcnt",
    "lzcnt": "abm",
    "movbe": "movbe",
    "bmi": "bmi1",
    "bmi2": "bmi2",
    "adx": "adx",
    "aes": "aes",
    "pclmul": "pclmulqdq",
    "f16c": "f16c",
    "fma": "fma",
    "avx": "avx",
    "avx2": "avx2",
    "avxvnni": "avx_vnni",
    "gfni": "gfni",
    "vaes": "vaes",
    "vpclmulqdq": "vpclmulqdq",
    "avx512f": "avx512f",
    "avx512cd": "avx512cd",
    "avx512bw": "avx512bw",
    "avx512dq": "avx512dq",
    "avx512vl": "avx512vl",
    "avx512ifma": "avx512ifma",
    "avx512vbmi": "avx512vbmi",
    "avx512vbmi2": "avx512_vbmi2",
    "avx512vnni": "avx512_vnni",
    "avx512bitalg": "avx512_bitalg",
    "avx512vpopcntdq": "avx512_vpopcntdq",
    "avx512bf16": "avx512_bf16",
    "avx512fp16": "avx512_fp16",
    "amx-tile": "amx_tile",
    "amx-int8": "amx_int8",
    "amx-bf16": "amx_bf16",
}


def default_device(targets: Sequence[str]) -> str:
    """Gives the name of the device that code for `targets` runs on."""
    backend = Target.parse(targets[0]).backend
    return "hip" if backend == "rocm" else backend


def check_fit(
    manifest: Manifest, note: Mapping[str, Any], device: Device, subject: str
) -> None:
    """Checks that `device` can run the artifact.

    Raises: TargetError: another kind of device, a chip that no code in it is for, or a
        CPU that lacks what the code was compiled for.
    """
    targets = [Target.parse(target) for target in manifest.targets]
    if targets[0].backend != device.backend:
        raise TargetError(
            f"`{subject}`: compiled for {', '.join(manifest.targets)}, cannot run on "
            f"{device.name}.",
            hint=f"load it with device={default_device(manifest.targets)!r}",
        )
    if device.kind == "cpu":
        _check_cpu(note, subject)
    elif device.cuda is not None:
        capability = device.cuda.compute_capability
        if not runs_on(targets, capability, has_ptx=_has_ptx(manifest)):
            raise TargetError(
                f"`{subject}`: compiled for {', '.join(map(str, targets))}, cannot run "
                f"on sm_{capability}, the chip of this device.",
                hint=f"compile it with target 'cuda:sm_{capability}' too",
            )


def _check_cpu(note: Mapping[str, Any], subject: str) -> None:
    architecture, needed = note.get("architecture", ""), note.get("cpu_features", [])
    machine = {"AMD64": "x86_64", "arm64": "aarch64"}.get(
        platform.machine(), platform.machine()
    )
    if architecture and architecture != machine:
        raise TargetError(
            f"`{subject}`: compiled for {architecture}, cannot run on {machine}."
        )
    present = _linux_flags()
    if not present or machine != "x86_64":
        return  # The machine does not say what it has.
    absent = [
        name
        for name in needed
        if name in _X86_FEATURES and _X86_FEATURES[name] not in present
    ]
    if absent:
        raise TargetError(
            f"`{subject}`: this CPU lacks {', '.join(absent)}, which the code uses.",
            hint="compile it with target 'cpu' on this machine, or for an older CPU",
        )


def _linux_flags() -> set[str]:
    """Features of this machine's CPU as Linux names them; empty if it does not say."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return set()
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "flags":
            return set(value.split())
    return set()


def _has_ptx(manifest: Manifest) -> bool:
    """Whether each kernel has PTX for later chips; IREE's own dispatches have it."""
    oldest = min(Target.parse(target) for target in manifest.targets)
    return all(
        kernel["targets"][str(oldest)].get("has_ptx") for kernel in manifest.kernels
    )


def runs_on(targets: Sequence[Target], capability: int, *, has_ptx: bool) -> bool:
    """Whether a CUDA chip has machine code, or PTX that its driver can assemble.

    Machine code runs on chips of the same major number and no lower minor one, PTX of
    the oldest target on that and all later chips.
    """
    if any(
        target.capability // 10 == capability // 10 and target.capability <= capability
        for target in targets
    ):
        return True
    return has_ptx and min(target.capability for target in targets) <= capability
