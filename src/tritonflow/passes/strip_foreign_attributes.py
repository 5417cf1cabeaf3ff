# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`strip-foreign-attributes`: what JAX notes down for XLA is removed.

Attributes of `mhlo.*`, `jax.*` and `tf.*`, which mean nothing to IREE, go from the
module, from functions and their arguments, and from operations.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..mlir import ir, walk
from .base import ModulePass

_FOREIGN = ("mhlo.", "jax.", "tf.", "sdy.")
_NESTED = ("arg_attrs", "res_attrs")


class StripForeignAttributesPass(ModulePass):
    """Removes the attributes of dialects that IREE does not know."""

    name = "strip-foreign-attributes"

    def run(self, module: ir.Module) -> None:
        """Rewrites the attributes in `module`."""
        for operation in walk(module.operation):
            attributes = operation.attributes
            for name in [name for name in attributes if name.startswith(_FOREIGN)]:
                del attributes[name]
            for name in _NESTED:
                if name in attributes:
                    attributes[name] = _strip_each(
                        map(ir.DictAttr, ir.ArrayAttr(attributes[name]))
                    )


def _strip_each(dictionaries: Iterable[ir.DictAttr]) -> ir.ArrayAttr:
    return ir.ArrayAttr.get(
        [
            ir.DictAttr.get(
                {
                    entry.name: entry.attr
                    for entry in dictionary
                    if not entry.name.startswith(_FOREIGN)
                }
            )
            for dictionary in dictionaries
        ]
    )
