# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`assign-device`: the program names the kind of device that it runs on.

    module attributes {stream.affinity.default = #hal.device.affinity<@device>} {
      util.global private @device = #hal.device.alias<"cuda"> : !hal.device

IREE looks up what the alias stands for. The chip that it generates its own code for is
one of its flags, see `iree_flags`.
"""

from __future__ import annotations

from ..errors import TargetError, UnsupportedError
from ..mlir import ir
from ..target import HOST_CPU, Target
from .base import ModulePass

DEVICE_SYMBOL = "device"

_ALIASES = {"cpu": "local", "cuda": "cuda", "rocm": "hip"}

_CODEGEN_CAPABILITIES = (75, 80, 86, 87, 89)
"""NVIDIA chips that IREE 3.13 generates code for, whose PTX later chips take too."""


class AssignDevicePass(ModulePass):
    """Gives the module the device of the targets in the options."""

    name = "assign-device"

    def run(self, module: ir.Module) -> None:
        """Adds a device to `module` and makes it the default."""
        targets = self.options.targets
        if len(targets) == 0:
            return
        if targets[0].backend == "rocm" and len(targets) > 1:
            raise UnsupportedError(
                f"`target`: got {', '.join(map(str, targets))}: IREE cannot tell AMD "
                "chips apart when it loads a program.",
                hint="compile one artifact for each chip",
            )
        alias = ir.StringAttr.get(_ALIASES[targets[0].backend])
        device = ir.Type.parse("!hal.device")
        ir.Operation.create(
            "util.global",
            attributes={
                "sym_name": ir.StringAttr.get(DEVICE_SYMBOL),
                "sym_visibility": ir.StringAttr.get("private"),
                "type": ir.TypeAttr.get(device),
                "initial_value": ir.Attribute.parse(f"#hal.device.alias<{alias}>"),
            },
            ip=ir.InsertionPoint.at_block_begin(module.body),
        )
        module.operation.attributes["stream.affinity.default"] = ir.Attribute.parse(
            f"#hal.device.affinity<@{DEVICE_SYMBOL}>"
        )


def codegen_capability(targets: tuple[Target, ...]) -> int:
    """Gives the compute capability for which IREE generates its own code.

    The newest one that IREE knows and that none of the chips is older than, so that all
    of them run its PTX.
    """
    oldest = min(target.capability for target in targets)
    known = [c for c in _CODEGEN_CAPABILITIES if c <= oldest]
    if not known:
        raise TargetError(f"target `{targets[0]}`: IREE generates no code for it.")
    return max(known)


def iree_flags(targets: tuple[Target, ...]) -> tuple[str, ...]:
    """Gives the flags for IREE that go with a module lowered for `targets`."""
    flags = ("--iree-input-demote-f64-to-f32=false",)
    backend, chip = targets[0].backend, targets[0].chip
    if backend == "cuda":
        return (*flags, f"--iree-cuda-target=sm_{codegen_capability(targets)}")
    if backend == "rocm":
        return (*flags, f"--iree-rocm-target={chip}")
    return (
        *flags,
        "--iree-hal-local-target-device-backends=llvm-cpu",
        f"--iree-llvmcpu-target-cpu={'host' if chip == HOST_CPU else chip}",
    )
