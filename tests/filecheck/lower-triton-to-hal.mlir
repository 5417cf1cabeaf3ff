// SPDX-FileCopyrightText: 2026 The tritonflow authors
// SPDX-License-Identifier: Apache-2.0
// RUN: tritonflow opt %s -p refine-triton-abi -p lower-triton-to-hal | filecheck %s

// CHECK:       #[[TARGET:.*]] = #hal.executable.target<"cuda", "cuda-nvptx-fb">
// CHECK:       #[[LAYOUT:.*]] = #hal.pipeline.layout<constants = 1, bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>
// CHECK:       hal.executable private @copy_c0b1

// Code for sm_90a runs on that chip alone.
// CHECK:         hal.executable.variant public @sm_90 target(#[[TARGET]]) objects([#hal.executable.object<{path = "90.cubin"
// CHECK:           hal.executable.condition(%[[DEVICE:.*]]: !hal.device) -> i1
// CHECK:             %[[MAJOR:.*]] = hal.device.query<%[[DEVICE]] : !hal.device> key("cuda.device" :: "compute_capability_major")
// CHECK:             %[[MINOR:.*]] = hal.device.query<%[[DEVICE]] : !hal.device> key("cuda.device" :: "compute_capability_minor")
// CHECK:             arith.constant 9 : i64
// CHECK:             arith.constant 0 : i64
// CHECK:             arith.cmpi eq
// CHECK:             arith.cmpi eq
// CHECK:             %[[FITS:.*]] = arith.andi
// CHECK:             hal.return %[[FITS]] : i1
// CHECK:           hal.executable.export public @copy ordinal(0) layout(#[[LAYOUT]])
// CHECK:             <workgroup_size = [256 : index, 1 : index, 1 : index], workgroup_local_memory = 98304>

// A cubin for sm_80 runs on sm_86 and sm_89 too.
// CHECK:         hal.executable.variant public @sm_80 target(#[[TARGET]]) objects([#hal.executable.object<{path = "80.cubin"
// CHECK:             arith.constant 8 : i64
// CHECK:             arith.cmpi eq
// CHECK:             arith.cmpi sge
// CHECK:             <workgroup_size = [128 : index, 1 : index, 1 : index]>

// PTX of the oldest chip is for everything later.
// CHECK:         hal.executable.variant public @sm_80_ptx target(#[[TARGET]]) objects([#hal.executable.object<{path = "80.ptx"
// CHECK:             arith.cmpi sge
// CHECK:             arith.constant 9 : i64
// CHECK:             arith.cmpi sge
// CHECK:             arith.ori
"triton.executable"() ({
  "triton.executable.export"() ({
  ^bb0:
  }) {sym_name = "sm_90", entry_point = "copy", target = "cuda:sm_90",
      parameters = [{name = "x", type = f32, effect = "read"},
                    {name = "y", type = f32, effect = "write"}, {name = "n", type = i32}],
      num_warps = 8, warp_size = 32, shared_bytes = 98304, scratch_bytes = 0,
      bindings = array<i64: 0, 1>, constants = array<i64: 2, 0>, has_scratch = false,
      objects = [#hal.executable.object<{path = "90.cubin", data = dense<1> : vector<4xi8>}>]
     } : () -> ()
  "triton.executable.export"() ({
  ^bb0:
  }) {sym_name = "sm_80", entry_point = "copy", target = "cuda:sm_80",
      parameters = [{name = "x", type = f32, effect = "read"},
                    {name = "y", type = f32, effect = "write"}, {name = "n", type = i32}],
      num_warps = 4, warp_size = 32, shared_bytes = 0, scratch_bytes = 0,
      bindings = array<i64: 0, 1>, constants = array<i64: 2, 0>, has_scratch = false,
      objects = [#hal.executable.object<{path = "80.cubin", data = dense<1> : vector<4xi8>}>,
                 #hal.executable.object<{path = "80.ptx", data = dense<1> : vector<4xi8>}>]
     } : () -> ()
}) {sym_name = "copy_c0b1", kernel = "c0b1"} : () -> ()

// CHECK-LABEL: func.func @main
// CHECK:         flow.dispatch {@copy_c0b1::@sm_90::@copy, @copy_c0b1::@sm_80::@copy, @copy_c0b1::@sm_80_ptx::@copy}
// CHECK-SAME:      (%arg0, %[[MEMORY:.*]], %arg1) : (tensor<4xf32>, tensor<4xf32>, i32) -> %[[MEMORY]]
// CHECK-NOT:     triton.
func.func @main(%x: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  %g = arith.constant 4 : index
  %r = "triton.dispatch"(%g, %g, %g, %x, %n) {
    entry_points = [@copy_c0b1::@sm_90, @copy_c0b1::@sm_80],
    operandSegmentSizes = array<i32: 3, 2, 0, 0>, zeroed = array<i64>,
    parameters = [{operand = 0}, {result = 0}, {operand = 1}]}
    : (index, index, index, tensor<4xf32>, i32) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
