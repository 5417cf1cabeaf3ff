# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`tritonflow opt`: runs passes on MLIR text and prints the result."""

from __future__ import annotations

from typing import TextIO

import click


@click.command(name="opt")
@click.argument("file", type=click.File(encoding="utf-8"), default="-")
@click.option(
    "-p",
    "--pass",
    "passes",
    multiple=True,
    metavar="NAME",
    help="A pass, or `lower-program` for all of them; repeat it to run several.",
)
@click.option(
    "--target", "targets", multiple=True, help="cpu, cuda:sm_90, ...; may be repeated."
)
@click.option(
    "--parameter",
    "parameters",
    multiple=True,
    metavar="INDEX=KEY",
    help="An argument of the program that becomes a tensor of a weights file.",
)
@click.option(
    "--reflection",
    "reflection",
    multiple=True,
    metavar="NAME=TEXT",
    help="A string to attach to the program's entry function.",
)
@click.option("--kernel-ir", is_flag=True, help="Keep Triton IR in executables.")
@click.option("--generic", is_flag=True, help="Print in the generic form.")
@click.option("--list", "show_list", is_flag=True, help="Print the names of passes.")
def command(
    file: TextIO,
    passes: tuple[str, ...],
    targets: tuple[str, ...],
    parameters: tuple[str, ...],
    reflection: tuple[str, ...],
    kernel_ir: bool,
    generic: bool,
    show_list: bool,
) -> None:
    """Run passes on FILE (`-` is standard input) and print the module.

    Without a pass the module is parsed, verified and printed. Compiled kernels may
    stand in the module, as its attribute `triton.kernels`.
    """
    from ..dialect.verify import verify_module
    from ..mlir import parse_module
    from ..passes.base import PassOptions, run_passes
    from ..passes.pipelines import program_pipeline
    from ..passes.registry import PASSES, create_pass
    from ..target import parse_targets

    if show_list:
        click.echo("\n".join(PASSES))
        return
    options = PassOptions(
        targets=parse_targets(targets) if targets else (),
        parameters=tuple(_parameter(text) for text in parameters),
        reflection=dict(_pair(text, "--reflection") for text in reflection),
        with_kernel_ir=kernel_ir,
    )
    names: list[str] = []
    for name in passes:
        is_all = name == "lower-program"
        names += program_pipeline(parse_targets(targets)) if is_all else [name]
    module = parse_module(file.read())
    with module.context:
        verify_module(module)
        run_passes(module, [create_pass(name, options) for name in names])
        click.echo(module.operation.get_asm(print_generic_op_form=generic))


def _parameter(text: str):
    from ..passes.base import ProgramParameter

    index, key = _pair(text, "--parameter")
    if not index.isdigit():
        raise click.BadParameter(
            f"got `{index}`, expected an argument's index.", param_hint="--parameter"
        )
    return ProgramParameter(int(index), "model", key)


def _pair(text: str, option: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator or not name:
        raise click.BadParameter(
            f"got `{text}`, expected NAME=VALUE.", param_hint=option
        )
    return name, value
