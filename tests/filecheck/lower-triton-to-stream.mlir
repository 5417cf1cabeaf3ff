// SPDX-FileCopyrightText: 2026 The tritonflow authors
// SPDX-License-Identifier: Apache-2.0
// RUN: tritonflow opt %s -p lower-triton-to-stream | filecheck %s

// CHECK:       stream.executable private @copy_c0b1 {
// CHECK:         stream.executable.export public @copy_c0b1 workgroups(%[[X:.*]]: index, %[[Y:.*]]: index, %[[Z:.*]]: index) -> (index, index, index) {
// CHECK:           stream.return %[[X]], %[[Y]], %[[Z]] : index, index, index
// CHECK:         builtin.module {
// CHECK:           func.func @copy_c0b1(%{{.*}}: !stream.binding, %{{.*}}: i32) {
"triton.executable"() ({
  "triton.executable.export"() ({
    builtin.module {
      func.func @copy(%y: !stream.binding, %n: i32) { return }
    }
  }) {sym_name = "host", entry_point = "copy", target = "cpu",
      parameters = [{name = "y", type = f32, effect = "write"}, {name = "n", type = i32}],
      num_warps = 1, warp_size = 1, shared_bytes = 0, scratch_bytes = 0} : () -> ()
}) {sym_name = "copy_c0b1", kernel = "c0b1"} : () -> ()

// CHECK-LABEL: func.func @main
// CHECK:         %[[R:.*]] = flow.dispatch @copy_c0b1::@copy_c0b1[%arg3, %arg3, %arg3](%arg0, %arg1)
// CHECK-SAME:      : (tensor<?xf32>{%arg2}, i32) -> %arg0{%arg2}
// CHECK:         return %[[R]]
func.func @main(%y: tensor<?xf32>, %n: i32, %d: index, %g: index) -> tensor<?xf32> {
  %r = "triton.dispatch"(%g, %g, %g, %y, %n, %d, %d) {entry_points = [@copy_c0b1::@host],
    operandSegmentSizes = array<i32: 3, 2, 1, 1>, tied_operands = array<i64: 0>}
    : (index, index, index, tensor<?xf32>, i32, index, index) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
