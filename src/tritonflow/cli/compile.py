# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`tritonflow compile`: a JAX function with Triton kernels to an artifact."""

from __future__ import annotations

import json
import os
import time

import click

from .console import status


@click.command(name="compile")
@click.argument("function")
@click.option(
    "--arg",
    "arguments",
    multiple=True,
    metavar="TYPE[SIZES]",
    help="One array argument, such as f32[1823,781]; sizes may be words: f32[b,781].",
)
@click.option(
    "--target",
    "targets",
    multiple=True,
    default=("cpu",),
    show_default=True,
    help="cpu, cpu:NAME, cuda:sm_90, rocm:gfx942; several chips of one kind.",
)
@click.option("-o", "--output", required=True, help="The artifact to write.")
@click.option("--keep-ir", is_flag=True, help="Write every stage's IR beside it.")
@click.option("--x64", is_flag=True, help="Switch on JAX's 64-bit types.")
@click.option("--json", "as_json", is_flag=True, help="Print a summary as JSON.")
def command(
    function: str,
    arguments: tuple[str, ...],
    targets: tuple[str, ...],
    output: str,
    keep_ir: bool,
    x64: bool,
    as_json: bool,
) -> None:
    """Compile FUNCTION (FILE.py:NAME or package.module:NAME) to an artifact.

    No GPU is needed, whatever the target.
    """
    from ..target import parse_targets

    parsed = parse_targets(targets)
    import jax

    from ..iree.compile import compile as compile_program
    from .arguments import load_function, parse_shapes

    if x64:
        jax.config.update("jax_enable_x64", True)
    shapes = parse_shapes(arguments)
    target_function = load_function(function)
    start_s = time.perf_counter()
    with status(f"compiling {function} for {', '.join(map(str, parsed))}"):
        program = compile_program(
            target_function, *shapes, target=list(parsed), keep_ir=keep_ir
        )
        program.save(output)
    summary = {
        "artifact": output,
        "bytes": os.path.getsize(output),
        "targets": [str(t) for t in parsed],
        "kernels": [kernel["name"] for kernel in program.kernels],
        "seconds": round(time.perf_counter() - start_s, 3),
    }
    if as_json:
        click.echo(json.dumps(summary))
    else:
        kernels = ", ".join(summary["kernels"]) or "no kernels"
        click.echo(
            f"{output}: {summary['bytes']:,} bytes, {kernels}, "
            f"{', '.join(summary['targets'])}, {summary['seconds']:.2f} s"
        )
