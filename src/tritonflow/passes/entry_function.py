# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The function of a program that its user calls."""

from __future__ import annotations

from ..errors import PassError
from ..mlir import ir


def entry_function(module: ir.Module) -> ir.Operation:
    """Gives the one public function of `module`. Raises PassError if there is none."""
    public = [
        operation.operation
        for operation in module.body.operations
        if operation.operation.name == "func.func"
        and not _is_private(operation.operation)
    ]
    if len(public) != 1:
        raise PassError(
            f"the program has {len(public)} public functions, expected one."
        )
    return public[0]


def _is_private(function: ir.Operation) -> bool:
    attributes = function.attributes
    return (
        "sym_visibility" in attributes
        and ir.StringAttr(attributes["sym_visibility"]).value == "private"
    )
