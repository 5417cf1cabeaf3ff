// SPDX-FileCopyrightText: 2026 The tritonflow authors
// SPDX-License-Identifier: Apache-2.0
// RUN: tritonflow opt %s -p outline-triton-executables | filecheck %s

// Two calls of one kernel share an executable with an export for each target, the newest
// chip first; another kernel has its own.

module attributes {triton.kernels = {
  c0b1 = [
    {target = "cuda:sm_80", name = "copy", num_warps = 4, shared_bytes = 64,
     parameters = [{name = "x", type = f32, effect = "read"},
                   {name = "y", type = f32, effect = "write"},
                   {name = "n", type = i64}],
     binary = dense<1> : vector<4xi8>, ptx = ".target sm_80\n",
     bindings = array<i64: 0, 1>, constants = array<i64: 2, 0, 2, 1>},
    {target = "cuda:sm_90", name = "copy", num_warps = 8, shared_bytes = 128,
     parameters = [{name = "x", type = f32, effect = "read"},
                   {name = "y", type = f32, effect = "write"},
                   {name = "n", type = i64}],
     binary = dense<2> : vector<4xi8>, ptx = ".target sm_90a\n",
     bindings = array<i64: 0, 1>, constants = array<i64: 2, 0, 2, 1>}],
  "5ca1e" = [
    {target = "cuda:sm_80", name = "scale", parameters = [{name = "y", type = f32, effect = "write"}],
     binary = dense<3> : vector<4xi8>, bindings = array<i64: 0>},
    {target = "cuda:sm_90", name = "scale", parameters = [{name = "y", type = f32, effect = "write"}],
     binary = dense<4> : vector<4xi8>, bindings = array<i64: 0>}]
}} {

// CHECK-NOT:   triton.kernels
// CHECK-DAG:   sym_name = "copy_c0b1"
// CHECK-DAG:   sym_name = "scale_5ca1e"

// CHECK-LABEL: func.func public @main
// CHECK:         %[[N:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK:         "triton.dispatch"(%{{.*}}, %arg0, %[[N]])
// CHECK-SAME:      entry_points = [@copy_c0b1::@sm_90, @copy_c0b1::@sm_80]
// CHECK:         "triton.dispatch"
// CHECK-SAME:      entry_points = [@copy_c0b1::@sm_90, @copy_c0b1::@sm_80]
// CHECK:         "triton.dispatch"
// CHECK-SAME:      entry_points = [@scale_5ca1e::@sm_90, @scale_5ca1e::@sm_80]
// CHECK-NOT:     triton.call
func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %g = arith.constant 4 : index
  %n = arith.constant 3 : i32
  %0 = "triton.call"(%g, %g, %g, %x, %n) {callee = @copy, kernel = "c0b1",
    operandSegmentSizes = array<i32: 3, 2, 0>, zeroed = array<i64>,
    parameters = [{operand = 0}, {result = 0}, {operand = 1}]}
    : (index, index, index, tensor<4xf32>, i32) -> tensor<4xf32>
  %1 = "triton.call"(%g, %g, %g, %0, %n) {callee = @copy, kernel = "c0b1",
    operandSegmentSizes = array<i32: 3, 2, 0>, zeroed = array<i64>,
    parameters = [{operand = 0}, {result = 0}, {operand = 1}]}
    : (index, index, index, tensor<4xf32>, i32) -> tensor<4xf32>
  %2 = "triton.call"(%g, %g, %g, %1) {callee = @scale, kernel = "5ca1e",
    operandSegmentSizes = array<i32: 3, 1, 0>, zeroed = array<i64>,
    parameters = [{operand = 0, result = 0}]}
    : (index, index, index, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
}
