// SPDX-FileCopyrightText: 2026 The tritonflow authors
// SPDX-License-Identifier: Apache-2.0
// RUN: tritonflow opt %s -p attach-reflection | filecheck %s

// The command line gives no strings: what another tool wrote stays as it is.

// CHECK: func.func public @main
// CHECK-SAME: attributes {iree.reflection = {author = "somebody"}}
func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32>
    attributes {iree.reflection = {author = "somebody"}} {
  return %x : tensor<4xf32>
}
