# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""A process that still holds results ends well, whatever Python frees first."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import gc
import sys

import jax.numpy as jnp
import numpy as np
import tritonflow

x = np.arange(1000, dtype=np.float32)
program = tritonflow.compile(lambda v: v + v, x, target="cpu")
program.save(sys.argv[1])
program = tritonflow.load(sys.argv[1], threads=int(sys.argv[2]))
results = [program(x) for _ in range(20)]
views = [np.asarray(result) for result in results]
shared = [jnp.from_dlpack(result) for result in results]

# What an exiting process does at some point: Python's objects of the device go first.
del program, results
sys.modules["tritonflow.iree.devices"]._open_cpu.cache_clear()
gc.collect()
assert all(np.array_equal(view, 2 * x) for view in [*views, *shared])
del views, shared
gc.collect()
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_results_outlive_what_made_them(threads: int, tmp_path: Path) -> None:
    words = ["-c", SCRIPT, str(tmp_path / "double.vmfb"), str(threads)]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
