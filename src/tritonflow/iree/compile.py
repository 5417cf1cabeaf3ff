# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""From a JAX function with Triton kernels to a program for one kind of device."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import __version__
from ..compiler.compile import compile_kernel
from ..compiler.compiled import CompiledKernel
from ..errors import UnsupportedError
from ..jax.export import ExportedProgram, export_program
from ..kernel.specialization import Specialization
from ..passes.base import ProgramParameter
from ..passes.pipelines import lower_program
from ..target import Target, parse_targets
from .artifact import unseal
from .build import build_artifact
from .cpu_names import check_cpu
from .elements import DTYPES
from .manifest import REFLECTION_KEY, Constraint, Manifest, TensorSpec
from .parameters import SCOPE
from .session import Program
from .stages import StageRecorder

# PTX for `sm_90a` and the like runs on that chip alone.
_PORTABLE_PTX = re.compile(r"^\s*\.target\s+sm_\d+\b(?![a-z])", re.MULTILINE)

_TOOLCHAIN = ("triton", "jax", "iree-base-compiler")

CompiledKernels = Mapping[str, Mapping[Target, CompiledKernel]]
"""By the specialisation's key, then by target."""


def compile(
    fn: Callable[..., Any],
    *example_args: Any,
    target: str | Target | Iterable[str | Target],
    param_argnums: int | Sequence[int] = (),
    late_bound: bool = False,
    keep_ir: bool = False,
    name: str | None = None,
) -> Program:
    """Gives `fn` as a program for arguments like `example_args`; no GPU is needed.

    Args:
        fn: a function that JAX can trace.
        example_args: pytrees of arrays or `jax.ShapeDtypeStruct`; sizes may be symbols
            of `jax.export.symbolic_shape`: one program for many sizes.
        target: `cpu` (this machine's), `cpu:znver4`, `cuda:sm_90`, `rocm:gfx942`; or
            several chips of one kind, all of which the one artifact serves.
        param_argnums: arguments that stay outside the artifact, in a weights file.
            Arrays given for them are what the new program uses when it is called.
        late_bound: leave kernels open until run time.
        keep_ir: keep the IR of every stage; `Program.save` writes it beside the file.
        name: of the program; the function's if None.

    Raises:
        SignatureError: the function, its arguments or a kernel's call do not fit.
        TargetError: an unknown target.
        UnsupportedError: something that this version cannot compile, by name.
        KernelCompileError, ToolError: Triton, an assembler or IREE refused.
    """
    targets = parse_targets(target)
    if late_bound:
        raise UnsupportedError(
            "`late_bound`: kernels cannot be left open yet.",
            hint="compile without it: every kernel is compiled into the artifact",
        )
    if targets[0].backend == "cpu":
        check_cpu(targets[0])
    exported = export_program(fn, example_args, param_argnums=param_argnums, name=name)
    kernels = _compile_kernels(exported.kernels, targets)
    return _build(exported, kernels, targets, StageRecorder() if keep_ir else None)


def _build(
    exported: ExportedProgram,
    kernels: CompiledKernels,
    targets: tuple[Target, ...],
    stages: StageRecorder | None,
) -> Program:
    manifest = _manifest(exported, kernels, targets)
    text = lower_program(
        exported.text,
        kernels,
        targets,
        name=exported.name,
        parameters=[
            ProgramParameter(weight.argument, SCOPE, weight.key)
            for weight in exported.parameters
        ],
        reflection={REFLECTION_KEY: manifest.to_json()},
        call_sites=[call.location for call in exported.calls],
    )
    if stages is None:
        data = build_artifact(text, targets)
    else:
        stages.record_program(exported.text, kernels, text)
        with stages.iree_phases() as folder:
            data = build_artifact(text, targets, dump_phases_to=folder)
    return Program(
        data,
        unseal(data, exported.name),
        manifest,
        subject=exported.name,
        parameters=_values(exported),
        stages=stages.texts if stages else None,
    )


def _compile_kernels(
    specializations: Mapping[str, Specialization], targets: Sequence[Target]
) -> CompiledKernels:
    return {
        key: {target: compile_kernel(specialization, target) for target in targets}
        for key, specialization in specializations.items()
    }


def _manifest(
    exported: ExportedProgram, kernels: CompiledKernels, targets: Sequence[Target]
) -> Manifest:
    return Manifest(
        name=exported.name,
        targets=tuple(map(str, targets)),
        inputs=tuple(TensorSpec(t.name, t.dtype, t.shape) for t in exported.inputs),
        outputs=tuple(TensorSpec(t.name, t.dtype, t.shape) for t in exported.outputs),
        in_tree=exported.in_tree,
        out_tree=exported.out_tree,
        kernels=tuple(
            _describe_kernel(exported.kernels[key].name, key, by_target)
            for key, by_target in sorted(kernels.items())
        ),
        parameters=tuple(
            TensorSpec(weight.key, weight.dtype, weight.shape)
            for weight in exported.parameters
        ),
        constraints=tuple(
            Constraint(c.text, c.expression, c.is_equation)
            for c in exported.constraints
        ),
        toolchain={
            "tritonflow": __version__,
            **{package: importlib.metadata.version(package) for package in _TOOLCHAIN},
        },
    )


def _describe_kernel(
    name: str, key: str, by_target: Mapping[Target, CompiledKernel]
) -> dict[str, Any]:
    """What `tritonflow inspect` shows of one kernel; ABI as `compiled.Abi` has it."""
    first = next(iter(by_target.values()))
    return {
        "name": name,
        "key": key,
        "parameters": [
            {
                "name": p.name,
                "type": p.type,
                "pointer": p.is_pointer,
                "effect": p.effect,
            }
            for p in first.parameters
        ],
        "targets": {
            str(target): _describe_binary(kernel)
            for target, kernel in sorted(by_target.items())
        },
    }


def _describe_binary(kernel: CompiledKernel) -> dict[str, Any]:
    if kernel.abi is None:
        return {"entry": kernel.name}
    return {
        "entry": kernel.name,
        "num_warps": kernel.num_warps,
        "workgroup_size": kernel.workgroup_size,
        "shared_bytes": kernel.shared_bytes,
        "scratch_bytes": kernel.scratch_bytes,
        "binary_bytes": len(kernel.binary),
        "has_ptx": _PORTABLE_PTX.search(kernel.ptx) is not None,
        "bindings": list(kernel.abi.bindings),
        "has_scratch": kernel.abi.has_scratch,
        "constants": [list(word) for word in kernel.abi.constants],
    }


def _values(exported: ExportedProgram) -> dict[str, np.ndarray] | None:
    """The example's arrays for the parameters, if it had arrays for all of them."""
    weights = exported.parameters
    if not weights or any(weight.value is None for weight in weights):
        return None
    return {
        weight.key: np.asarray(weight.value).astype(DTYPES[weight.dtype], copy=False)
        for weight in weights
    }
