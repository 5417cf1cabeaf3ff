# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Triton's compiler, stage by stage: the only file that knows its internals.

`triton.compile` would write its own cache and ask for a driver; the stages that it runs
do neither. What differs between Triton 3.6 and 3.9 is settled here.
"""

from __future__ import annotations

import contextlib
import tempfile
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from triton import knobs
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget, Language
from triton.compiler.compiler import ASTSource, make_backend
from triton.language import target_info

from ..kernel.options import options_of
from ..kernel.specialization import Specialization
from ..target import Target

LOCK = threading.RLock()
"""Triton's settings are global to the process: one compilation at a time."""

_CPU_STANDS_FOR = 89
"""CPU kernels take the TTIR of this compute capability: the last without descriptors,
the first that has all float types of 8 bits."""

_CPU_OPTIONS = frozenset(
    {
        "allowed_dot_input_precisions",
        "debug",
        "default_dot_input_precision",
        "enable_fp_fusion",
        "max_num_imprecise_acc_default",
        "num_stages",
        "num_warps",
        "sanitize_overflow",
    }
)


class TritonCompiler:
    """Triton's stages for one target and one set of options.

    Attributes:
        metadata: what the stages that ran so far say of the kernel.
    """

    def __init__(self, target: Target, options: Mapping[str, Any]) -> None:
        self.gpu_target = _gpu_target(target)
        self.backend: Any = make_backend(self.gpu_target)
        self.options: Any = self.backend.parse_options(_options(target, options))
        self.metadata: dict[str, Any] = dict(vars(self.options))
        self.context = ir.context()
        ir.load_dialects(self.context)
        self.backend.load_dialects(self.context)
        self._stages = self._stages_of(self.options)

    def module_of(self, spec: Specialization) -> Any:
        """Gives the kernel as Triton's frontend translates it."""
        if spec.kernel.ttir is not None:
            return self.parse(spec.kernel.ttir.text)
        source = ASTSource(
            spec.kernel.function,
            signature={
                parameter.name: place
                for parameter, place in zip(
                    spec.kernel.parameters, spec.signature, strict=True
                )
            },
            constexprs=dict(spec.folded),
            attrs={path: [["tt.divisibility", 16]] for path in spec.divisible},
        )
        return source.make_ir(
            self.gpu_target,
            self.options,
            self.backend.get_codegen_implementation(self.options),
            self.backend.get_module_map(),
            self.context,
        )

    def parse(self, text: str) -> Any:
        """Gives the module of Triton IR text. Raises RuntimeError if it has none."""
        # Triton reads IR from files only.
        with tempfile.TemporaryDirectory(prefix="tritonflow-") as folder:
            path = Path(folder, "kernel.ttir")
            path.write_text(text, encoding="utf-8")
            module = ir.parse_mlir_module(str(path), self.context)
        module.context = self.context
        return module

    def run(self, stage: str, module: Any) -> Any:
        """Gives what `stage` makes of the output of the one before it."""
        return self._stages[stage](module, self.metadata)

    def ptx(self, llvm_ir: str, ptx_version: int | None) -> str:
        """Gives PTX of LLVM IR, in the given ISA version or in Triton's newest."""
        options = replace(self.options, ptx_version=ptx_version)
        return self._stages_of(options)["ptx"](llvm_ir, dict(self.metadata))

    def _stages_of(self, options: Any) -> dict[str, Any]:
        stages: dict[str, Any] = {}
        self.backend.add_stages(stages, options, Language.TRITON)
        return stages


@contextlib.contextmanager
def compiling_for(target: Target) -> Iterator[None]:
    """Holds Triton for one compilation, without line info and blind to this GPU."""
    with LOCK, _setting(vars(knobs.compilation), "disable_line_info", True):
        with _setting(vars(target_info), "current_target", _target_here):
            _target_here.seen.target = _gpu_target(target)
            try:
                yield
            finally:
                _target_here.seen.target = None


class _TargetHere:
    """`current_target` for this thread's compilation; the original in other threads."""

    __triton_builtin__ = True

    def __init__(self, original: Any) -> None:
        self.original = original
        self.seen = threading.local()

    def __call__(self) -> Any:
        return getattr(self.seen, "target", None) or self.original()


_target_here = _TargetHere(target_info.current_target)


@contextlib.contextmanager
def _setting(settings: Any, name: str, value: Any) -> Iterator[None]:
    """Holds a setting of Triton's, past its property that would set the environment."""
    absent = object()
    before = settings.get(name, absent)
    settings[name] = value
    try:
        yield
    finally:
        if before is absent:
            del settings[name]
        else:
            settings[name] = before


def _gpu_target(target: Target) -> GPUTarget:
    if target.backend == "cpu":
        return GPUTarget("cuda", _CPU_STANDS_FOR, 32)
    if target.backend == "cuda":
        return GPUTarget("cuda", target.capability, target.warp_size)
    return GPUTarget("hip", target.chip, target.warp_size)


def _options(target: Target, options: Mapping[str, Any]) -> dict[str, Any]:
    given = dict(options)
    # Left out, Triton 3.9 warns that its default will change.
    given.setdefault("enable_fp_fusion", True)
    if target.backend == "cpu":
        given = {name: value for name, value in given.items() if name in _CPU_OPTIONS}
        # Every float8 type is software on a CPU; the frontend must let them pass.
        given["supported_fp8_dtypes"] = ("fp8e4b15", "fp8e4nv", "fp8e5")
    return {k: v for k, v in given.items() if k in options_of(target.backend)}
