# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""PTX and machine code for NVIDIA GPUs, with the tools that Triton brings."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from triton import knobs
from triton.backends.nvidia.compiler import get_ptxas, sm_arch_from_capability

from ..errors import KernelCompileError, SourceLocation, ToolError
from ..target import Target

_FIRST_ISA = {86: 71, 87: 74, 88: 90, 89: 78, 90: 80, 100: 86, 103: 88, 110: 90}
_FIRST_ISA |= {120: 87, 121: 88}
"""The first PTX ISA that knows a chip. Source: PTX ISA manual, table of releases."""

_OLDEST_DRIVERS_ISA = 80
"""What the drivers of CUDA 12.0, of December 2022, read."""

_VERSION = re.compile(r"^\.version .*$", re.MULTILINE)


_ISA_STEPS = (80, 83, 86, 88, 90)
"""ISA versions that brought instructions which Triton uses."""


def ptx_versions(capability: int) -> list[int]:
    """Gives the ISA versions to try for PTX that old drivers are to read, in order."""
    first = default_ptx_version(capability)
    return [first, *(version for version in _ISA_STEPS if version > first)]


def default_ptx_version(capability: int) -> int:
    """Gives the ISA, as major * 10 + minor, for PTX that old drivers are to read."""
    return max(_OLDEST_DRIVERS_ISA, _FIRST_ISA.get(capability, _OLDEST_DRIVERS_ISA))


_ONLY_SM_90A = re.compile(r"\b(?:wgmma|setmaxnreg|tensormap\.replace)\.")
"""Instructions of the chip's own. Source: PTX ISA manual, target notes of each."""


def for_later_chips(ptx: str) -> str:
    """Gives PTX that chips after its own run too, if its instructions allow that.

    `sm_90a` runs on no other chip; `sm_90` runs on all that follow.
    """
    if _ONLY_SM_90A.search(ptx):
        return ptx
    return ptx.replace(".target sm_90a", ".target sm_90")


def ptxas_version() -> str:
    """Gives the version of the assembler for most chips, such as `13.0`."""
    return knobs.nvidia.ptxas.version


def is_same_code(ptx: str, other: str) -> bool:
    """Whether two texts differ in nothing but the ISA version that they ask for."""
    return _VERSION.sub("", ptx) == _VERSION.sub("", other)


def assemble(
    ptx: str,
    target: Target,
    *,
    name: str,
    at: SourceLocation | None = None,
    enable_fp_fusion: bool = True,
    ptx_options: str | None = None,
) -> bytes:
    """Gives the cubin of PTX text for one chip.

    Args:
        ptx: text with one kernel.
        target: the chip.
        name: the kernel's, for errors.
        at: where it is defined, for errors.
        enable_fp_fusion: a multiplication and an addition may become one operation.
        ptx_options: further options of the assembler, separated by spaces.

    Raises:
        KernelCompileError: if the assembler refuses the text.
        ToolError: if it cannot be run.
    """
    tool = get_ptxas(target.capability)
    flags = _flags(tool.version, enable_fp_fusion, ptx_options)
    chip = sm_arch_from_capability(target.capability)
    try:
        return _run(tool.path, flags, chip, ptx)
    except _RefusedError as refusal:
        raise KernelCompileError(
            f"kernel `{name}` for {target}: ptxas refuses its code: {refusal}", at=at
        ) from refusal


def assemble_for_old_drivers(ptx: str, target: Target) -> bytes:
    """Gives the cubin of PTX text that IREE wrote, for one chip.

    Of Triton's two assemblers the older one is taken where it knows the chip: its
    machine code loads on drivers of CUDA 12 too.

    Raises: ToolError: if the assembler refuses the text, with its words, or cannot be
        run.
    """
    older, newer = knobs.nvidia.ptxas, knobs.nvidia.ptxas_blackwell
    try:
        try:
            return _run(older.path, [], target.chip, ptx)
        except _RefusedError as refusal:
            if "gpu-name" not in str(refusal):
                raise
        return _run(newer.path, [], target.chip, ptx)
    except _RefusedError as refusal:
        raise ToolError(
            f"ptxas refuses PTX from IREE for {target.chip}: {refusal}"
        ) from refusal


def _flags(version: str, enable_fp_fusion: bool, options: str | None) -> list[str]:
    """Gives what Triton itself passes, so that the code is as good as its own."""
    flags = [] if enable_fp_fusion else ["--fmad=false"]
    if int(version.partition(".")[0]) >= 13:
        flags.append("--regAllocOptLevel=2")
    return flags + (options.split() if options else [])


class _RefusedError(Exception):
    """The assembler's own words on a text that it does not take."""


def _run(tool: str, flags: Sequence[str], chip: str, ptx: str) -> bytes:
    with tempfile.TemporaryDirectory(prefix="tritonflow-") as folder:
        # The same file names everywhere: nothing of a machine gets into the binary.
        Path(folder, "kernel.ptx").write_text(ptx)
        files = ["kernel.ptx", "--output-file=kernel.cubin"]
        command = [tool, *flags, f"--gpu-name={chip}", *files]
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, check=False
            )
        except OSError as error:
            raise ToolError(f"assembler `{tool}` cannot be run: {error}") from error
        if done.returncode != 0:
            reasons = (done.stderr or done.stdout).strip().splitlines()
            raise _RefusedError(
                f"{'; '.join(reasons[:5])} (exit status {done.returncode})"
            )
        return Path(folder, "kernel.cubin").read_bytes()
