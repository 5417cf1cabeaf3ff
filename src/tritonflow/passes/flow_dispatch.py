# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""A refined `triton.dispatch` as IREE's `flow.dispatch`."""

from __future__ import annotations

from collections.abc import Sequence

from ..dialect.dispatch import DispatchOp
from ..mlir import ir


def replace_by_flow_dispatch(
    dispatch: DispatchOp, entry_points: Sequence[ir.SymbolRefAttr]
) -> None:
    """Replaces `dispatch`, whose ABI has been refined, by a `flow.dispatch`.

    Of `entry_points`, IREE launches the first one that the device can run.
    """
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
