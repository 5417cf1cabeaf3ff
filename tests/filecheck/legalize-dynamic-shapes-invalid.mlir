// SPDX-FileCopyrightText: 2026 The tritonflow authors
// SPDX-License-Identifier: Apache-2.0
// RUN: not tritonflow opt %s -p legalize-dynamic-shapes 2>&1 | filecheck %s

// CHECK: UnsupportedError: `stablehlo.dynamic_reduce_window`: not supported with symbolic dimensions.
// CHECK: hint: compile with the shapes of the arguments known
func.func @main(%x: tensor<?xf32>, %s: tensor<1xi32>) -> tensor<?xf32> {
  %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %s) : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
