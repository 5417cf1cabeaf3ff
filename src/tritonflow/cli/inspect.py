# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`tritonflow inspect`: what an artifact holds; needs no device."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import click


@click.command(name="inspect")
@click.argument("artifact")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def command(artifact: str, as_json: bool) -> None:
    """Show ARTIFACT: its signature, kernels, machine code and versions."""
    from ..iree.inspection import describe
    from ..iree.manifest import TensorSpec

    description = describe(artifact)
    if as_json:
        click.echo(json.dumps(description, indent=2))
        return
    from rich.console import Console

    console = Console()
    console.print(
        f"[bold]{description['name']}[/] for {', '.join(description['targets'])}: "
        f"{description['bytes']:,} bytes, of which program "
        f"{description['program_bytes']:,}",
        highlight=False,
    )
    for title in ("inputs", "outputs", "parameters"):
        rows = [(t["name"], str(TensorSpec(**t))) for t in description[title]]
        _print(console, title, ("name", "type"), rows)
    _print(console, "kernels", *_kernel_rows(description["kernels"]))
    code = [(e["name"], f"{e['bytes']:,}") for e in description["executables"]]
    _print(console, "machine code", ("name", "bytes"), code)
    _print(console, "made with", ("", ""), description["toolchain"].items())


def _kernel_rows(
    kernels: Sequence[dict[str, Any]],
) -> tuple[Sequence[str], list[Sequence[str]]]:
    head = ("name", "target", "arguments", "warps", "shared bytes", "scratch bytes")
    rows = []
    for kernel in kernels:
        arguments = ", ".join(_argument(p) for p in kernel["parameters"])
        for target, numbers in kernel["targets"].items():
            keys = ("num_warps", "shared_bytes", "scratch_bytes")
            launch = [str(numbers.get(key, "")) for key in keys]
            rows.append((kernel["name"], target, arguments, *launch))
    return head, rows


def _argument(parameter: dict[str, Any]) -> str:
    star = "*" if parameter["pointer"] else ""
    marks = {"write": " out", "readwrite": " in out", "none": " unused"}
    effect = marks.get(parameter["effect"], "") if parameter["pointer"] else ""
    return f"{parameter['name']}: {star}{parameter['type']}{effect}"


def _print(
    console: Any, title: str, head: Sequence[str], rows: Iterable[Sequence[str]]
) -> None:
    from rich.table import Table

    rows = list(rows)
    if not rows:
        return
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for column in head:
        table.add_column(column)
    for row in rows:
        table.add_row(*row)
    console.print()
    console.print(table)
