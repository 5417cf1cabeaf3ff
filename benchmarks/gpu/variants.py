# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Which code runs of an artifact that holds code for several chips.

Machine code runs on chips of its own major version alone. So with the driver's PTX
compiler switched off, an artifact for sm_80 and this chip gives a result only if the
code for this chip ran, and one for sm_80 alone must not run at all.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import softmax as sm

import tritonflow

from . import device

OLDER = "cuda:sm_80"


def measure(rounds: int) -> list[dict[str, Any]]:
    """Gives one row for each artifact, with and without the driver's compiler."""
    del rounds
    x = _input()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for targets in ([OLDER, device.target()], [OLDER]):
            path = Path(folder, "softmax.vmfb")
            tritonflow.compile(sm.softmax, x, target=targets).save(path)
            for may_compile in (False, True):
                expected = may_compile or len(targets) > 1
                found = _runs_right(path, may_compile)
                rows.append(
                    {
                        "artifact for": " ".join(targets),
                        "PTX compilation": "allowed" if may_compile else "forbidden",
                        "runs": found,
                        "expected": expected,
                        "passed": found == expected,
                    }
                )
    return rows


def _input() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((100, 781), np.float32)


def _runs_right(path: Path, may_compile: bool) -> bool:
    here = str(Path(__file__).parent.parent)
    places = [here, os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(places)}
    if not may_compile:
        environment |= {"CUDA_DISABLE_PTX_JIT": "1", "CUDA_CACHE_DISABLE": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "gpu.variants", str(path)], env=environment, check=False
    )
    return done.returncode == 0


def _check(path: str) -> None:
    x = _input()
    y = np.asarray(tritonflow.load(path, device="cuda")(x)).astype(np.float64)
    power = np.exp(x - x.max(-1, keepdims=True))
    np.testing.assert_allclose(y, power / power.sum(-1, keepdims=True), atol=1e-6)


if __name__ == "__main__":
    _check(sys.argv[1])
