# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What every pass is, what it may be told, and how passes are run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Self

from ..compiler.compiled import CompiledKernel
from ..dialect.verify import verify_module
from ..errors import PassError, SourceLocation
from ..mlir import ir
from ..target import Target

Kernels = Mapping[str, Mapping[Target, CompiledKernel]]
"""Compiled kernels by the key of their specialisation, then by target."""


@dataclass(frozen=True)
class ProgramParameter:
    """A leading argument of the program that becomes a tensor of a weights file.

    Attributes:
        argument: index of the argument.
        scope: name of the weights file's provider, `model`.
        key: name of the tensor in the file.
    """

    argument: int
    scope: str
    key: str


@dataclass(frozen=True)
class PassOptions:
    """What a program is lowered for; each pass takes what it needs.

    Attributes:
        targets: devices of the program, all of one kind.
        kernels: code for each kernel that the program calls.
        parameters: arguments that become weights.
        reflection: strings to attach to the program's entry.
        call_sites: the user's lines, by the number that a call names them with.
        with_kernel_ir: keep each kernel's Triton IR in its executable, to be read.
    """

    targets: tuple[Target, ...] = ()
    kernels: Kernels = field(default_factory=dict)
    parameters: tuple[ProgramParameter, ...] = ()
    reflection: Mapping[str, str] = field(default_factory=dict)
    call_sites: tuple[SourceLocation, ...] = ()
    with_kernel_ir: bool = False


class ModulePass(ABC):
    """A rewrite of one module, in place."""

    name: ClassVar[str]

    def __init__(self, options: PassOptions | None = None) -> None:
        self.options = options or PassOptions()

    @abstractmethod
    def run(self, module: ir.Module) -> None:
        """Rewrites `module`; its context and an unknown location are current."""

    def apply(self, module: ir.Module) -> Self:
        """Runs the pass on `module` and verifies what it made.

        Raises: PassError: if MLIR refuses an operation that the pass made.
        """
        with module.context, ir.Location.unknown():
            try:
                self.run(module)
            except ir.MLIRError as error:
                raise PassError(f"pass `{self.name}`: {error}") from error
            verify_module(module)
        return self


def run_passes(module: ir.Module, passes: Iterable[ModulePass]) -> None:
    """Applies `passes` to `module`, in order."""
    for one_pass in passes:
        one_pass.apply(module)
