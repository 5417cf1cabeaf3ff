# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What `keep_ir` keeps: the program and its kernels after every stage."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ..compiler.compiled import CompiledKernel
from ..target import Target


class StageRecorder:
    """Collects IR by file name; the names sort in the order of the stages.

    Attributes:
        texts: `1-program.stablehlo.mlir`, `2-<kernel>.ttir.mlir`, ..., binaries too.
    """

    def __init__(self) -> None:
        self.texts: dict[str, str | bytes] = {}

    def record_program(
        self,
        stablehlo: str,
        kernels: Mapping[str, Mapping[Target, CompiledKernel]],
        lowered: str,
    ) -> None:
        """Keeps what JAX exported, every kernel, and what IREE is given."""
        self.texts["1-program.stablehlo.mlir"] = stablehlo
        for key, by_target in sorted(kernels.items()):
            for target, kernel in sorted(by_target.items()):
                self._record_kernel(f"{kernel.name}-{key[:8]}", target, kernel)
        self.texts["3-program.mlir"] = lowered

    def _record_kernel(self, name: str, target: Target, kernel: CompiledKernel) -> None:
        place = f"2-{name}.{str(target).replace(':', '-')}"
        contents = {
            "ttir.mlir": kernel.ttir,
            "cpu.mlir": kernel.cpu_code,
            "ptx": kernel.ptx,
            "cubin" if target.backend == "cuda" else "hsaco": kernel.binary,
        }
        for suffix, content in contents.items():
            if content:
                self.texts[f"{place}.{suffix}"] = content

    @contextmanager
    def iree_phases(self) -> Iterator[Path]:
        """Gives a folder for IREE's phases, and keeps what is in it at the end."""
        with tempfile.TemporaryDirectory(prefix="tritonflow-") as folder:
            yield Path(folder)
            for place, number in ((Path(folder), 4), (Path(folder, "assembled"), 5)):
                for path in place.glob("*.mlir"):
                    self.texts[_phase_name(number, path.name)] = path.read_text()


def _phase_name(number: int, file: str) -> str:
    """`4-iree-07.stream.mlir` for IREE's `program.7.stream.mlir`."""
    order, phase = file.removesuffix(".mlir").rsplit(".", 2)[-2:]
    return f"{number}-iree-{order.zfill(2)}.{phase}.mlir"
