# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The stages from a specialisation to a compiled kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from ..errors import PassError, SourceLocation, UnsupportedError
from ..kernel.effects import argument_effects
from ..kernel.source_lines import portable_line
from ..kernel.specialization import Specialization
from ..mlir import parse_module, ttir_to_generic
from ..target import Target
from .binary import check_abi
from .compiled import CompiledKernel, Effect, KernelParameter
from .diagnostics import kernel_errors
from .entry import binary_abi, make_descriptors_on_device, take_binary_arguments
from .limits import check_limits
from .scratch import settle_scratch
from .triton_api import TritonCompiler
from .ttir_text import readable_ttir, with_plain_assertions, with_plain_callees


@dataclass(frozen=True)
class _Ttir:
    """A kernel in Triton IR, with its parameters in `Specialization.parameters`' order.

    Attributes:
        module: Triton's own.
        generic: MLIR's generic form with the user's locations.
        bare: the same without locations.
        uses_descriptors: for which some chips need scratch memory.
    """

    module: Any
    name: str
    generic: str
    bare: str
    parameters: tuple[KernelParameter, ...]
    uses_descriptors: bool


_MAKE_DESCRIPTOR = "tt.make_tensor_descriptor"


def build_kernel(spec: Specialization, target: Target, *, key: str) -> CompiledKernel:
    """Compiles `spec` for `target`; the caller holds Triton (`compiling_for`).

    Lines in the result are portable (`portable_line`).

    Raises: as `compile_kernel` does.
    """
    with kernel_errors(spec, target):
        compiler = TritonCompiler(target, spec.options)
        ttir = _make_ttir(compiler, spec)
    if target.backend == "cpu":
        return _build_cpu(spec, target, key, ttir)
    with kernel_errors(spec, target):
        return _build_gpu(compiler, spec, target, key, ttir)


def _make_ttir(compiler: TritonCompiler, spec: Specialization) -> _Ttir:
    module = compiler.module_of(spec)
    if spec.descriptors:
        make_descriptors_on_device(module, compiler.context, spec)
    # Asked before the passes of chips that have none make pointers of them.
    uses_descriptors = _MAKE_DESCRIPTOR in str(module)
    module = compiler.run("ttir", module)
    text = str(module)
    generic = _generic(with_plain_callees(text), spec)
    plain = with_plain_assertions(with_plain_callees(text), spec.name)
    if plain != text:
        module = compiler.parse(plain)
    parsed = parse_module(generic)
    effects = argument_effects(parsed, kernel=spec.name)
    parameters = tuple(
        KernelParameter(
            name=parameter.name,
            type=parameter.element_type,
            is_pointer=parameter.is_pointer,
            effect=cast(Effect, effect.effect if parameter.is_pointer else "none"),
            written_at=_line(spec, effect.written_at),
        )
        for parameter, effect in zip(spec.parameters, effects, strict=True)
    )
    bare = str(
        parsed.operation.get_asm(print_generic_op_form=True, enable_debug_info=False)
    )
    return _Ttir(
        module,
        module.get_entry_func_name(),
        generic,
        bare,
        parameters,
        uses_descriptors,
    )


def _generic(text: str, spec: Specialization) -> str:
    try:
        return ttir_to_generic(readable_ttir(text))
    except PassError as error:
        raise UnsupportedError(
            f"kernel `{spec.name}`: its IR has what the installed jaxlib cannot read: "
            f"{error.message}",
            at=spec.kernel.location,
        ) from error


def _line(spec: Specialization, location: SourceLocation | None) -> str | None:
    return None if location is None else portable_line(spec.kernel, location)


def _build_cpu(
    spec: Specialization, target: Target, key: str, ttir: _Ttir
) -> CompiledKernel:
    from ..cpu.lower import lower_kernel

    return CompiledKernel(
        name=ttir.name,
        key=key,
        target=target,
        parameters=ttir.parameters,
        ttir=ttir.bare,
        cpu_code=lower_kernel(ttir.generic, target),
        num_warps=1,
        warp_size=target.warp_size,
    )


def _build_gpu(
    compiler: TritonCompiler,
    spec: Specialization,
    target: Target,
    key: str,
    ttir: _Ttir,
) -> CompiledKernel:
    take_binary_arguments(ttir.module, compiler.context, spec.parameters)
    # Once more, for the inliner; what it has done already it leaves alone.
    module = compiler.run("ttir", ttir.module)
    llvm_ir = compiler.run("llir", compiler.run("ttgir", module))
    pointers = sum(parameter.is_pointer for parameter in spec.parameters)
    metadata = compiler.metadata
    llvm_ir, has_scratch = settle_scratch(
        llvm_ir,
        name=spec.name,
        pointers=pointers,
        # Some chips need scratch for descriptors, others none: all take the same
        # arguments, so that one launch serves them.
        is_reserved=ttir.uses_descriptors,
        alignment=metadata.get("global_scratch_align") or 1,
    )
    threads = metadata["num_warps"] * target.warp_size
    check_limits(spec, target, threads=threads, shared_bytes=metadata["shared"])
    scratch_bytes = metadata.get("global_scratch_size") or 0
    if scratch_bytes and not has_scratch:
        raise UnsupportedError(
            f"kernel `{spec.name}`: Triton reserves {scratch_bytes} bytes of scratch, "
            "and its code does not use any."
        )
    if target.backend == "cuda":
        from .nvidia_code import machine_code
    else:
        from .amd import machine_code
    binary, ptx = machine_code(compiler, llvm_ir, spec, target)
    abi = binary_abi(ttir.parameters, has_scratch=has_scratch)
    check_abi(binary, abi, name=ttir.name)
    return CompiledKernel(
        name=ttir.name,
        key=key,
        target=target,
        parameters=ttir.parameters,
        ttir=ttir.bare,
        binary=binary,
        ptx=ptx,
        abi=abi,
        num_warps=metadata["num_warps"],
        warp_size=target.warp_size,
        shared_bytes=metadata["shared"],
        scratch_bytes=scratch_bytes,
        scratch_alignment=metadata.get("global_scratch_align") or 1,
    )
