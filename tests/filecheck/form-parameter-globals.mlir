// SPDX-FileCopyrightText: 2026 The tritonflow authors
// SPDX-License-Identifier: Apache-2.0
// RUN: tritonflow opt %s -p form-parameter-globals --parameter 0=layers.0.w --parameter 1=layers.0.b | filecheck %s

// CHECK-DAG:   util.global private @parameter_0 = #flow.parameter.named<"model"::"layers.0.w"> : tensor<4x4xf32>
// CHECK-DAG:   util.global private @parameter_1 = #flow.parameter.named<"model"::"layers.0.b"> : tensor<4xf32>
// CHECK:       func.func public @main(%arg0: tensor<4x4xf32> {test.name = "x"}) -> tensor<4x4xf32>
// CHECK-DAG:     %[[W:.*]] = util.global.load immutable @parameter_0 : tensor<4x4xf32>
// CHECK-DAG:     %[[B:.*]] = util.global.load immutable @parameter_1 : tensor<4xf32>
// CHECK:         stablehlo.broadcast_in_dim %[[B]]
// CHECK:         stablehlo.multiply %[[W]], %arg0
func.func public @main(%w: tensor<4x4xf32>, %b: tensor<4xf32>,
                       %x: tensor<4x4xf32> {test.name = "x"}) -> tensor<4x4xf32> {
  %0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.multiply %w, %x : tensor<4x4xf32>
  %2 = stablehlo.add %1, %0 : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
