# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of passes: `lit tests/filecheck`, with the tools of one environment."""

import os
import sys
import tempfile

import lit.formats

config.name = "tritonflow"  # noqa: F821 (given by lit)
config.test_format = lit.formats.ShTest(execute_external=False)  # noqa: F821
config.suffixes = [".mlir"]  # noqa: F821
config.test_source_root = os.path.dirname(__file__)  # noqa: F821
# Outside of the repository: lit leaves its times and outputs there.
config.test_exec_root = os.path.join(tempfile.gettempdir(), "tritonflow-lit")  # noqa: F821
config.environment["PATH"] = os.pathsep.join(  # noqa: F821
    [os.path.dirname(sys.executable), os.environ.get("PATH", "")]
)
