# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""From a program as JAX exports it to one that IREE compiles as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..errors import SourceLocation
from ..mlir import ir, parse_module
from ..target import Target
from .base import Kernels, PassOptions, run_passes
from .base import ProgramParameter as ProgramParameter
from .registry import create_pass

_LOWERINGS = {
    "cpu": "lower-triton-to-stream",
    "cuda": "lower-triton-to-hal",
    "rocm": "lower-triton-to-hal",
}


def program_pipeline(targets: Sequence[Target]) -> tuple[str, ...]:
    """Gives the names of the passes that lower a program for `targets`, in order."""
    return (
        "inline-shape-functions",
        "legalize-triton-calls",
        "strip-foreign-attributes",
        "legalize-dynamic-shapes",
        "form-parameter-globals",
        "outline-triton-executables",
        "refine-triton-abi",
        _LOWERINGS[targets[0].backend],
        "isolate-results",
        "attach-reflection",
        "assign-device",
    )


def lower_program(
    stablehlo_text: str,
    kernels: Kernels,
    targets: tuple[Target, ...],
    *,
    name: str,
    parameters: Sequence[ProgramParameter] = (),
    reflection: Mapping[str, str] | None = None,
    call_sites: Sequence[SourceLocation] = (),
) -> str:
    """Gives MLIR text that IREE compiles with the flags of `iree_flags(targets)`.

    Args:
        stablehlo_text: an exported program with calls of `@tritonflow.call`.
        kernels: code for each kernel called, by `Specialization.key` and target.
        targets: devices of one kind.
        name: of the module.
        parameters: arguments of the program that become weights.
        reflection: strings to attach to the entry function.
        call_sites: the user's lines, where calls name them by number; for messages.

    Raises:
        VerifyError, PassError: the text is not a program of ours.
        SignatureError: a call does not fit its kernel.
        UnsupportedError: a grid that is not made of shapes, and the like.
    """
    options = PassOptions(
        targets=tuple(targets),
        kernels=kernels,
        parameters=tuple(parameters),
        reflection=dict(reflection or {}),
        call_sites=tuple(call_sites),
    )
    module = parse_module(stablehlo_text)
    with module.context:
        module.operation.attributes["sym_name"] = ir.StringAttr.get(name)
    run_passes(module, [create_pass(p, options) for p in program_pipeline(targets)])
    return str(module)
