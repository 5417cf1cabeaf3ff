# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0

# IREE ships its MLIR bindings without types. jaxlib ships types for the same bindings.
from jaxlib.mlir._mlir_libs._mlir.passmanager import *
