// SPDX-FileCopyrightText: 2026 The tritonflow authors
// SPDX-License-Identifier: Apache-2.0
// RUN: not tritonflow opt %s -p legalize-triton-calls 2>&1 | filecheck %s

// CHECK: UnsupportedError: call of kernel `{{.*}}`: `stablehlo.reduce`: a grid or a kernel's integer is computed with it, expected arithmetic on dimensions of shapes.
// CHECK: hint: pass the number as an array and load it in the kernel
func.func public @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.reduce(%x init: %c0) applies stablehlo.add across dimensions = [0] : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
  %r = stablehlo.custom_call @tritonflow.call(%x, %n) {
    mhlo.backend_config = {kernel = "c0b1", name = "copy", grid = [{operand = 1}],
      arguments = [{kind = "operand", operand = 0}, {kind = "result", result = 0}]}}
    : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}
