# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`triton.call`: a program's call of a Triton kernel, before it has code."""

from __future__ import annotations

from ..mlir import ir
from .base import Attribute, Operands, TritonOp
from .launch import verify_parameters
from .shapes import verify_dimensions


class CallOp(TritonOp, name="triton.call"):
    """Runs a kernel once for each program of a grid, on tensors.

    Attributes:
        callee: the kernel's name as the user wrote it.
        kernel: content key of the specialisation; calls of one key share code.
        parameters: see `launch`.
        zeroed: results whose buffers start as zeros.
        grid: programs along x, y and z; an empty grid has a 0 anywhere.
        arguments: tensors for pointers, scalars by value.
        result_dims: the dynamic dimensions of the results, in order.
    """

    callee = Attribute(ir.FlatSymbolRefAttr)
    kernel = Attribute(ir.StringAttr)
    parameters = Attribute(ir.ArrayAttr)
    zeroed = Attribute(ir.DenseI64ArrayAttr)
    grid = Operands(ir.IndexType, count=3)
    arguments = Operands()
    result_dims = Operands(ir.IndexType)

    def verify_op(self) -> None:
        """Checks parameters against arguments and results, and result dimensions."""
        verify_parameters(self, self.arguments)
        verify_zeroed(self, self.zeroed)
        verify_dimensions(self, "result_dims", self.results, self.result_dims)


def verify_zeroed(op: TritonOp, zeroed: ir.DenseI64ArrayAttr) -> None:
    """Raises VerifyError unless `zeroed` names distinct results of `op`."""
    indices = list(zeroed)
    if len(set(indices)) != len(indices):
        raise op.error("zeroed", f"got {indices}, expected no repeats.")
    for index in indices:
        if not 0 <= index < len(op.results):
            raise op.error(
                "zeroed", f"got result {index}, expected 0 to {len(op.results) - 1}."
            )
