# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Which NVIDIA chips a variant of an executable runs on, as IREE's condition."""

from __future__ import annotations

from ..mlir import arith, ir

_EQUAL, _AT_LEAST = 0, 5
"""`arith.cmpi` predicates `eq` and `sge`."""


_FIRST_SPECIFIC = 90
"""From here on Triton compiles for `sm_90a` and the like: code for one chip alone."""


def create_condition(capability: int, *, is_portable: bool) -> None:
    """Makes the condition of a variant at the current insertion point.

    A cubin runs on chips of the same major and the same or a later minor capability,
    one for `sm_90a` and the like on that chip alone, PTX on every chip from its own on.
    Source: CUDA programming guide, binary and PTX compatibility.

    Args:
        capability: major * 10 + minor of the chip that the code is for.
        is_portable: the code is PTX.
    """
    device, i1 = ir.Type.parse("!hal.device"), ir.IntegerType.get_signless(1)
    condition = ir.Operation.create(
        "hal.executable.condition",
        attributes={
            "function_type": ir.TypeAttr.get(ir.FunctionType.get([device], [i1]))
        },
        regions=1,
    )
    block = condition.regions[0].blocks.append(device, arg_locs=[ir.Location.current])
    with ir.InsertionPoint(block):
        major = _query(block.arguments[0], "compute_capability_major")
        minor = _query(block.arguments[0], "compute_capability_minor")
        own_major, own_minor = _i64(capability // 10), _i64(capability % 10)
        is_specific = capability >= _FIRST_SPECIFIC and not is_portable
        fits = arith.andi(
            arith.cmpi(_EQUAL, major, own_major),
            arith.cmpi(_EQUAL if is_specific else _AT_LEAST, minor, own_minor),
        )
        if is_portable:
            next_major = _i64(capability // 10 + 1)
            fits = arith.ori(fits, arith.cmpi(_AT_LEAST, major, next_major))
        ir.Operation.create("hal.return", operands=[fits])


def _query(device: ir.Value, key: str) -> ir.Value:
    i1, i64 = ir.IntegerType.get_signless(1), ir.IntegerType.get_signless(64)
    query = ir.Operation.create(
        "hal.device.query",
        results=[i1, i64],
        operands=[device],
        attributes={
            "category": ir.StringAttr.get("cuda.device"),
            "key": ir.StringAttr.get(key),
            "default_value": ir.IntegerAttr.get(i64, 0),
        },
    )
    return query.results[1]


def _i64(value: int) -> ir.Value:
    i64 = ir.IntegerType.get_signless(64)
    return arith.constant(i64, ir.IntegerAttr.get(i64, value))
