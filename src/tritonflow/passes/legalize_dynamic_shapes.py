# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`legalize-dynamic-shapes`: symbolic dimensions in forms that IREE compiles.

    %s = stablehlo.concatenate %b, %c4 : tensor<2xi32>
    %r = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [0]
        : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x4xf32>

becomes

    %d = tensor.dim ... : index
    %e = tensor.empty(%d) : tensor<?x4xf32>
    %r = linalg.generic {...} ins(%x) outs(%e) -> tensor<?x4xf32>

IREE refuses StableHLO's dynamic operations, and reads a shape that is a tensor back
from the device; here every shape becomes arithmetic on the host. Checks of the caller's
shapes are dropped: the runtime has its own.
"""

from __future__ import annotations

from collections.abc import Callable

from ..errors import UnsupportedError
from ..mlir import ir, source_location, walk
from . import dynamic_dots, dynamic_gathers, dynamic_operations
from .base import ModulePass
from .scalar_folding import ScalarFolder
from .signless import drop_sign, signless


def _rewrite_dimension_size(operation: ir.Operation, folder: ScalarFolder) -> None:
    """A dimension of an unsigned tensor is asked of it without its sign."""
    del folder
    operation.operands[0] = signless(operation.operands[0])


def _rewrite_move(operation: ir.Operation, folder: ScalarFolder) -> None:
    """What only moves elements moves them without their sign.

    IREE asks for the dimensions of what it moves, which it cannot of unsigned tensors.
    """
    del folder
    result = ir.RankedTensorType(operation.results[0].type)
    if not result.has_static_shape:
        drop_sign(operation, range(len(operation.operands)))


_REWRITES: dict[str, Callable[[ir.Operation, ScalarFolder], None]] = {
    "stablehlo.dynamic_broadcast_in_dim": dynamic_operations.rewrite_broadcast,
    "stablehlo.dynamic_gather": dynamic_gathers.rewrite_gather,
    "stablehlo.dynamic_iota": dynamic_operations.rewrite_iota,
    "stablehlo.dynamic_pad": dynamic_operations.rewrite_pad,
    "stablehlo.dynamic_reshape": dynamic_operations.rewrite_reshape,
    "stablehlo.dynamic_update_slice": dynamic_operations.rewrite_update_slice,
    "stablehlo.gather": dynamic_gathers.rewrite_gather,
    "stablehlo.get_dimension_size": _rewrite_dimension_size,
    "stablehlo.real_dynamic_slice": dynamic_operations.rewrite_slice,
    "stablehlo.dot_general": dynamic_dots.rewrite_dot,
    **dict.fromkeys(
        (
            "stablehlo.broadcast_in_dim",
            "stablehlo.concatenate",
            "stablehlo.pad",
            "stablehlo.reverse",
            "stablehlo.slice",
            "stablehlo.transpose",
        ),
        _rewrite_move,
    ),
}

_UNSUPPORTED = ("stablehlo.dynamic_conv", "stablehlo.set_dimension_size")

_ASSERTION = "shape_assertion"

_EXTENSIONS = "stablehlo."
"""Prefix of operations that JAX writes as calls: `stablehlo.dynamic_reduce_window`."""


class LegalizeDynamicShapesPass(ModulePass):
    """Rewrites StableHLO's dynamic operations, one function for each kind."""

    name = "legalize-dynamic-shapes"

    def run(self, module: ir.Module) -> None:
        """Rewrites the operations of `module`."""
        folder = ScalarFolder()
        for operation in list(walk(module.operation)):
            name = _name(operation)
            if name == _ASSERTION:
                operation.erase()
            elif name in _REWRITES:
                with ir.InsertionPoint(operation), operation.location:
                    _REWRITES[name](operation, folder)
            elif name in _UNSUPPORTED or _is_extension(operation, name):
                raise UnsupportedError(
                    f"`{name}`: not supported with symbolic dimensions.",
                    at=source_location(operation.location),
                    hint="compile with the shapes of the arguments known",
                )


def _name(operation: ir.Operation) -> str:
    """The operation's name; of a custom call what it calls."""
    if operation.name == "stablehlo.custom_call":
        return ir.StringAttr(operation.attributes["call_target_name"]).value
    return operation.name


def _is_extension(operation: ir.Operation, name: str) -> bool:
    return operation.name == "stablehlo.custom_call" and name.startswith(_EXTENSIONS)
