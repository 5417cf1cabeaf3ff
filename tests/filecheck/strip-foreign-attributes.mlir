// SPDX-FileCopyrightText: 2026 The tritonflow authors
// SPDX-License-Identifier: Apache-2.0
// RUN: tritonflow opt %s -p strip-foreign-attributes -p attach-reflection --reflection program=softmax | filecheck %s

// CHECK:     module @softmax {
// CHECK:       func.func public @main(%arg0: tensor<4xf32> {test.kept = 1 : i64}) -> tensor<4xf32> attributes {iree.reflection = {program = "softmax"}}
// CHECK-NOT:   mhlo
module @softmax attributes {mhlo.num_partitions = 1 : i32, jax.uses_shape_polymorphism = true} {
  func.func public @main(%x: tensor<4xf32> {test.kept = 1 : i64, tf.aliasing_output = 0 : i32, mhlo.sharding = "{replicated}"})
      -> (tensor<4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.add %x, %x {mhlo.frontend_attributes = {}} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
