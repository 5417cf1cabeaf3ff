// SPDX-FileCopyrightText: 2026 The tritonflow authors
// SPDX-License-Identifier: Apache-2.0
// RUN: tritonflow opt %s -p inline-shape-functions | filecheck %s

// A function that takes a dimension of the program is inlined, with what it calls.

// CHECK-LABEL: func.func public @main
// CHECK:         %[[N:.*]] = stablehlo.get_dimension_size %arg0
// CHECK:         stablehlo.add %[[N]], %[[N]]
// CHECK-NOT:     call
// CHECK-NOT:   func.func private
func.func public @main(%x: tensor<?xf32>) -> tensor<i32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %0 = call @inner(%n) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
func.func private @inner(%n: tensor<i32> {jax.global_constant = "b"}) -> tensor<i32> {
  %0 = call @twice(%n) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
func.func private @twice(%n: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.add %n, %n : tensor<i32>
  return %0 : tensor<i32>
}
