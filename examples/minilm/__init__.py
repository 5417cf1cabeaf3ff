# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The MiniLM sentence encoder, with Triton kernels and in plain JAX."""
