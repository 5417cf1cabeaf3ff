# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The benchmarks run, and what they time is right; how fast it is, they say."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parent.parent.parent / "benchmarks"


def rows_of(script: str, *options: str) -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, BENCHMARKS / script, "--json", "--rounds", "1", *options],
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(done.stdout)["rows"]


@pytest.mark.slow
def test_cpu_kernels() -> None:
    rows = rows_of("cpu_kernels.py")
    assert len(rows) >= 4
    # In the largest rounding that a bfloat16 or a long float32 sum leaves.
    assert all(row["difference"] <= 0.5 for row in rows)


@pytest.mark.slow
def test_encoder() -> None:
    rows = rows_of("demo.py", "--cpus", "1")
    assert [row["sentences"] for row in rows] == [1, 8]
    assert all(row["difference"] < 1e-5 for row in rows)


@pytest.mark.slow
def test_call_overhead() -> None:
    rows = rows_of("call_overhead.py")
    assert all(row["us"] > 0 for row in rows)
