# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""MLIR that IREE understands to the bytes of an artifact, in this process."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..passes.assign_device import iree_flags
from ..target import Target
from . import consumed
from .artifact import seal
from .invocation import Compilation
from .own_dispatches import TRANSLATED, assemble_own_dispatches

_FLAGS = (
    # Positions in generated text help nobody and would make equal programs differ.
    "--iree-vm-bytecode-module-strip-source-map=true",
    "--iree-llvmcpu-debug-symbols=false",
    # What depends on constants alone is computed when the program is loaded. IREE would
    # do it while compiling, on this machine, which cannot run a GPU's kernels.
    "--iree-opt-const-eval=false",
)

_CPU_FEATURES = re.compile(rb'cpu_features = "([^"]*)"')
_LOCAL_MEMORY = re.compile(rb"workgroup_local_memory = (\d+)")
_TRIPLE = re.compile(rb'llvm\.target_triple = "(\w+)-')


def build_artifact(
    text: str, targets: Sequence[Target], *, dump_phases_to: Path | None = None
) -> bytes:
    """Gives the artifact of the module `text`, as `lower_program` wrote it.

    Args:
        targets: of one device kind.
        dump_phases_to: folder for IREE's IR after each phase.

    Raises: ToolError: with IREE's diagnostics; TargetError: IREE has no such chip.
    """
    flags = [*_FLAGS, *iree_flags(tuple(targets))]
    with Compilation(text, flags, dump_phases_to=dump_phases_to) as compilation:
        compilation.run_to(consumed.PHASE)
        note = {"consumed_inputs": consumed.consumed_arguments(compilation.ir())}
        compilation.run_to(TRANSLATED)
        translated = compilation.ir()
        if targets[0].backend == "cpu":
            note |= _needs(translated)
        if targets[0].backend != "cuda":
            compilation.run_to("end")
            return seal(compilation.bytecode(), note)
    # It loads Triton, which a program for a CPU may do without.
    from ..compiler.nvidia import assemble_for_old_drivers

    linked = assemble_own_dispatches(
        translated.decode(), flags, targets, assemble_for_old_drivers
    )
    # The phases after this one are dumped apart: they belong to another module.
    later = dump_phases_to / "assembled" if dump_phases_to else None
    with Compilation(
        linked, flags, start=TRANSLATED, dump_phases_to=later
    ) as compilation:
        compilation.run_to("end")
        return seal(compilation.bytecode(), note)


def _needs(translated: bytes) -> dict[str, Any]:
    """What the machine code needs of a CPU, which is known only once it is made."""
    features = _CPU_FEATURES.search(translated)
    listed = features[1].decode().split(",") if features else []
    triple = _TRIPLE.search(translated)
    needed = max(map(int, _LOCAL_MEMORY.findall(translated)), default=0)
    return {
        "architecture": triple[1].decode() if triple else "",
        "cpu_features": sorted({name[1:] for name in listed if name[:1] == "+"}),
        "local_memory_bytes": needed,
    }
