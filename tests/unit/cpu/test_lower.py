# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The form of the code: contiguous accesses, fused stores, scratch only where needed.

The kernels are TTIR in generic form, so that these tests need no Triton.
"""

from __future__ import annotations

import pytest

from tritonflow.cpu.lower import lower_kernel
from tritonflow.errors import UnsupportedError
from tritonflow.target import Target

TARGET = Target.parse("cpu:znver4")

P = "!tt.ptr<f32>"
BLOCK_OF_POINTERS = f"tensor<256x{P}>"


def _kernel(body: str, parameters: str = f"%x: {P}, %out: {P}, %n: i32") -> str:
    types = ", ".join(each.split(": ")[1] for each in parameters.split(", "))
    return f"""
"tt.func"() <{{function_type = ({types}) -> (), sym_name = "kernel",
              sym_visibility = "public"}}> ({{
^bb0({parameters}):
  %i = "tt.make_range"() <{{start = 0 : i32, end = 256 : i32}}> : () -> tensor<256xi32>
  {body}
  "tt.return"() : () -> ()
}}) : () -> ()
"""


def _pointers(name: str, base: str, offsets: str = "%i") -> str:
    return f"""
  %{name}0 = "tt.splat"({base}) : ({P}) -> {BLOCK_OF_POINTERS}
  %{name} = "tt.addptr"(%{name}0, {offsets})
      : ({BLOCK_OF_POINTERS}, tensor<256xi32>) -> {BLOCK_OF_POINTERS}"""


def _load(name: str, pointers: str) -> str:
    return f"""
  %{name} = "tt.load"({pointers}) <{{operandSegmentSizes = array<i32: 1, 0, 0>}}>
      : ({BLOCK_OF_POINTERS}) -> tensor<256xf32>"""


def _store(pointers: str, value: str) -> str:
    return f"""
  "tt.store"({pointers}, {value}) : ({BLOCK_OF_POINTERS}, tensor<256xf32>) -> ()"""


REVERSED = """
  %last = "arith.constant"() <{value = dense<255> : tensor<256xi32>}>
      : () -> tensor<256xi32>
  %back = "arith.subi"(%last, %i)
      : (tensor<256xi32>, tensor<256xi32>) -> tensor<256xi32>"""


def test_contiguous_copy_is_one_loop_without_scratch() -> None:
    body = _pointers("p", "%x") + _pointers("q", "%out") + _load("a", "%p")
    code = lower_kernel(_kernel(body + _store("%q", "%a")), TARGET)
    assert code.count("scf.for") == 1
    assert "vector.load" in code
    assert "memref.alloc" not in code
    assert "gather" not in code


def test_stride_known_only_at_run_time_is_tested_for_one() -> None:
    strided = """
  %s = "tt.splat"(%n) : (i32) -> tensor<256xi32>
  %j = "arith.muli"(%i, %s) : (tensor<256xi32>, tensor<256xi32>) -> tensor<256xi32>"""
    body = strided + _pointers("p", "%x", "%j") + _pointers("q", "%out")
    code = lower_kernel(_kernel(body + _load("a", "%p") + _store("%q", "%a")), TARGET)
    assert "vector.load" in code
    assert "llvm.intr.masked.gather" in code
    assert code.count("scf.if") == 1


def test_store_that_runs_against_its_load_waits_for_all_of_it() -> None:
    body = REVERSED + _pointers("p", "%x") + _pointers("q", "%x", "%back")
    code = lower_kernel(_kernel(body + _load("a", "%p") + _store("%q", "%a")), TARGET)
    assert code.count("memref.alloc()") == 1
    assert code.count("scf.for") == 2


def test_update_in_place_needs_no_scratch() -> None:
    body = _pointers("p", "%x") + _load("a", "%p") + _store("%p", "%a")
    code = lower_kernel(_kernel(body), TARGET)
    assert "memref.alloc" not in code


def test_load_that_a_later_store_may_change_is_kept() -> None:
    body = _pointers("p", "%x") + _pointers("q", "%out") + _load("a", "%p")
    body += _store("%q", "%a") + _pointers("r", "%out", "%i") + _store("%r", "%a")
    code = lower_kernel(_kernel(body), TARGET)
    assert code.count("memref.alloc()") == 1
    assert code.count("vector.load") == 3


def test_pointers_that_grow_by_a_scalar_are_carried_as_one() -> None:
    loop = f"""
  %c0 = "arith.constant"() <{{value = 0 : i32}}> : () -> i32
  %c1 = "arith.constant"() <{{value = 1 : i32}}> : () -> i32
  %r = "scf.for"(%c0, %n, %c1, %p) ({{
  ^bb0(%k: i32, %at: {BLOCK_OF_POINTERS}):
    {_load("a", "%at")}
    {_store("%q", "%a")}
    %d = "tt.splat"(%n) : (i32) -> tensor<256xi32>
    %next = "tt.addptr"(%at, %d)
        : ({BLOCK_OF_POINTERS}, tensor<256xi32>) -> {BLOCK_OF_POINTERS}
    "scf.yield"(%next) : ({BLOCK_OF_POINTERS}) -> ()
  }}) : (i32, i32, i32, {BLOCK_OF_POINTERS}) -> {BLOCK_OF_POINTERS}"""
    body = _pointers("p", "%x") + _pointers("q", "%out") + loop
    code = lower_kernel(_kernel(body), TARGET)
    assert "memref.alloc" not in code
    assert "-> (i64)" in code


def test_unknown_operation() -> None:
    body = '"tt.unheard_of"() : () -> ()'
    with pytest.raises(UnsupportedError, match=r"kernel `kernel`: `tt\.unheard_of`"):
        lower_kernel(_kernel(body), TARGET)


def test_scalar_kernel_has_no_loop() -> None:
    body = f"""
  %a = "tt.load"(%x) <{{operandSegmentSizes = array<i32: 1, 0, 0>}}> : ({P}) -> f32
  "tt.store"(%out, %a) : ({P}, f32) -> ()"""
    code = lower_kernel(_kernel(body), TARGET)
    assert "scf.for" not in code
    assert code.count("memref.load") == code.count("memref.store") == 1
