# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Dynamic dimensions: which a type has, and operands that carry them."""

from __future__ import annotations

from collections.abc import Sequence

from ..mlir import ir
from .base import TritonOp


def dynamic_dimensions(tensor_type: ir.Type) -> list[int]:
    """Gives the indices of the `?` dimensions of a type; none of a scalar."""
    if not isinstance(tensor_type, ir.RankedTensorType):
        return []
    return [i for i in range(tensor_type.rank) if tensor_type.is_dynamic_dim(i)]


def verify_dimensions(
    op: TritonOp, field: str, values: Sequence[ir.Value], dims: Sequence[ir.Value]
) -> None:
    """Raises VerifyError unless `dims` holds one index for each `?` in `values`."""
    expected = sum(len(dynamic_dimensions(value.type)) for value in values)
    if len(dims) != expected:
        raise op.error(
            field,
            f"got {len(dims)} dimensions, expected {expected}, one for each `?`.",
        )
