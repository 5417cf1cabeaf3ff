# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""A process that still holds results ends well, in whatever order Python frees them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
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

# Cycles: what is in them is freed by the collector at exit, in an order of its own.
for held in (results, views, shared, [program], [program, *views, *shared]):
    cycle = list(held)
    cycle.append(cycle)
    globals()[f"cycle{id(cycle)}"] = cycle
sys.modules["tritonflow.iree.devices"]._open_cpu.cache_clear()
del program, results, views
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_results_outlive_what_made_them(threads: int, tmp_path: Path) -> None:
    words = ["-c", SCRIPT, str(tmp_path / "double.vmfb"), str(threads)]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
