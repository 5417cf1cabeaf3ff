# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels for GPUs get pointers that are multiples of 16 bytes, slices or not."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from tests.kernels import negate

import tritonflow
from tritonflow.mlir import parse_module, walk
from tritonflow.passes.alignment import POINTER_ALIGNMENT, Alignment

_SLICE = "stablehlo.slice %x [{}] : (tensor<{}>) -> tensor<{}>"


def may_be_odd(body: str, argument: str, extra: str = "") -> bool:
    """Whether what `body` calls `%r`, with `%x` an argument of the program, may be."""
    module = parse_module(
        f"""module {{
          func.func public @main(%x: tensor<{argument}>, %i: tensor<i32>,
                                 %p: tensor<i1>) {{
            {body}
            "test.use"(%r) : (tensor<*xf32>) -> ()
            return
          }}
          {extra}
        }}""".replace("tensor<*xf32>", _result_type(body))
    )
    (use,) = [op for op in walk(module.operation) if op.name == "test.use"]
    return Alignment(module).may_be_odd(use.operands[0])


def _result_type(body: str) -> str:
    (line,) = [line for line in body.splitlines() if line.strip().startswith("%r =")]
    return re.findall(r"tensor<[^>]*>", body)[-1] if line else ""


@pytest.mark.parametrize(
    ("bounds", "source", "result", "expected"),
    [
        ("0:4", "9xf32", "4xf32", False),
        ("4:8", "9xf32", "4xf32", False),
        ("1:5", "9xf32", "4xf32", True),
        ("8:9", "9xf16", "1xf16", False),
        ("4:8", "9xf16", "4xf16", True),
        ("2:4", "9xf64", "2xf64", False),
        ("16:20", "99xi8", "4xi8", False),
        ("15:19", "99xi8", "4xi8", True),
        ("1:2, 0:8", "3x8xf32", "1x8xf32", False),
        ("1:2, 0:7", "3x7xf32", "1x7xf32", True),
        ("1:2, 0:5, 0:4", "3x5x4xf32", "1x5x4xf32", False),
    ],
)
def test_static_slices(bounds: str, source: str, result: str, expected: bool) -> None:
    body = f"%r = {_SLICE.format(bounds, source, result)}"
    assert may_be_odd(body, source) is expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "%r = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 8] : "
            "(tensor<3x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>",
            False,
        ),
        (
            "%r = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 4] : "
            "(tensor<3x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>",
            True,
        ),
        (
            "%s = stablehlo.slice %x [1:2, 0:7] : (tensor<3x8xf32>) -> "
            "tensor<1x7xf32>\n"
            "%r = stablehlo.reshape %s : (tensor<1x7xf32>) -> tensor<7xf32>",
            False,  # A row starts at 32 bytes.
        ),
        (
            "%s = stablehlo.slice %x [0:1, 1:8] : (tensor<3x8xf32>) -> "
            "tensor<1x7xf32>\n"
            "%r = stablehlo.reshape %s : (tensor<1x7xf32>) -> tensor<7xf32>",
            True,
        ),
        (
            "%s = stablehlo.slice %x [0:1, 1:8] : (tensor<3x8xf32>) -> "
            "tensor<1x7xf32>\n"
            "%r = stablehlo.add %s, %s : tensor<1x7xf32>",
            False,  # A buffer of its own.
        ),
        (
            "%s = stablehlo.slice %x [0:1, 1:8] : (tensor<3x8xf32>) -> "
            "tensor<1x7xf32>\n"
            "%z = stablehlo.add %s, %s : tensor<1x7xf32>\n"
            '%r = "stablehlo.if"(%p) ({ stablehlo.return %s : tensor<1x7xf32> }, '
            "{ stablehlo.return %z : tensor<1x7xf32> }) : (tensor<i1>) -> "
            "tensor<1x7xf32>",
            True,
        ),
        (
            "%s = stablehlo.slice %x [0:1, 1:8] : (tensor<3x8xf32>) -> "
            "tensor<1x7xf32>\n"
            "%r = func.call @same(%s) : (tensor<1x7xf32>) -> tensor<1x7xf32>",
            True,
        ),
    ],
)
def test_through_views_branches_and_calls(body: str, expected: bool) -> None:
    extra = """func.func private @same(%a: tensor<1x7xf32>) -> tensor<1x7xf32> {
        return %a : tensor<1x7xf32>
    }"""
    assert may_be_odd(body, "3x8xf32", extra) is expected


def _read_slices(x: jax.Array, _: jax.Array) -> jax.Array:
    z = jnp.sin(x)
    return negate(z[1:1001]) + negate(z[1001:2001]) + negate(z[1024:2024])


def _join_results(x: jax.Array, y: jax.Array) -> jax.Array:
    return jnp.concatenate([negate(jnp.cos(x)[:1001]), negate(jnp.cos(y))])


def _update_with_result(x: jax.Array, y: jax.Array) -> jax.Array:
    return jax.lax.dynamic_update_slice(x + 1, negate(jnp.cos(y)[:1001]), (7,))


def _read_what_is_joined(x: jax.Array, y: jax.Array) -> tuple[jax.Array, jax.Array]:
    z = jnp.cos(y)
    return jnp.concatenate([jnp.sin(x)[:1001], z]), negate(z)


@pytest.mark.parametrize(
    ("program", "bindings"),
    [
        (_read_slices, 6),
        (_join_results, 4),
        (_update_with_result, 2),
        (_read_what_is_joined, 2),
    ],
)
def test_iree_binds_no_kernel_at_an_odd_offset(
    program: Callable[..., object], bindings: int, tmp_path: Path
) -> None:
    x = jax.ShapeDtypeStruct((4000,), jnp.float32)
    compiled = tritonflow.compile(program, x, x, target="cuda:sm_90", keep_ir=True)
    compiled.save(tmp_path / "p.vmfb")
    (stream,) = (tmp_path / "p.vmfb.ir").glob("4-*stream.mlir")
    text = stream.read_text()
    offsets = re.findall(
        r"dispatch \{@_negate.*?\{\n((?:\s+r[ow] .*\n)+)", text, re.MULTILINE
    )
    found = [
        int(offset)
        for bindings in offsets
        for offset in re.findall(r"\[%c(\d+)(?:_\d+)? for", bindings)
    ]
    assert len(found) == bindings
    assert not [offset for offset in found if offset % POINTER_ALIGNMENT]
