# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Verification of a whole module: our operations and everyone else's."""

from __future__ import annotations

from ..errors import VerifyError
from ..mlir import ir, source_location, walk
from .base import TritonOp
from .call import CallOp
from .dispatch import DispatchOp
from .executable import ExecutableOp, ExportOp

OPERATIONS: dict[str, type[TritonOp]] = {
    op.op_name: op for op in (CallOp, ExecutableOp, ExportOp, DispatchOp)
}
"""The operations of the dialect by name."""


def verify_module(module: ir.Module) -> None:
    """Raises VerifyError for the first broken rule of any operation in `module`."""
    for operation in walk(module.operation):
        if not operation.name.startswith("triton."):
            continue
        if operation.name not in OPERATIONS:
            raise VerifyError(
                f"`{operation.name}`: the dialect has no such operation, expected one "
                f"of {', '.join(sorted(OPERATIONS))}.",
                at=source_location(operation.location),
            )
        OPERATIONS[operation.name](operation).verify()
    try:
        module.operation.verify()
    except ir.MLIRError as error:
        raise VerifyError(f"the module is not valid: {error}") from error
