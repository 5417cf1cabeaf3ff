# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The `tritonflow` command: a group whose subcommands load when they are used."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import click

from .. import __version__
from ..errors import TritonFlowError

_SUBCOMMANDS = {
    "cache": "Show, verify or empty the kernel cache.",
    "compile": "Compile a JAX function with Triton kernels to an artifact.",
    "doctor": "Check this machine: versions, devices, folders, one small program.",
    "inspect": "Show what an artifact holds.",
    "opt": "Run passes on MLIR text and print the result.",
    "run": "Run an artifact on a device.",
}


class _LazyGroup(click.Group):
    """A group that knows its subcommands by name and imports one when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _SUBCOMMANDS:
            return None
        module = importlib.import_module(f".{cmd_name}", __package__)
        return module.command

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(sorted(_SUBCOMMANDS.items()))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="tritonflow")
def group() -> None:
    """Triton kernels as first-class operations of OpenXLA programs."""


def main(arguments: list[str] | None = None) -> Any:
    """Runs the command line; errors of ours are printed without a traceback."""
    try:
        return group.main(args=arguments, prog_name="tritonflow")
    except TritonFlowError as error:
        click.echo(f"{type(error).__name__}: {error}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
