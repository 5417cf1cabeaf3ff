// SPDX-FileCopyrightText: 2026 The tritonflow authors
// SPDX-License-Identifier: Apache-2.0
// RUN: tritonflow opt %s -p refine-triton-abi | filecheck %s

// For a GPU: buffers in the binary's order, then 32-bit words; the result is tied to
// memory of its own; a grid that may be empty is empty in all dimensions.

// CHECK: #[[LAYOUT:.*]] = #hal.pipeline.layout<constants = 3, bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>
// CHECK: layout = #[[LAYOUT]], num_warps = 4 : i64
"triton.executable"() ({
  "triton.executable.export"() ({
  ^bb0:
  }) {sym_name = "sm_80", entry_point = "copy", target = "cuda:sm_80",
      parameters = [{name = "n", type = f64}, {name = "x", type = f32, effect = "read"},
                    {name = "y", type = f32, effect = "write"}, {name = "f", type = i1}],
      num_warps = 4, warp_size = 32, shared_bytes = 0, scratch_bytes = 0,
      bindings = array<i64: 1, 2>, constants = array<i64: 0, 0, 0, 1, 3, 0>,
      has_scratch = false,
      objects = [#hal.executable.object<{path = "k", data = dense<1> : vector<4xi8>}>]
     } : () -> ()
}) {sym_name = "copy_gpu", kernel = "c0b1"} : () -> ()

// CHECK-LABEL: func.func @gpu
// CHECK:         %[[EMPTY:.*]] = arith.cmpi eq, %arg3
// CHECK:         %[[X:.*]] = arith.select %[[EMPTY]], %{{.*}}, %arg3
// CHECK:         %[[Y:.*]] = arith.select %[[EMPTY]]
// CHECK:         %[[DIM:.*]] = tensor.dim %arg0
// CHECK:         %[[MEMORY:.*]] = flow.tensor.empty : tensor<?xf32>{%arg4}
// CHECK:         %[[BITS:.*]] = arith.bitcast %arg1 : f64 to i64
// CHECK:         %[[LOW:.*]] = arith.trunci %{{.*}} : i64 to i32
// CHECK:         %[[HIGH:.*]] = arith.trunci %{{.*}} : i64 to i32
// CHECK:         %[[FLAG:.*]] = arith.extui %arg2 : i1 to i32
// CHECK:         "triton.dispatch"(%[[X]], %[[Y]], %{{.*}}, %arg0, %[[MEMORY]], %[[LOW]], %[[HIGH]], %[[FLAG]], %[[DIM]], %arg4, %arg4)
// CHECK-SAME:      tied_operands = array<i64: 1>
func.func @gpu(%x: tensor<?xf32>, %n: f64, %f: i1, %g: index, %d: index) -> tensor<?xf32> {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %r = "triton.dispatch"(%g, %c2, %c1, %n, %x, %f, %d) {entry_points = [@copy_gpu::@sm_80],
    operandSegmentSizes = array<i32: 3, 3, 0, 1>, zeroed = array<i64>,
    parameters = [{operand = 0}, {operand = 1}, {result = 0}, {operand = 2}]}
    : (index, index, index, f64, tensor<?xf32>, i1, index) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Scratch memory for all workgroups is one more result, after the other buffers.

"triton.executable"() ({
  "triton.executable.export"() ({
  ^bb0:
  }) {sym_name = "sm_90", entry_point = "tma", target = "cuda:sm_90",
      parameters = [{name = "y", type = f32, effect = "write"}, {name = "n", type = i32}],
      num_warps = 4, warp_size = 32, shared_bytes = 0, scratch_bytes = 384, scratch_alignment = 128,
      bindings = array<i64: 0>, constants = array<i64: 1, 0>, has_scratch = true,
      objects = [#hal.executable.object<{path = "k", data = dense<1> : vector<4xi8>}>]
     } : () -> ()
}) {sym_name = "tma_gpu", kernel = "7a"} : () -> ()

// CHECK-LABEL: func.func @scratch
// CHECK:         %[[ZEROS:.*]] = flow.tensor.splat %{{.*}} : tensor<4xf32>
// CHECK:         %[[EACH:.*]] = arith.constant 384 : index
// CHECK:         %[[A:.*]] = arith.muli %[[EACH]]
// CHECK:         %[[B:.*]] = arith.muli %[[A]]
// CHECK:         %[[C:.*]] = arith.muli %[[B]]
// CHECK:         %[[ALIGNMENT:.*]] = arith.constant 128 : index
// CHECK:         %[[BYTES:.*]] = arith.addi %[[C]], %[[ALIGNMENT]]
// CHECK:         %[[MEMORY:.*]] = flow.tensor.empty : tensor<?xi8>{%[[BYTES]]}
// CHECK:         "triton.dispatch"(%{{.*}}, %{{.*}}, %{{.*}}, %[[ZEROS]], %[[MEMORY]], %arg0, %[[BYTES]], %[[BYTES]])
// CHECK-SAME:      tied_operands = array<i64: 0, 1>
// CHECK-SAME:      -> (tensor<4xf32>, tensor<?xi8>)
func.func @scratch(%n: i32) -> tensor<4xf32> {
  %g = arith.constant 3 : index
  %r = "triton.dispatch"(%g, %g, %g, %n) {entry_points = [@tma_gpu::@sm_90],
    operandSegmentSizes = array<i32: 3, 1, 0, 0>, zeroed = array<i64: 0>,
    parameters = [{result = 0}, {operand = 0}]}
    : (index, index, index, i32) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// For a CPU: the kernel's own order, scalars as they are.

"triton.executable"() ({
  "triton.executable.export"() ({
    builtin.module {}
  }) {sym_name = "host", entry_point = "copy", target = "cpu",
      parameters = [{name = "n", type = f64}, {name = "y", type = f32, effect = "write"}],
      num_warps = 1, warp_size = 1, shared_bytes = 0, scratch_bytes = 0} : () -> ()
}) {sym_name = "copy_cpu", kernel = "c0b1"} : () -> ()

// CHECK-LABEL: func.func @cpu
// CHECK:         %[[MEMORY:.*]] = flow.tensor.empty : tensor<4xf32>
// CHECK:         "triton.dispatch"(%{{.*}}, %{{.*}}, %{{.*}}, %arg0, %[[MEMORY]])
// CHECK-SAME:      tied_operands = array<i64: 1>
func.func @cpu(%n: f64) -> tensor<4xf32> {
  %g = arith.constant 4 : index
  %r = "triton.dispatch"(%g, %g, %g, %n) {entry_points = [@copy_cpu::@host],
    operandSegmentSizes = array<i32: 3, 1, 0, 0>, zeroed = array<i64>,
    parameters = [{operand = 0}, {result = 0}]}
    : (index, index, index, f64) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// An array that the kernel updates while it also reads it is copied first.

"triton.executable"() ({
  "triton.executable.export"() ({
    builtin.module {}
  }) {sym_name = "host", entry_point = "add", target = "cpu",
      parameters = [{name = "x", type = f32, effect = "readwrite"},
                    {name = "y", type = f32, effect = "read"}],
      num_warps = 1, warp_size = 1, shared_bytes = 0, scratch_bytes = 0} : () -> ()
}) {sym_name = "add_cpu", kernel = "add"} : () -> ()

// CHECK-LABEL: func.func @in_place
// CHECK:         util.optimization_barrier
// CHECK:         %[[COPY:.*]] = linalg.generic
// CHECK-SAME:      ins(%arg0
// CHECK:         "triton.dispatch"(%{{.*}}, %{{.*}}, %{{.*}}, %[[COPY]], %arg0)
// CHECK:         "triton.dispatch"(%{{.*}}, %{{.*}}, %{{.*}}, %arg0, %arg1)
func.func @in_place(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %g = arith.constant 4 : index
  %r = "triton.dispatch"(%g, %g, %g, %x, %x) {entry_points = [@add_cpu::@host],
    operandSegmentSizes = array<i32: 3, 2, 0, 0>, zeroed = array<i64>,
    parameters = [{operand = 0, result = 0}, {operand = 1}]}
    : (index, index, index, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %s = "triton.dispatch"(%g, %g, %g, %x, %y) {entry_points = [@add_cpu::@host],
    operandSegmentSizes = array<i32: 3, 2, 0, 0>, zeroed = array<i64>,
    parameters = [{operand = 0, result = 0}, {operand = 1}]}
    : (index, index, index, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}
