# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks share: the way in, the number of CPUs, the table, the JSON."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
sys.path.insert(0, str(EXAMPLES))

Row = Mapping[str, Any]


def options(description: str | None, *, rounds: int) -> argparse.ArgumentParser:
    """Gives a parser with `--json` and `--rounds`, for a script to add to."""
    parser = argparse.ArgumentParser(description=(description or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print JSON alone")
    parser.add_argument("--rounds", type=int, default=rounds, help="alternating rounds")
    return parser


def use_cpus(count: int) -> None:
    """Restricts this process to its last `count` CPUs, before NumPy and JAX start.

    OpenBLAS, XLA and tritonflow all take as many threads as the process may run on.
    """
    loaded = sorted({"numpy", "jax", "iree"} & set(sys.modules))
    if loaded:
        raise RuntimeError(f"{', '.join(loaded)}: loaded before the CPUs were chosen")
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-count:])


def show(title: str, rows: Sequence[Row], *, as_json: bool) -> None:
    """Prints the rows, which have the same keys, as a table or as JSON."""
    if as_json:
        print(json.dumps({"title": title, "rows": list(rows)}, indent=2))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, box=box.SIMPLE)
    for position, name in enumerate(rows[0]):
        table.add_column(name, justify="right" if position else "left")
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    console = Console(highlight=False)
    # A pipe has no width; a table cut to 80 columns loses its numbers.
    if not console.is_terminal:
        console.width = 160
    console.print(table)


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"
    return "" if value is None else str(value)
