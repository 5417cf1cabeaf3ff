# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What both kinds of executable share: their shell, and `flow.dispatch` to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..dialect.base import find_ops
from ..dialect.dispatch import DispatchOp
from ..dialect.executable import ExecutableOp
from ..mlir import ir


def create_executable(kind: str, executable: ExecutableOp) -> ir.Block:
    """Gives the block of a new private operation `kind`, with `executable`'s symbol."""
    operation = ir.Operation.create(
        kind,
        attributes={
            "sym_name": executable.sym_name,
            "sym_visibility": ir.StringAttr.get("private"),
        },
        regions=1,
        ip=ir.InsertionPoint(executable.operation),
    )
    return operation.regions[0].blocks.append()


def replace_dispatches(
    module: ir.Module, entry_points: Mapping[str, Sequence[ir.SymbolRefAttr]]
) -> None:
    """Replaces each `triton.dispatch` of one of these executables by `flow.dispatch`.

    Of an executable's entry points, IREE launches the first one that the device can
    run.
    """
    for dispatch in list(find_ops(module.operation, DispatchOp)):
        if dispatch.executable_name in entry_points:
            _replace(dispatch, entry_points[dispatch.executable_name])


def _replace(dispatch: DispatchOp, entry_points: Sequence[ir.SymbolRefAttr]) -> None:
    if not dispatch.is_refined:
        raise dispatch.error("tied_operands", "run `refine-triton-abi` first.")
    index = ir.IndexType.get()
    segments = (
        dispatch.grid,
        dispatch.arguments,
        dispatch.argument_dims,
        dispatch.result_dims,
    )
    operation = ir.Operation.create(
        "flow.dispatch",
        results=[result.type for result in dispatch.results],
        operands=[value for segment in segments for value in segment],
        attributes={
            "entry_points": ir.ArrayAttr.get(list(entry_points)),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get(
                [len(segment) for segment in segments]
            ),
            "tied_operands": ir.ArrayAttr.get(
                [ir.IntegerAttr.get(index, tie) for tie in dispatch.tied_operands]
            ),
        },
        loc=dispatch.operation.location,
        ip=ir.InsertionPoint(dispatch.operation),
    )
    for old, new in zip(dispatch.results, list(operation.results), strict=True):
        old.replace_all_uses_with(new)
    dispatch.operation.erase()
