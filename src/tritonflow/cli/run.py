# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`tritonflow run`: an artifact on a device, arrays from and to `.npy` files."""

from __future__ import annotations

import json
import time

import click

from ..errors import SignatureError
from .console import status


@click.command(name="run")
@click.argument("artifact")
@click.option("--device", default=None, help="cpu, cuda, cuda:1, hip.")
@click.option("--input", "inputs", multiple=True, help="A .npy file; one an argument.")
@click.option("--output", "outputs", multiple=True, help="A .npy file; one a result.")
@click.option("--parameters", default=None, help="Weights: .safetensors or .irpa.")
@click.option("--threads", type=int, default=None, help="CPU threads.")
@click.option("--repeat", type=click.IntRange(1), default=1, help="Runs; all timed.")
@click.option("--json", "as_json", is_flag=True, help="Print a summary as JSON.")
def command(
    artifact: str,
    device: str | None,
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    parameters: str | None,
    threads: int | None,
    repeat: int,
    as_json: bool,
) -> None:
    """Run ARTIFACT once for the given inputs and write its results."""
    import numpy as np

    from ..iree.manifest import TensorSpec
    from ..iree.session import load
    from .arguments import read_array, write_array

    program = load(artifact, device=device, parameters=parameters, threads=threads)
    dtypes = [spec["dtype"] for spec in program.inputs]
    if len(inputs) != len(dtypes):
        raise SignatureError(
            f"`{artifact}`: got {len(inputs)} inputs, expected {len(dtypes)}: "
            + ", ".join(
                f"{spec['name']} {TensorSpec(**spec)}" for spec in program.inputs
            )
        )
    if outputs and len(outputs) != len(program.outputs):
        raise SignatureError(
            f"`{artifact}`: got {len(outputs)} outputs, expected "
            f"{len(program.outputs)}, or none."
        )
    arrays = [
        read_array(path, dtype) for path, dtype in zip(inputs, dtypes, strict=True)
    ]
    leaves, times_s = [], []
    with status(f"running {artifact}"):
        for _ in range(repeat):
            start_s = time.perf_counter()
            leaves = [np.asarray(leaf) for leaf in program.call_flat(arrays)]
            times_s.append(time.perf_counter() - start_s)
    for path, leaf in zip(outputs, leaves, strict=False):
        write_array(path, leaf)
    _report(leaves, outputs, times_s, as_json)


def _report(
    leaves: list, outputs: tuple[str, ...], times_s: list, as_json: bool
) -> None:
    median_ms = sorted(times_s)[len(times_s) // 2] * 1e3
    rows = [
        {"dtype": str(leaf.dtype), "shape": list(leaf.shape), "file": file}
        for leaf, file in zip(leaves, [*outputs, *[None] * len(leaves)], strict=False)
    ]
    if as_json:
        click.echo(json.dumps({"outputs": rows, "median_ms": round(median_ms, 4)}))
        return
    for row, leaf in zip(rows, leaves, strict=True):
        text = f"{row['dtype']}{row['shape']}"
        click.echo(f"{text} -> {row['file']}" if row["file"] else f"{text}\n{leaf}")
    click.echo(f"{median_ms:.3f} ms, copies to and from the host included")
