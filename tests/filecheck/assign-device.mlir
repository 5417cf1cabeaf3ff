// SPDX-FileCopyrightText: 2026 The tritonflow authors
// SPDX-License-Identifier: Apache-2.0
// RUN: tritonflow opt %s -p assign-device --target cuda:sm_80 --target cuda:sm_90 | filecheck %s --check-prefix=CUDA
// RUN: tritonflow opt %s -p assign-device --target cpu | filecheck %s --check-prefix=CPU
// RUN: tritonflow opt %s -p assign-device | filecheck %s --check-prefix=NONE

// CUDA: module attributes {stream.affinity.default = #hal.device.affinity<@device>}
// CUDA: util.global private @device = #hal.device.alias<"cuda"> : !hal.device
// CPU:  util.global private @device = #hal.device.alias<"local"> : !hal.device
// NONE-NOT: device
func.func public @main() { return }
