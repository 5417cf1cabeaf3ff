// SPDX-FileCopyrightText: 2026 The tritonflow authors
// SPDX-License-Identifier: Apache-2.0
// RUN: not tritonflow opt %s -p outline-triton-executables 2>&1 | filecheck %s

// CHECK:      SignatureError: `x` of kernel `copy`: the kernel writes it at user.py:9
// CHECK-NEXT:   at user.py:9
// CHECK-NEXT:   hint: name `x` in input_output_aliases
module attributes {triton.kernels = {c0b1 = [
    {target = "cpu", name = "copy", code = "",
     parameters = [{name = "x", type = f32, effect = "readwrite", written_at = "user.py:9"},
                   {name = "y", type = f32, effect = "write"}]}]}} {
func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %g = arith.constant 4 : index
  %0 = "triton.call"(%g, %g, %g, %x) {callee = @copy, kernel = "c0b1",
    operandSegmentSizes = array<i32: 3, 1, 0>, zeroed = array<i64>,
    parameters = [{operand = 0}, {result = 0}]}
    : (index, index, index, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
}
