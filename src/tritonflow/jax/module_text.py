# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""An exported module as text that is the same on every machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
from jax.interpreters import mlir

from ..errors import UnsupportedError
from .lowering import CALL_TARGET

_KNOWN_CALLS = (CALL_TARGET, "shape_assertion")
_SHARDING_DIALECT = "sdy."
_SHARDING_ATTRIBUTES = ("mhlo.sharding", "mhlo.frontend_attributes")
_SHARDING_CALLS = ("Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape")


def portable_text(exported: jax.export.Exported) -> str:
    """Gives the StableHLO of `exported`, without source locations and shardings.

    Locations hold paths. Shardings over the one device there is say nothing, and IREE
    does not know their dialect.

    Raises: UnsupportedError: if the program calls a library that only JAX's own
        platforms have.
    """
    with mlir.make_ir_context():
        module = mlir.ir.Module.parse(exported.mlir_module())
        for operation in list(_walk(module.operation)):
            _strip_shardings(operation)
        for operation in _walk(module.operation):
            _check_call(operation)
        return str(module.operation.get_asm(enable_debug_info=False))


def _walk(operation: Any) -> Iterator[Any]:
    """Gives the operations inside of `operation`, children before their parent."""
    for region in operation.regions:
        for block in region.blocks:
            for child in block.operations:
                yield from _walk(child.operation)
    yield operation


def _strip_shardings(operation: Any) -> None:
    target = _call_target(operation)
    if operation.name == "sdy.mesh":
        operation.erase()
    elif operation.name == "sdy.sharding_constraint" or target in _SHARDING_CALLS:
        operation.results[0].replace_all_uses_with(operation.operands[0])
        operation.erase()
    else:
        _drop_attributes(operation)


def _drop_attributes(operation: Any) -> None:
    for name in _sharding_names(operation.attributes):
        del operation.attributes[name]
    for place in ("arg_attrs", "res_attrs"):
        if place in operation.attributes:
            kept = [_without_shardings(each) for each in operation.attributes[place]]
            operation.attributes[place] = mlir.ir.ArrayAttr.get(kept)


def _without_shardings(attributes: Any) -> Any:
    dropped = _sharding_names(attributes)
    pairs = {each.name: each.attr for each in attributes}
    return mlir.ir.DictAttr.get({k: v for k, v in pairs.items() if k not in dropped})


def _sharding_names(attributes: Any) -> list[str]:
    names = [_name(each) for each in attributes]
    return [
        name
        for name in names
        if name.startswith(_SHARDING_DIALECT) or name in _SHARDING_ATTRIBUTES
    ]


def _name(attribute: Any) -> str:
    """Gives the name of what iterating over attributes gives: it differs by version."""
    return attribute if isinstance(attribute, str) else attribute.name


def _call_target(operation: Any) -> str | None:
    if operation.name != "stablehlo.custom_call":
        return None
    return mlir.ir.StringAttr(operation.attributes["call_target_name"]).value


def _check_call(operation: Any) -> None:
    target = _call_target(operation)
    if target is not None and target not in _KNOWN_CALLS:
        raise UnsupportedError(
            f"the program calls `{target}`, a library of JAX's own platforms.",
            hint="compute this part outside, or by operations that need no library",
        )
