// SPDX-FileCopyrightText: 2026 The tritonflow authors
// SPDX-License-Identifier: Apache-2.0
// RUN: tritonflow opt %s -p legalize-triton-calls | filecheck %s

// The grid, a kernel's integer and the result's dimension come from one shape: they are
// computed on the host, from what `tensor.dim` gives.

// CHECK-LABEL: func.func public @dynamic
// CHECK:         %[[DIM:.*]] = tensor.dim %arg0
// CHECK:         %[[N:.*]] = arith.index_cast %[[DIM]] : index to i32
// CHECK:         %[[SUM:.*]] = arith.addi %[[N]]
// CHECK:         %[[PROGRAMS:.*]] = arith.divsi %[[SUM]]
// CHECK:         %[[X:.*]] = arith.index_cast %[[PROGRAMS]] : i32 to index
// CHECK:         %[[EPS:.*]] = arith.constant 5.000000e-01 : f32
// CHECK:         %[[R:.*]] = "triton.call"(%[[X]], %{{.*}}, %{{.*}}, %arg0, %[[N]], %[[EPS]], %[[DIM]])
// CHECK-SAME:      callee = @scale
// CHECK-SAME:      kernel = "5ca1e"
// CHECK-SAME:      operandSegmentSizes = array<i32: 3, 3, 1>
// CHECK-SAME:      parameters = [{operand = 0 : i64}, {result = 0 : i64}, {operand = 1 : i64}, {operand = 2 : i64}]
// CHECK:         return %[[R]]
func.func public @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %c127 = stablehlo.constant dense<127> : tensor<i32>
  %c128 = stablehlo.constant dense<128> : tensor<i32>
  %sum = stablehlo.add %n, %c127 : tensor<i32>
  %programs = stablehlo.divide %sum, %c128 : tensor<i32>
  %shape = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.custom_call @tritonflow.call(%x, %programs, %n, %shape) {
    indices_of_shape_operands = dense<3> : tensor<1xi64>,
    mhlo.backend_config = {kernel = "5ca1e", name = "scale", grid = [{operand = 1}],
      arguments = [{kind = "operand", operand = 0}, {kind = "result", result = 0},
                   {kind = "value", operand = 2}, {kind = "constant", value = 0.5 : f32}]}}
    : (tensor<?xf32>, tensor<i32>, tensor<i32>, tensor<1xi32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Calls of others are left alone.

// CHECK-LABEL: func.func public @other
// CHECK:         stablehlo.custom_call @Sharding(%arg0)
// CHECK-NOT:     triton.call
func.func public @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = stablehlo.custom_call @Sharding(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// In a loop, a size that every iteration keeps is the one before the loop.

// CHECK-LABEL: func.func public @loop
// CHECK:         %[[DIM:.*]] = tensor.dim %arg0
// CHECK:         stablehlo.while
// CHECK:           "triton.call"(%[[DIM]], %{{.*}}, %{{.*}}, %{{.*}}, %[[DIM]])
func.func public @loop(%x: tensor<?xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %c = stablehlo.constant dense<false> : tensor<i1>
  %0:2 = stablehlo.while(%size = %n, %y = %x) : tensor<i32>, tensor<?xf32>
  cond {
    stablehlo.return %c : tensor<i1>
  } do {
    %shape = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
    %r = stablehlo.custom_call @tritonflow.call(%y, %size, %shape) {
      indices_of_shape_operands = dense<2> : tensor<1xi64>,
      mhlo.backend_config = {kernel = "5ca1e", name = "scale", grid = [{operand = 1}],
        arguments = [{kind = "operand", operand = 0}, {kind = "result", result = 0}]}}
      : (tensor<?xf32>, tensor<i32>, tensor<1xi32>) -> tensor<?xf32>
    stablehlo.return %size, %r : tensor<i32>, tensor<?xf32>
  }
  return %0#1 : tensor<?xf32>
}

// Unsigned tensors lose their sign around the call.

// CHECK-LABEL: func.func public @unsigned
// CHECK:         %[[X:.*]] = stablehlo.bitcast_convert %arg0 : (tensor<4xui8>) -> tensor<4xi8>
// CHECK:         %[[R:.*]] = "triton.call"({{.*}}, %[[X]]) {{.*}} -> tensor<4xi8>
// CHECK:         stablehlo.bitcast_convert %[[R]] : (tensor<4xi8>) -> tensor<4xui8>
func.func public @unsigned(%x: tensor<4xui8>) -> tensor<4xui8> {
  %r = stablehlo.custom_call @tritonflow.call(%x) {
    mhlo.backend_config = {kernel = "c0b1", name = "copy", grid = [4, 1, 1],
      arguments = [{kind = "operand", operand = 0}, {kind = "result", result = 0}]}}
    : (tensor<4xui8>) -> tensor<4xui8>
  return %r : tensor<4xui8>
}
