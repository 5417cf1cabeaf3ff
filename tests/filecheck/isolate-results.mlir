// SPDX-FileCopyrightText: 2026 The tritonflow authors
// SPDX-License-Identifier: Apache-2.0
// RUN: tritonflow opt %s -p isolate-results | filecheck %s

// CHECK-LABEL: func.func public @main(
// CHECK-SAME:      %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<?x4xf32>, %[[U:.*]]: tensor<?xui8>)
// CHECK:         %[[B:.*]]:2 = stablehlo.optimization_barrier %[[X]], %[[Y]]
// CHECK:         %[[N:.*]] = tensor.dim %[[Y]]
// CHECK:         %[[T:.*]] = flow.tensor.tie_shape %[[B]]#1 : tensor<?x4xf32>{%[[N]]}
// CHECK:         return %[[B]]#0, %[[T]], %[[U]]
func.func public @main(%x: tensor<4xf32>, %y: tensor<?x4xf32>, %u: tensor<?xui8>) -> (tensor<4xf32>, tensor<?x4xf32>, tensor<?xui8>) {
  return %x, %y, %u : tensor<4xf32>, tensor<?x4xf32>, tensor<?xui8>
}

// CHECK-LABEL: func.func private @inner
// CHECK-NEXT:    return %{{.*}} : tensor<4xf32>
func.func private @inner(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
