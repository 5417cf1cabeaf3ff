# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Everything that is measured on an NVIDIA GPU, one table last.

    python benchmarks/gpu_suite.py [--json] [--only kernels]

Each part runs in a process of its own, so that a crash costs one part. PyTorch is used
where it is installed, to launch the same kernels through Triton's own launcher.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import time
from typing import Any

import reporting

PARTS = {
    "examples": "Examples and the encoder against plain JAX",
    "kernels": "One kernel in a program, us",
    "loading": "Load to first result, the CUDA context apart",
    "variants": "Which code of an artifact for several chips runs",
    "calls": "One call of a tiny program",
    "exchange": "Arrays from JAX to a program and back",
}
TIMEOUT_S = 240


def main() -> None:
    """Prints each part's table as it ends, then a verdict for each of their rows."""
    parser = reporting.options(__doc__, rounds=15)
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--part", choices=list(PARTS), help="one, in this process")
    arguments = parser.parse_args()
    if arguments.part:
        measure = importlib.import_module(f"gpu.{arguments.part}").measure
        print("\n" + json.dumps(measure(arguments.rounds)))
        return
    verdicts = []
    for part in arguments.only:
        started = time.perf_counter()
        rows, failure = _in_child(part, arguments.rounds)
        seconds = time.perf_counter() - started
        title = f"{PARTS[part]} ({seconds:.0f} s)"
        if rows:
            reporting.show(title, rows, as_json=arguments.json)
        verdicts += _verdicts(part, rows, failure)
    reporting.show("Verdicts", verdicts, as_json=arguments.json)
    raise SystemExit(any(row["verdict"] == "FAILED" for row in verdicts))


def _in_child(part: str, rounds: int) -> tuple[list[dict[str, Any]], str | None]:
    command = [sys.executable, __file__, "--part", part, "--rounds", str(rounds)]
    # Neither JAX nor PyTorch may take the whole card: they share it with each other.
    environment = {**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    try:
        done = subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return [], f"took more than {TIMEOUT_S} s"
    if done.returncode != 0 or '"passed": false' in done.stdout:
        sys.stderr.write(done.stderr[-6000:])
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return [], f"code {done.returncode}: {last}"
    return json.loads(done.stdout.splitlines()[-1]), None


def _verdicts(
    part: str, rows: list[dict[str, Any]], failure: str | None
) -> list[dict[str, Any]]:
    if failure is not None:
        return [{"part": part, "what": failure, "verdict": "FAILED"}]
    return [
        {
            "part": part,
            "what": next(iter(row.values())),
            "verdict": "passed" if row["passed"] else "FAILED",
        }
        for row in rows
        if row.get("passed") is not None
    ]


if __name__ == "__main__":
    main()
