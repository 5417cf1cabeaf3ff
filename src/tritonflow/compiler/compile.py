# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""A kernel specialisation to machine code for one target, by way of the cache."""

from __future__ import annotations

from dataclasses import replace

from ..kernel.source_lines import present_line
from ..kernel.specialization import Specialization
from ..target import Target
from .cache import KernelCache, default_cache
from .compiled import CompiledKernel
from .launch_options import check_options
from .toolchain import compiled_key


def compile_kernel(
    spec: Specialization, target: Target, *, cache: KernelCache | None = None
) -> CompiledKernel:
    """Gives the compiled kernel of `spec` for `target`; needs no GPU.

    The result is the same on every machine, and holds no path. Safe to call from
    several threads: a kernel is compiled once.

    Args:
        spec: what to compile.
        target: what for.
        cache: default: the one of this user.

    Raises:
        KernelCompileError: if Triton or an assembler refuses the kernel.
        UnsupportedError: if a dispatch cannot carry an option, or this version cannot
            lower an operation for the target.
    """
    check_options(spec, target)
    cache = cache if cache is not None else default_cache()
    key = compiled_key(spec, target)
    if (found := cache.get(key)) is not None:
        return _with_present_lines(found, spec)
    # Only now Triton's compiler and the MLIR bindings are needed.
    from .build import build_kernel
    from .triton_api import compiling_for

    with compiling_for(target):
        # Another thread may have compiled it while this one waited.
        kernel = cache.get(key)
        if kernel is None:
            kernel = build_kernel(spec, target, key=key)
            cache.put(kernel)
    return _with_present_lines(kernel, spec)


def _with_present_lines(kernel: CompiledKernel, spec: Specialization) -> CompiledKernel:
    """Puts the lines of this copy of the source where the cache has portable ones."""
    parameters = tuple(
        replace(p, written_at=present_line(spec.kernel, p.written_at))
        if p.written_at is not None
        else p
        for p in kernel.parameters
    )
    return replace(kernel, parameters=parameters)
