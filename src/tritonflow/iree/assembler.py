# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""PTX that IREE wrote to machine code, by the assembler that Triton brings."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from ..errors import ToolError
from ..target import Target


def assemble(ptx: str, target: Target) -> bytes:
    """Gives the cubin of a PTX text for the chip `target`.

    Of Triton's two assemblers the older one is taken where it knows the chip: its
    machine code loads on drivers of CUDA 12 too.

    Raises: ToolError: the assembler refuses the text; the message holds its words.
    """
    from triton import knobs

    older, newer = knobs.nvidia.ptxas, knobs.nvidia.ptxas_blackwell
    try:
        return _run(older.path, ptx, target)
    except ToolError as error:
        if "gpu-name" not in error.message:
            raise
    return _run(newer.path, ptx, target)


def _run(tool: str, ptx: str, target: Target) -> bytes:
    with tempfile.TemporaryDirectory(prefix="tritonflow-") as folder:
        source, result = Path(folder, "code.ptx"), Path(folder, "code.cubin")
        source.write_text(ptx)
        command = [tool, f"--gpu-name={target.chip}", str(source), "-o", str(result)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            words = (done.stderr or done.stdout).strip()[:2000]
            raise ToolError(f"ptxas refuses PTX from IREE for {target.chip}: {words}")
        return result.read_bytes()
