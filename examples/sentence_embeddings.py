# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Embeds sentences with a real model whose heavy parts are Triton kernels.

    python examples/sentence_embeddings.py [--target cpu] [--device cpu] [--json]

Compiles the encoder all-MiniLM-L6-v2, once for batches of any size and length and
with its weights left outside the artifact. Embeds a few sentences, prints how alike
they are, and compares results and times with the same model in plain JAX. Ends with
`check passed`, or with exit code 1.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import jax
import numpy as np
from minilm import weights
from minilm.encoder import Config, encode, tiles_for
from minilm.reference import encode_plainly
from rich import box
from rich.console import Console
from rich.table import Table
from timing import medians_ms

import tritonflow

SENTENCES = (
    "A cat is sleeping on the warm windowsill.",
    "The kitten naps in the sun by the window.",
    "Our train to Lisbon was cancelled this morning.",
    "Because of a strike, no trains are running to Portugal today.",
    "The compiler turns a loop over an array into vector instructions.",
    "Loops are vectorised by the optimiser before code is generated.",
    "She baked two loaves of rye bread for the neighbours.",
    "How much flour do I need for one loaf?",
)
TIMED_BATCH = (8, 128)
MAX_DIFFERENCE = 1e-4


@dataclass(frozen=True)
class Model:
    """Sizes, parameters, and one batch of tokens with its mask."""

    config: Config
    params: Any
    tokens: np.ndarray
    mask: np.ndarray
    are_sentences: bool = False


def main() -> None:
    """Runs the demo; exits with 1 where it differs from plain JAX."""
    options = _options()
    console = Console(highlight=False, quiet=options.json)
    if options.device != "cpu":
        # GPUs would round float32 to 10 bits in products, which the kernels do not.
        jax.config.update("jax_default_matmul_precision", "highest")
    model = _random_model() if options.weights == "random" else _published_model()
    with tempfile.TemporaryDirectory(prefix="tritonflow-demo-") as folder:
        report = run(model, options.target, options.device, Path(folder), console)
    if options.json:
        print(json.dumps(report, indent=2))
    console.print("check passed" if report["passed"] else "check FAILED")
    raise SystemExit(0 if report["passed"] else 1)


def run(
    model: Model, target: str, device: str, folder: Path, console: Console
) -> dict[str, Any]:
    """Gives the report of one demo: sizes, times, differences, and the verdict."""
    weights.write(model.params, folder / "model.safetensors")
    batch = _any_batch(model.config)
    started = time.perf_counter()
    program = tritonflow.compile(
        partial(encode, config=model.config, tiles=tiles_for(target)),
        model.params, batch, batch,
        target=target, param_argnums=(0,), name="encode",
    )  # fmt: skip
    compile_s = time.perf_counter() - started
    program.save(folder / "model.vmfb")
    program = tritonflow.load(
        folder / "model.vmfb", device=device, parameters=folder / "model.safetensors"
    )
    plain = jax.jit(partial(encode_plainly, config=model.config))
    params = jax.device_put(model.params)
    found = np.asarray(program(model.tokens, model.mask))
    expected = np.asarray(plain(params, model.tokens, model.mask))

    report: dict[str, Any] = {
        "target": target,
        "compile_s": round(compile_s, 2),
        "artifact_bytes": (folder / "model.vmfb").stat().st_size,
        "max_abs_difference": float(np.max(np.abs(found - expected))),
        "same_ranking": _ranking(found) == _ranking(expected),
        "threads": len(os.sched_getaffinity(0)),
    }
    report["passed"] = (
        report["max_abs_difference"] <= MAX_DIFFERENCE and report["same_ranking"]
    )
    console.print(_sentence_table(model))
    console.print(_similarity_table(found))
    report |= _times(program, plain, params, model.config)
    console.print(_report_table(report))
    return report


def _any_batch(config: Config) -> jax.ShapeDtypeStruct:
    """Gives tokens of any number of sentences, as long as the model has positions."""
    shape = jax.export.symbolic_shape(
        "sentences, length", constraints=[f"length <= {config.positions}"]
    )
    return jax.ShapeDtypeStruct(shape, np.int32)


def _times(program: Any, plain: Any, params: Any, config: Config) -> dict[str, float]:
    size = (TIMED_BATCH[0], min(TIMED_BATCH[1], config.positions))
    tokens = np.random.default_rng(0).integers(0, config.vocabulary, size, np.int32)
    inputs = jax.device_put((tokens, np.ones_like(tokens)))
    times = medians_ms(
        {
            "program": lambda: program(*inputs),
            "plain": lambda: jax.block_until_ready(plain(params, *inputs)),
        }
    )
    return {
        "batch": list(size),
        "batch_ms": round(times["program"], 2),
        "plain_jax_batch_ms": round(times["plain"], 2),
        "ratio": round(times["program"] / times["plain"], 3),
    }


def _published_model() -> Model:
    from tokenizers import Tokenizer

    folder = weights.package_folder()
    config, params = weights.published(folder)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(config.positions)
    tokenizer.enable_padding()
    encodings = tokenizer.encode_batch(list(SENTENCES))
    tokens = np.array([encoding.ids for encoding in encodings], np.int32)
    mask = np.array([encoding.attention_mask for encoding in encodings], np.int32)
    return Model(config, params, tokens, mask, are_sentences=True)


def _random_model() -> Model:
    config, rng = Config(), np.random.default_rng(1)
    tokens = rng.integers(0, config.vocabulary, (8, 33), np.int32)
    mask = (np.arange(33) < rng.integers(8, 34, (8, 1))).astype(np.int32)
    return Model(config, weights.random(config), tokens, mask)


def _pairs(count: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(count) for j in range(i + 1, count)]


def _ranking(embeddings: np.ndarray) -> list[tuple[int, int]]:
    alike = embeddings @ embeddings.T
    return sorted(_pairs(len(embeddings)), key=lambda pair: -alike[pair])


def _sentence_table(model: Model) -> Table:
    table = Table(box=box.SIMPLE, show_header=False)
    table.add_column("number", justify="right")
    table.add_column("sentence")
    names = SENTENCES if model.are_sentences else ["made-up tokens"] * len(model.tokens)
    for row, name in enumerate(names):
        table.add_row(str(row + 1), name)
    return table


def _similarity_table(embeddings: np.ndarray) -> Table:
    table = Table(title="How alike they are (cosine)", box=box.SIMPLE)
    alike = embeddings @ embeddings.T
    for name in ("", *(str(column + 1) for column in range(len(alike)))):
        table.add_column(name, justify="right")
    for row, values in enumerate(alike):
        table.add_row(str(row + 1), *(f"{value:.2f}" for value in values))
    return table


def _report_table(report: dict[str, Any]) -> Table:
    table = Table(title="Against plain JAX", box=box.SIMPLE, show_header=False)
    table.add_column("what")
    table.add_column("value", justify="right")
    shape = " x ".join(map(str, report["batch"]))
    rows = {
        "compile": f"{report['compile_s']:.2f} s",
        "artifact, weights outside": f"{report['artifact_bytes'] / 1024:.0f} KiB",
        "max abs difference of embeddings": f"{report['max_abs_difference']:.1e}",
        "sentence pairs rank as in plain JAX": str(report["same_ranking"]),
        f"{shape} tokens, {report['threads']} threads": f"{report['batch_ms']:.2f} ms",
        "the same with jax.jit": f"{report['plain_jax_batch_ms']:.2f} ms",
        "ratio": f"{report['ratio']:.3f}",
    }
    for row in rows.items():
        table.add_row(*row)
    return table


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Embed sentences with a model of Triton kernels."
    )
    parser.add_argument("--target", default="cpu", help="cpu, cuda:sm_90, ...")
    parser.add_argument("--device", default="cpu", help="cpu, cuda, cuda:1, hip")
    parser.add_argument("--weights", default="package", choices=("package", "random"))
    parser.add_argument("--json", action="store_true", help="print a JSON report alone")
    return parser.parse_args()


if __name__ == "__main__":
    main()
