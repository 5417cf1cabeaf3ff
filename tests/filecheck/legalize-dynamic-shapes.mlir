// SPDX-FileCopyrightText: 2026 The tritonflow authors
// SPDX-License-Identifier: Apache-2.0
// RUN: tritonflow opt %s -p legalize-dynamic-shapes | filecheck %s

// CHECK-LABEL: func.func @assertion
// CHECK-NOT:     shape_assertion
func.func @assertion(%ok: tensor<i1>, %n: tensor<i32>) {
  stablehlo.custom_call @shape_assertion(%ok, %n) {api_version = 2 : i32, error_message = "b", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  return
}

// CHECK-LABEL: func.func @broadcast
// CHECK:         %[[N:.*]] = tensor.dim %arg0
// CHECK:         %[[EMPTY:.*]] = tensor.empty(%[[N]]) : tensor<?x4xf32>
// CHECK:         linalg.generic {indexing_maps = [#[[COLUMN:.*]], #{{.*}}], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<?x1xf32>) outs(%[[EMPTY]] : tensor<?x4xf32>)
func.func @broadcast(%x: tensor<?x1xf32>) -> tensor<?x4xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x1xf32>) -> tensor<i32>
  %v = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c4 = stablehlo.constant dense<4> : tensor<1xi32>
  %s = stablehlo.concatenate %v, %c4, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [0, 1] : (tensor<?x1xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @split
// CHECK:         tensor.expand_shape %arg0 {{\[\[}}0], [1, 2]] output_shape [%{{.*}}, 3, 4]
func.func @split(%x: tensor<?x12xf32>) -> tensor<?x3x4xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x12xf32>) -> tensor<i32>
  %v = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %s = stablehlo.concatenate %v, %c, dim = 0 : (tensor<1xi32>, tensor<2xi32>) -> tensor<3xi32>
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<?x12xf32>, tensor<3xi32>) -> tensor<?x3x4xf32>
  return %0 : tensor<?x3x4xf32>
}

// CHECK-LABEL: func.func @merge
// CHECK:         tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2]]
func.func @merge(%x: tensor<?x3x4xf32>) -> tensor<?x4xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3x4xf32>) -> tensor<i32>
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %m = stablehlo.multiply %n, %c3 : tensor<i32>
  %v = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %c4 = stablehlo.constant dense<4> : tensor<1xi32>
  %s = stablehlo.concatenate %v, %c4, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<?x3x4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// Two dynamic dimensions may have changed places: nothing is concluded.

// CHECK-LABEL: func.func @ambiguous
// CHECK:         tensor.reshape %arg0
func.func @ambiguous(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %v = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %w = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %s = stablehlo.concatenate %w, %v, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @dot
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1
// CHECK:           arith.extf
// CHECK:           arith.extf
// CHECK:         linalg.generic {{.*}}
// CHECK:           arith.truncf
// CHECK-NOT:     stablehlo.dot_general
func.func @dot(%x: tensor<?x8x32xbf16>, %y: tensor<32x16xbf16>) -> tensor<?x8x16xbf16> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [2] x [0] : (tensor<?x8x32xbf16>, tensor<32x16xbf16>) -> tensor<?x8x16xbf16>
  return %0 : tensor<?x8x16xbf16>
}

// What IREE takes is left alone.

// CHECK-LABEL: func.func @left_alone
// CHECK:         stablehlo.dot_general %arg0, %arg1
// CHECK:         stablehlo.dot_general %arg2, %arg3
// CHECK:         stablehlo.gather
func.func @left_alone(%a: tensor<?x32xf32>, %b: tensor<32x16xf32>, %c: tensor<2x3x4x5xf32>, %d: tensor<5x6xf32>, %t: tensor<9x4xf32>, %i: tensor<3x1xi32>)
    -> (tensor<?x16xf32>, tensor<2x3x4x6xf32>, tensor<3x4xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<?x32xf32>, tensor<32x16xf32>) -> tensor<?x16xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [3] x [0] : (tensor<2x3x4x5xf32>, tensor<5x6xf32>) -> tensor<2x3x4x6xf32>
  %2 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<9x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return %0, %1, %2 : tensor<?x16xf32>, tensor<2x3x4x6xf32>, tensor<3x4xf32>
}

// CHECK-LABEL: func.func @iota
// CHECK:         linalg.generic
// CHECK:           linalg.index 1
func.func @iota(%x: tensor<?x4xf32>) -> tensor<?x4xi32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %v = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c4 = stablehlo.constant dense<4> : tensor<1xi32>
  %s = stablehlo.concatenate %v, %c4, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi32>) -> tensor<?x4xi32>
  return %0 : tensor<?x4xi32>
}

// CHECK-LABEL: func.func @gather
// CHECK:         linalg.generic
// CHECK:           tensor.extract %arg1
// CHECK:           arith.minsi
// CHECK:           arith.maxsi
// CHECK:           tensor.extract %arg0
func.func @gather(%t: tensor<9x4xf32>, %i: tensor<?x1xi32>) -> tensor<?x4xf32> {
  %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<9x4xf32>, tensor<?x1xi32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @slice
// CHECK:         arith.ceildivsi
// CHECK:         tensor.extract_slice %arg0
func.func @slice(%x: tensor<?xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %limit = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %start = stablehlo.constant dense<1> : tensor<1xi32>
  %stride = stablehlo.constant dense<2> : tensor<1xi32>
  %0 = stablehlo.real_dynamic_slice %x, %start, %limit, %stride : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
