# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`triton.dispatch`: a launch of an executable's code, before it is IREE's."""

from __future__ import annotations

from ..mlir import ir
from .base import Attribute, Operands, TritonOp
from .call import verify_zeroed
from .launch import verify_parameters
from .shapes import verify_dimensions


class DispatchOp(TritonOp, name="triton.dispatch"):
    """Launches an executable over a grid, on tensors.

    It begins in the kernel's own order, with `parameters`; `refine-triton-abi` turns it
    into the binary's order, where every result is tied to an argument.

    Attributes:
        entry_points: `@executable::@export`, the export to prefer first.
        parameters: see `launch`; absent once the ABI is refined.
        zeroed: results whose buffers start as zeros; absent once refined.
        tied_operands: for each result the argument that it updates; once refined.
        grid: workgroups along x, y and z.
        arguments: tensors and scalars.
        argument_dims: the dynamic dimensions of the arguments, in order; once refined.
        result_dims: the dynamic dimensions of the results, in order.
    """

    entry_points = Attribute(ir.ArrayAttr)
    parameters = Attribute(ir.ArrayAttr, optional=True)
    zeroed = Attribute(ir.DenseI64ArrayAttr, optional=True)
    tied_operands = Attribute(ir.DenseI64ArrayAttr, optional=True)
    grid = Operands(ir.IndexType, count=3)
    arguments = Operands()
    argument_dims = Operands(ir.IndexType)
    result_dims = Operands(ir.IndexType)

    @property
    def is_refined(self) -> bool:
        """Whether arguments are in the binary's order."""
        return self.tied_operands is not None

    @property
    def executable_name(self) -> str:
        """Symbol of the executable that is launched."""
        return ir.SymbolRefAttr(self.entry_points[0]).value[0]

    def verify_op(self) -> None:
        """Checks entry points, dimensions, and the parameters or the ties."""
        if len(self.entry_points) == 0:
            raise self.error("entry_points", "got none, expected one or more.")
        for entry in self.entry_points:
            if not isinstance(entry, ir.SymbolRefAttr) or len(entry.value) != 2:
                raise self.error(
                    "entry_points", f"got `{entry}`, expected `@executable::@export`."
                )
        if len({ir.SymbolRefAttr(e).value[0] for e in self.entry_points}) > 1:
            raise self.error("entry_points", "expected exports of one executable.")
        verify_dimensions(self, "result_dims", self.results, self.result_dims)
        if (self.parameters is None) == (self.tied_operands is None):
            raise self.error(
                "parameters", "expected either `parameters` or `tied_operands`."
            )
        if self.is_refined:
            self._verify_ties()
            return
        verify_parameters(self, self.arguments)
        if self.zeroed is None:
            raise self.error("zeroed", "the attribute is missing.")
        verify_zeroed(self, self.zeroed)

    def _verify_ties(self) -> None:
        arguments, results = self.arguments, self.results
        verify_dimensions(self, "argument_dims", arguments, self.argument_dims)
        ties = list(self.tied_operands)
        if len(ties) != len(results) or len(set(ties)) != len(ties):
            raise self.error(
                "tied_operands",
                f"got {ties}, expected one argument for each of {len(results)} "
                "results, no repeats.",
            )
        for tie, result in zip(ties, results, strict=True):
            if not 0 <= tie < len(arguments) or arguments[tie].type != result.type:
                raise self.error(
                    "tied_operands",
                    f"got argument {tie}, expected one of type `{result.type}`.",
                )
