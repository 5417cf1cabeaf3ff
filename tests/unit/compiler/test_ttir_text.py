# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""TTIR in the spelling of every Triton that is supported, read by the installed JAX."""

from __future__ import annotations

import pytest

from tritonflow.compiler.ttir_text import readable_ttir
from tritonflow.mlir import ttir_to_generic

FUNCTION = """
module {{
  tt.func public @k(%p: tensor<4x!tt.ptr<f32>>, %q: !tt.ptr<f32>, %n: i32, %s: i64) {{
{body}
    tt.return
  }}
}}
"""


def generic(*lines: str) -> str:
    body = "\n".join(f"    {line}" for line in lines)
    return ttir_to_generic(readable_ttir(FUNCTION.format(body=body)), locations=False)


@pytest.mark.parametrize(
    "hints",
    [
        " cacheModifier = cg evictionPolicy = evict_last",
        " evictionPolicy = evict_first",
        " {cachePolicy = #tt.cache_policy<cache_modifier = cg>}",
        "",
    ],
)
def test_cache_hints_are_left_out(hints):
    plain = generic("%v = tt.load %p : tensor<4x!tt.ptr<f32>>")
    assert generic(f"%v = tt.load %p{hints} : tensor<4x!tt.ptr<f32>>") == plain


@pytest.mark.parametrize(
    "attributes",
    [
        " cacheModifier = cg {isVolatile = true}",
        " {cachePolicy = #tt.cache_policy<cache_modifier = cg>, isVolatile = true}",
    ],
)
def test_what_is_no_hint_stays(attributes):
    text = generic(f"%v = tt.load %p{attributes} : tensor<4x!tt.ptr<f32>>")
    assert "isVolatile = true" in text


def test_cat_is_read_where_jaxlib_has_none():
    text = generic(
        "%v = tt.load %p : tensor<4x!tt.ptr<f32>>",
        "%w = tt.cat %v, %v : tensor<4xf32> -> tensor<8xf32>",
    )
    assert '= "tt.cat"(' in text
    assert "(tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>" in text


@pytest.mark.parametrize("block", ["tensor<4x8xf32>", "4x8xf32"])
def test_descriptors_have_one_type(block):
    text = generic(
        "%one = arith.constant 1 : i64",
        f"%d = tt.make_tensor_descriptor %q, [%n, %n], [%s, %one] : <f32>, <{block}>",
        f"%v = tt.descriptor_load %d[%n, %n] : !tt.tensordesc<{block}> "
        "-> tensor<4x8xf32>",
    )
    assert '"tt.descriptor_load"' in text
    assert "!tt.tensordesc<4x8xf32>" in text
