# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""LLVM IR of a kernel to a cubin, and to PTX for drivers that have to assemble it."""

from __future__ import annotations

from ..errors import KernelCompileError
from ..kernel.specialization import Specialization
from ..target import Target
from .nvidia import assemble, for_later_chips, is_same_code, ptx_versions
from .triton_api import TritonCompiler


def machine_code(
    compiler: TritonCompiler, llvm_ir: str, spec: Specialization, target: Target
) -> tuple[bytes, str]:
    """Gives cubin and PTX of one kernel.

    The cubin is made of the newest ISA that Triton writes. The PTX asks for the oldest
    that chip and instructions allow, or for what the option `ptx_version` says, since
    a driver refuses what is newer than itself.

    Raises: KernelCompileError: if the assembler refuses it.
    """

    def assembled(ptx: str) -> bytes:
        return assemble(
            ptx,
            target,
            name=spec.name,
            at=spec.kernel.location,
            enable_fp_fusion=compiler.options.enable_fp_fusion,
            ptx_options=compiler.options.ptx_options,
        )

    chosen = spec.options.get("ptx_version")
    newest = compiler.ptx(llvm_ir, chosen)
    if chosen is not None:
        return assembled(newest), for_later_chips(newest)
    for version in ptx_versions(target.capability):
        portable = compiler.ptx(llvm_ir, version)
        try:
            cubin = assembled(portable)
        except KernelCompileError:
            continue  # The kernel uses instructions that came later.
        if not is_same_code(portable, newest):
            cubin = assembled(newest)
        return cubin, for_later_chips(portable)
    return assembled(newest), for_later_chips(newest)
