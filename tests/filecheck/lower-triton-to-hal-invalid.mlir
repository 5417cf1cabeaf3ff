// SPDX-FileCopyrightText: 2026 The tritonflow authors
// SPDX-License-Identifier: Apache-2.0
// RUN: not tritonflow opt %s -p lower-triton-to-hal 2>&1 | filecheck %s

// CHECK: VerifyError: `triton.executable.export`: `layout`: run `refine-triton-abi` first.
"triton.executable"() ({
  "triton.executable.export"() ({
  ^bb0:
  }) {sym_name = "gfx942", entry_point = "copy", target = "rocm:gfx942", parameters = [],
      num_warps = 8, warp_size = 64, shared_bytes = 0, scratch_bytes = 0,
      bindings = array<i64>, constants = array<i64>, has_scratch = false,
      objects = [#hal.executable.object<{path = "k.hsaco", data = dense<1> : vector<4xi8>}>]
     } : () -> ()
}) {sym_name = "copy_c0b1", kernel = "c0b1"} : () -> ()
