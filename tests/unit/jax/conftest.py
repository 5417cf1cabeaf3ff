# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What the tests of the JAX front end share: reading calls out of exported text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tritonflow.mlir import ir, parse_module, walk


def _python(attribute: ir.Attribute) -> Any:
    """Gives a number as `(value, type)`."""
    if isinstance(attribute, ir.BoolAttr):
        return attribute.value, "i1"
    if isinstance(attribute, ir.IntegerAttr):
        return attribute.value, str(attribute.type)
    if isinstance(attribute, ir.FloatAttr):
        return attribute.value, str(attribute.type)
    if isinstance(attribute, ir.StringAttr):
        return attribute.value
    if isinstance(attribute, ir.ArrayAttr):
        return [_index(item) for item in attribute]
    if isinstance(attribute, ir.DictAttr):
        return {
            item.name: (_python if item.name == "value" else _index)(item.attr)
            for item in attribute
        }
    raise AssertionError(f"unexpected attribute {attribute}")


def _index(attribute: ir.Attribute) -> Any:
    """Gives a plain number for an i64: all but the values of constants are indices."""
    value = _python(attribute)
    if isinstance(attribute, ir.IntegerAttr):
        assert value[1] == "i64"
        return value[0]
    return value


@pytest.fixture
def calls_in() -> Callable[[str], list[dict[str, Any]]]:
    """Gives the `mhlo.backend_config` of each kernel call in a module's text, in order.

    The counts of operands and results are added as `operands` and `results`.
    """

    def read(text: str) -> list[dict[str, Any]]:
        found = []
        for operation in walk(parse_module(text).operation):
            if operation.name != "stablehlo.custom_call":
                continue
            target = ir.StringAttr(operation.attributes["call_target_name"]).value
            if target == "tritonflow.call":
                config = _python(operation.attributes["mhlo.backend_config"])
                config["operands"] = len(operation.operands)
                config["results"] = len(operation.results)
                found.append(config)
        return found

    return read
