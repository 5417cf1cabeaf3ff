# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`tritonflow cache`: the compiled kernels that this machine keeps."""

from __future__ import annotations

import json
import sys

import click


@click.group(name="cache")
def command() -> None:
    """Show, verify or empty the kernel cache (TRITONFLOW_CACHE_DIR moves it)."""


@command.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print the entries as JSON.")
def list_entries(as_json: bool) -> None:
    """List the kernels in the cache."""
    from ..compiler.cache import KernelCache

    cache = KernelCache()
    entries = cache.entries()
    if as_json:
        click.echo(json.dumps(entries))
        return
    for entry in entries:
        click.echo(
            f"{entry['key'][:16]}  {entry['target']:<14} "
            f"{entry['bytes']:>9,}  {entry['name']}"
        )
    total = sum(entry["bytes"] for entry in entries)
    click.echo(f"{len(entries)} kernels, {total:,} bytes in {cache.root}")


@command.command()
def verify() -> None:
    """Check every entry's checksum; exits with 1 if one is damaged."""
    from ..compiler.cache import KernelCache

    cache = KernelCache()
    damaged = cache.verify()
    for path in damaged:
        click.echo(f"damaged: {path}")
    click.echo(f"{len(cache.entries())} sound, {len(damaged)} damaged")
    sys.exit(bool(damaged))


@command.command()
def clear() -> None:
    """Remove every kernel from the cache."""
    from ..compiler.cache import KernelCache

    click.echo(f"{KernelCache().clear()} kernels removed")
