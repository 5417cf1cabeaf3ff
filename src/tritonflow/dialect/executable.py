# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`triton.executable` and `triton.executable.export`: one kernel's code by target."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from ..compiler.compiled import Abi, Effect, KernelParameter
from ..errors import TargetError
from ..mlir import ir
from ..target import Target
from .base import Attribute, TritonOp


class ExecutableOp(TritonOp, name="triton.executable", regions=1):
    """One specialisation of a kernel; its block holds an export for each target.

    The block may also hold a `builtin.module` with the kernel's Triton IR, which is
    there to be read and never lowered.

    Attributes:
        sym_name: what dispatches refer to.
        kernel: content key of the specialisation.
    """

    sym_name = Attribute(ir.StringAttr)
    kernel = Attribute(ir.StringAttr)

    @property
    def exports(self) -> Iterator[ExportOp]:
        """The exports, in order."""
        for child in self.body:
            export = ExportOp.match(child)
            if export is not None:
                yield export

    def verify_op(self) -> None:
        """Checks that there is an export, and one of each name."""
        names = [export.sym_name.value for export in self.exports]
        if not names:
            raise self.error("exports", "got none, expected one for each target.")
        if len(set(names)) != len(names):
            raise self.error("exports", f"got {names}, expected no repeats.")


class ExportOp(TritonOp, name="triton.executable.export", regions=1):
    """The kernel's code for one target and how to launch it.

    For a CPU the region holds a `builtin.module` with the code; for a GPU it is empty
    and `objects` holds the binary.

    Attributes:
        sym_name: unique among the exports of the executable.
        entry_point: name of the function in the code.
        target: as `Target` parses it.
        parameters: one dictionary for each parameter of the kernel, in its order:
            `name`, `type` (the element type of a pointer), `effect` (of a pointer).
        num_warps: warps of a workgroup; with `warp_size` the workgroup's size.
        warp_size: threads of a warp.
        shared_bytes: dynamic shared memory of a workgroup.
        scratch_bytes: global scratch of a workgroup.
        scratch_alignment: of the scratch memory, in bytes; 1 if absent.
        bindings: parameters that are buffers, in the binary's order. GPU only.
        constants: pairs of parameter and word, one for each 32-bit word. GPU only.
        has_scratch: a binding of scratch memory follows the others. GPU only.
        objects: `#hal.executable.object` with the binary, and PTX where there is one.
        layout: `#hal.pipeline.layout`, once the ABI is refined. GPU only.
    """

    sym_name = Attribute(ir.StringAttr)
    entry_point = Attribute(ir.StringAttr)
    target = Attribute(ir.StringAttr)
    parameters = Attribute(ir.ArrayAttr)
    num_warps = Attribute(ir.IntegerAttr)
    warp_size = Attribute(ir.IntegerAttr)
    shared_bytes = Attribute(ir.IntegerAttr)
    scratch_bytes = Attribute(ir.IntegerAttr)
    scratch_alignment = Attribute(ir.IntegerAttr, optional=True)
    bindings = Attribute(ir.DenseI64ArrayAttr, optional=True)
    constants = Attribute(ir.DenseI64ArrayAttr, optional=True)
    has_scratch = Attribute(ir.BoolAttr, optional=True)
    objects = Attribute(ir.ArrayAttr, optional=True)
    layout = Attribute(ir.Attribute, optional=True)

    @property
    def parsed_target(self) -> Target:
        """The target as a value."""
        return Target.parse(self.target.value)

    @property
    def kernel_parameters(self) -> tuple[KernelParameter, ...]:
        """The kernel's parameters, in its order."""
        return tuple(decode_parameter(ir.DictAttr(p)) for p in self.parameters)

    @property
    def abi(self) -> Abi:
        """How the binary takes its arguments. GPU only."""
        words = list(self.constants)
        return Abi(
            bindings=tuple(self.bindings),
            has_scratch=self.has_scratch.value,
            constants=tuple(zip(words[::2], words[1::2], strict=True)),
        )

    @property
    def code(self) -> ir.Operation | None:
        """The module with the CPU code, if there is one."""
        return next(iter(self.body), None)

    def verify_op(self) -> None:
        """Checks the target, the parameters, and that the code fits the target."""
        try:
            target = self.parsed_target
        except TargetError as error:
            raise self.error("target", error.message) from error
        for index, entry in enumerate(self.parameters):
            if not _is_parameter(entry):
                raise self.error(
                    "parameters",
                    f"entry {index} is `{entry}`, expected a dictionary with strings "
                    "`name` and `effect` (of a pointer) and a `type`.",
                )
        for name in ("num_warps", "warp_size", "shared_bytes", "scratch_bytes"):
            value = getattr(self, name).value
            least = 1 if name in ("num_warps", "warp_size") else 0
            if value < least:
                raise self.error(name, f"got {value}, expected {least} or more.")
        if target.backend == "cpu":
            self._verify_cpu()
        else:
            self._verify_gpu()

    def _verify_cpu(self) -> None:
        code = self.code
        if code is None or code.name != "builtin.module":
            raise self.error("code", "got none, expected a `builtin.module`.")
        for name in ("objects", "bindings", "constants", "has_scratch", "layout"):
            if getattr(self, name) is not None:
                raise self.error(name, "got one, expected none for a CPU.")

    def _verify_gpu(self) -> None:
        for name in ("bindings", "constants", "has_scratch", "objects"):
            if getattr(self, name) is None:
                raise self.error(name, "the attribute is missing, a GPU needs it.")
        if len(self.objects) == 0:
            raise self.error("objects", "got none, expected the binary.")
        if len(self.constants) % 2:
            raise self.error(
                "constants", f"got {len(self.constants)} numbers, expected pairs."
            )
        parameters = self.kernel_parameters
        pointers = [i for i, p in enumerate(parameters) if p.is_pointer]
        if sorted(self.bindings) != pointers:
            raise self.error(
                "bindings",
                f"got parameters {list(self.bindings)}, expected each pointer once: "
                f"{pointers}.",
            )
        for index, _ in self.abi.constants:
            if not 0 <= index < len(parameters) or parameters[index].is_pointer:
                raise self.error(
                    "constants", f"got parameter {index}, expected a scalar's index."
                )


def encode_parameter(parameter: KernelParameter) -> ir.DictAttr:
    """Gives a parameter as an entry of `parameters`. A context must be current."""
    entries: dict[str, ir.Attribute] = {
        "name": ir.StringAttr.get(parameter.name),
        "type": ir.TypeAttr.get(ir.Type.parse(parameter.type)),
    }
    if parameter.is_pointer:
        entries["effect"] = ir.StringAttr.get(parameter.effect)
    if parameter.written_at is not None:
        entries["written_at"] = ir.StringAttr.get(parameter.written_at)
    return ir.DictAttr.get(entries)


def decode_parameter(entry: ir.DictAttr) -> KernelParameter:
    """Gives the parameter that an entry of `parameters` stands for."""

    def text(name: str) -> str | None:
        return ir.StringAttr(entry[name]).value if name in entry else None

    effect = text("effect")
    return KernelParameter(
        name=ir.StringAttr(entry["name"]).value,
        type=str(ir.TypeAttr(entry["type"]).value),
        is_pointer=effect is not None,
        effect=cast(Effect, effect or "none"),
        written_at=text("written_at"),
    )


def _is_parameter(entry: ir.Attribute) -> bool:
    if not isinstance(entry, ir.DictAttr):
        return False
    strings = [n for n in ("name", "effect", "written_at") if n in entry]
    return (
        "name" in entry
        and "type" in entry
        and isinstance(entry["type"], ir.TypeAttr)
        and all(isinstance(entry[name], ir.StringAttr) for name in strings)
    )
