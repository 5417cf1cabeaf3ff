# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Operations of the dialect: made, printed, read back, and refused where broken."""

from __future__ import annotations

import re

import pytest

from tritonflow.dialect.base import Attribute, Operands, TritonOp, find_ops
from tritonflow.dialect.call import CallOp
from tritonflow.dialect.dispatch import DispatchOp
from tritonflow.dialect.executable import ExecutableOp, ExportOp
from tritonflow.dialect.launch import LaunchParameter, decode_parameters
from tritonflow.dialect.verify import verify_module
from tritonflow.errors import VerifyError
from tritonflow.mlir import ir, new_context, parse_module

CALL = """
func.func @main(%x: tensor<?xf32>, %n: i32, %d: index) -> tensor<?xf32> {
  %g = arith.constant 4 : index
  %r = "triton.call"(%g, %g, %g, %x, %n, %d) {callee = @copy, kernel = "key",
    operandSegmentSizes = array<i32: 3, 2, 1>, zeroed = array<i64>,
    parameters = [{operand = 0}, {result = 0}, {operand = 1}]}
    : (index, index, index, tensor<?xf32>, i32, index) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
"""

DISPATCH = """
func.func @main(%x: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  %g = arith.constant 4 : index
  %r = "triton.dispatch"(%g, %g, %g, %x, %n) {entry_points = [@exe::@sm_90],
    operandSegmentSizes = array<i32: 3, 2, 0, 0>, zeroed = array<i64>,
    parameters = [{operand = 0}, {result = 0}, {operand = 1}]}
    : (index, index, index, tensor<4xf32>, i32) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
"""

REFINED = """
func.func @main(%x: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  %g = arith.constant 4 : index
  %r = "triton.dispatch"(%g, %g, %g, %x, %n) {entry_points = [@exe::@sm_90],
    operandSegmentSizes = array<i32: 3, 2, 0, 0>, tied_operands = array<i64: 0>}
    : (index, index, index, tensor<4xf32>, i32) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
"""

EXECUTABLE = """
"triton.executable"() ({
  "triton.executable.export"() ({
  ^bb0:
  }) {sym_name = "sm_90", entry_point = "copy", target = "cuda:sm_90",
      parameters = [{name = "x", type = f32, effect = "read"},
                    {name = "n", type = i32}],
      num_warps = 4, warp_size = 32, shared_bytes = 0, scratch_bytes = 0,
      bindings = array<i64: 0>, constants = array<i64: 1, 0>, has_scratch = false,
      objects = [#hal.executable.object<{path = "k", data = dense<1> : vector<4xi8>}>]
     } : () -> ()
}) {sym_name = "exe", kernel = "key"} : () -> ()
"""

CPU_EXECUTABLE = """
"triton.executable"() ({
  "triton.executable.export"() ({
    builtin.module {}
  }) {sym_name = "host", entry_point = "copy", target = "cpu", parameters = [],
      num_warps = 1, warp_size = 1, shared_bytes = 0, scratch_bytes = 0} : () -> ()
}) {sym_name = "exe", kernel = "key"} : () -> ()
"""


@pytest.mark.parametrize("text", [CALL, DISPATCH, REFINED, EXECUTABLE, CPU_EXECUTABLE])
def test_round_trip(text: str):
    module = parse_module(text)
    verify_module(module)
    again = parse_module(str(module))
    verify_module(again)
    assert str(again) == str(module)


BROKEN = [
    (CALL, "callee = @copy, ", "", "`callee`: the attribute is missing"),
    (CALL, "@copy", '"copy"', '`callee`: got `"copy"`, expected a FlatSymbolRefAttr'),
    (CALL, "i32: 3, 2, 1>", "i32: 3, 2, 0>", "add up to 5, expected the 6 operands"),
    (CALL, "i32: 3, 2, 1>", "i32: 2, 3, 1>", "`grid`: got 2 operands, expected 3"),
    (CALL, "i32: 3, 2, 1>", "i32: 3, 3>", "expected 3 sizes of 0 or more"),
    (CALL, "i32: 3, 2, 1>", "i32: 3, 3, 0>", r"the operands named are \[0, 1\]"),
    (CALL, "{result = 0}", "{result = 1}", r"the results named are \[1\]"),
    (CALL, "{result = 0}", "{kind = 0}", "entry 1 is"),
    (CALL, "{operand = 1}]", "{operand = 0}]", r"the operands named are \[0, 0\]"),
    (CALL, "zeroed = array<i64>", "zeroed = array<i64: 3>", "`zeroed`: got result 3"),
    (CALL, "zeroed = array<i64>", "zeroed = array<i64: 0, 0>", "expected no repeats"),
    (
        CALL,
        "[{operand = 0}, {result = 0}, {operand = 1}]",
        "[{operand = 0}, {operand = 1, result = 0}]",
        "argument 1 of type `i32` is returned as result 0",
    ),
    (
        DISPATCH,
        "[@exe::@sm_90]",
        "[]",
        "`entry_points`: got none, expected one or more",
    ),
    (DISPATCH, "[@exe::@sm_90]", "[@exe]", "expected `@executable::@export`"),
    (DISPATCH, "@exe::@sm_90", "@a::@b, @c::@d", "expected exports of one executable"),
    (DISPATCH, "zeroed = array<i64>,", "", "`zeroed`: the attribute is missing"),
    (
        DISPATCH,
        "zeroed = array<i64>,",
        "tied_operands = array<i64: 0>,",
        "either `parameters` or `tied_operands`",
    ),
    (REFINED, "array<i64: 0>", "array<i64: 1>", "expected one of type `tensor<4xf32>`"),
    (REFINED, "array<i64: 0>", "array<i64>", "expected one argument for each of 1"),
    (EXECUTABLE, '"cuda:sm_90"', '"cuda:sm_9"', "`target`: target `cuda:sm_9`"),
    (EXECUTABLE, "num_warps = 4", "num_warps = 0", "`num_warps`: got 0, expected 1"),
    (EXECUTABLE, "array<i64: 1, 0>", "array<i64: 1>", "expected pairs"),
    (EXECUTABLE, "array<i64: 1, 0>", "array<i64: 0, 0>", "expected a scalar's index"),
    (EXECUTABLE, "bindings = array<i64: 0>", "bindings = array<i64>", "`bindings`"),
    (EXECUTABLE, "has_scratch = false,", "", "`has_scratch`: the attribute is missing"),
    (EXECUTABLE, "type = i32}", "kind = i32}", "`parameters`: entry 1 is"),
    (CPU_EXECUTABLE, "builtin.module {}", "", "`code`: got none"),
    (
        CPU_EXECUTABLE,
        "num_warps = 1,",
        "num_warps = 1, has_scratch = true,",
        "expected none for a CPU",
    ),
]


@pytest.mark.parametrize(("text", "old", "new", "message"), BROKEN)
def test_what_is_broken_is_named(text: str, old: str, new: str, message: str):
    assert old in text
    module = parse_module(text.replace(old, new))
    with pytest.raises(VerifyError, match=message) as caught:
        verify_module(module)
    assert "`triton." in str(caught.value)


def test_an_executable_needs_exports_of_different_names():
    export = re.search(r'"triton.executable.export".*?\(\) -> \(\)\n', EXECUTABLE, re.S)
    assert export is not None
    with pytest.raises(VerifyError, match="expected no repeats"):
        verify_module(parse_module(EXECUTABLE.replace(export[0], export[0] * 2)))
    with pytest.raises(VerifyError, match="`exports`: got none"):
        verify_module(parse_module(EXECUTABLE.replace(export[0], "")))


def test_operations_that_the_dialect_does_not_have():
    module = parse_module('"triton.cal"() : () -> ()')
    with pytest.raises(VerifyError, match=r"`triton.cal`: .* expected one of"):
        verify_module(module)


def test_the_users_line_is_in_the_message():
    text = CALL.replace(
        "(index, index, index, tensor<?xf32>, i32, index) -> tensor<?xf32>",
        "(index, index, index, tensor<?xf32>, i32, index) -> tensor<?xf32> "
        'loc("model.py":12:0)',
    )
    module = parse_module(text.replace('kernel = "key",', ""))
    with pytest.raises(VerifyError, match=r"model\.py:12"):
        verify_module(module)


def test_fields_read_what_create_wrote():
    with new_context(), ir.Location.unknown():
        module = ir.Module.create()
        f32 = ir.RankedTensorType.get([4], ir.F32Type.get())
        with ir.InsertionPoint(module.body):
            filler = ir.Operation.create(
                "test.values", results=[ir.IndexType.get(), f32]
            )
            size, tensor = filler.results
            call = CallOp.create(
                results=[f32],
                callee=ir.FlatSymbolRefAttr.get("copy"),
                kernel=ir.StringAttr.get("key"),
                parameters=ir.Attribute.parse("[{operand = 0}, {result = 0}]"),
                zeroed=ir.DenseI64ArrayAttr.get([0]),
                grid=[size] * 3,
                arguments=[tensor],
            )
        verify_module(module)
        assert call.callee.value == "copy"
        assert call.segment_sizes() == [3, 1, 0]
        assert call.grid == [size] * 3
        assert call.arguments == [tensor]
        assert decode_parameters(call.parameters) == (
            LaunchParameter(operand=0),
            LaunchParameter(result=0),
        )
        assert len(list(find_ops(module.operation, CallOp))) == 1
        assert not list(find_ops(module.operation, DispatchOp))
        with pytest.raises(TypeError, match="has no field gird"):
            CallOp.create(gird=[size])


def test_an_export_gives_its_fields_as_values():
    module = parse_module(EXECUTABLE)
    (executable,) = find_ops(module.operation, ExecutableOp)
    (export,) = executable.exports
    assert isinstance(export, ExportOp)
    assert str(export.parsed_target) == "cuda:sm_90"
    assert [p.name for p in export.kernel_parameters] == ["x", "n"]
    assert export.abi.bindings == (0,)
    assert export.abi.constants == ((1, 0),)


def test_a_class_of_fields_describes_an_operation():
    class PairOp(TritonOp, name="test.pair"):
        label = Attribute(ir.StringAttr, optional=True)
        left = Operands(ir.IndexType, count=1)
        right = Operands()

    with new_context(), ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            (value,) = ir.Operation.create(
                "test.value", results=[ir.F32Type.get()]
            ).results
            op = PairOp.create(left=[value], right=[value, value])
        assert op.label is None
        with pytest.raises(VerifyError, match="`left`: operand 0 is of type `f32`"):
            op.verify()
