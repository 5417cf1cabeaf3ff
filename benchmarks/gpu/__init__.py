# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of the GPU suite; each is a module whose `measure()` gives rows."""

import reporting  # noqa: F401  (puts the examples on the path)
