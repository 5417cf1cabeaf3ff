# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`attach-reflection`: strings that travel with the program's entry function.

    func.func public @main(...) attributes {iree.reflection = {"key" = "value"}}

IREE keeps them in the compiled module, where a loader reads them back.
"""

from __future__ import annotations

from ..mlir import ir
from .base import ModulePass
from .entry_function import entry_function

_ATTRIBUTE = "iree.reflection"


class AttachReflectionPass(ModulePass):
    """Puts the reflection strings of the options on the entry function."""

    name = "attach-reflection"

    def run(self, module: ir.Module) -> None:
        """Rewrites the attributes of the entry function of `module`."""
        if not self.options.reflection:
            return
        entry_function(module).attributes[_ATTRIBUTE] = ir.DictAttr.get(
            {
                name: ir.StringAttr.get(value)
                for name, value in self.options.reflection.items()
            }
        )
