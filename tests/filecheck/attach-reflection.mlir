// SPDX-FileCopyrightText: 2026 The tritonflow authors
// SPDX-License-Identifier: Apache-2.0
// RUN: tritonflow opt %s -p attach-reflection --reflection name=softmax --reflection owner=us | filecheck %s
// RUN: tritonflow opt %s -p attach-reflection | filecheck %s --check-prefix=NONE

// CHECK: func.func public @main
// CHECK-SAME: attributes {iree.reflection = {name = "softmax", owner = "us"}}

// Without strings nothing changes.
// NONE: func.func public @main
// NONE-SAME: attributes {iree.reflection = {author = "somebody"}}
func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32>
    attributes {iree.reflection = {author = "somebody"}} {
  return %x : tensor<4xf32>
}
