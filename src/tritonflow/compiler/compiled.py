# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The result of compiling one kernel specialisation for one target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..target import Target

Effect = Literal["none", "read", "write", "readwrite"]


@dataclass(frozen=True, kw_only=True)
class KernelParameter:
    """One run-time parameter of a compiled kernel, in the kernel's own order.

    Attributes:
        name: as the user wrote it; parts of a tuple or descriptor get a suffix.
        type: MLIR element type: of what a pointer points to, or of the scalar.
            A `i1` pointer addresses one byte for each element.
        is_pointer: a buffer, else a scalar passed by value.
        effect: what the kernel does to the memory behind a pointer.
        written_at: the user's `file:line` of the first store, where known.
    """

    name: str
    type: str
    is_pointer: bool
    effect: Effect = "none"
    written_at: str | None = None

    @property
    def is_written(self) -> bool:
        """Whether the kernel stores through this pointer."""
        return self.effect in ("write", "readwrite")


@dataclass(frozen=True, kw_only=True)
class Abi:
    """How a GPU binary takes its arguments, as IREE passes them.

    Buffers first, in the kernel's order, then the scratch buffer if the kernel needs
    one, then scalars as 32-bit words: 64-bit scalars take two, low word first.

    Attributes:
        bindings: indices into `CompiledKernel.parameters`, all of them pointers.
        has_scratch: a last binding of `scratch_bytes` for each workgroup follows.
        constants: for each 32-bit word the parameter's index and the word of it.
    """

    bindings: tuple[int, ...]
    has_scratch: bool
    constants: tuple[tuple[int, int], ...]


@dataclass(frozen=True, kw_only=True)
class CompiledKernel:
    """Machine code of one kernel specialisation for one target, and how to call it.

    Attributes:
        name: symbol of the entry function in `binary` and in `cpu_code`.
        key: content key, the same on every machine for the same kernel and toolchain.
        ttir: Triton IR in generic MLIR form, without locations.
        binary: cubin or hsaco; empty on a CPU.
        ptx: PTX text of the same code and ABI for the driver to assemble; CUDA only.
        cpu_code: MLIR text of a module that holds one `func.func @<name>` for the
            inside of a `stream.executable`; its arguments are the parameters in the
            kernel's order, `!stream.binding` for pointers. CPU only.
        abi: GPU only.
        num_warps: of the binary, which may be more than what was asked for.
        shared_bytes: dynamic shared memory of a workgroup.
        scratch_bytes: global scratch memory of a workgroup; 0 for most kernels.
    """

    name: str
    key: str
    target: Target
    parameters: tuple[KernelParameter, ...]
    ttir: str = ""
    binary: bytes = b""
    ptx: str = ""
    cpu_code: str = ""
    abi: Abi | None = None
    num_warps: int = 4
    warp_size: int = 32
    shared_bytes: int = 0
    scratch_bytes: int = 0
    scratch_alignment: int = 1

    @property
    def workgroup_size(self) -> int:
        """Threads of a workgroup."""
        return self.num_warps * self.warp_size
