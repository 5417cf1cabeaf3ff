# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The examples as programs: for the CPU against plain JAX, for CUDA compiled only."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import flash_attention as fa
import jax
import layer_norm as ln
import matmul as mm
import numpy as np
import pytest
import sentence_embeddings as demo
import softmax as sm
import vector_add as va
from minilm import weights
from minilm.encoder import Config
from rich.console import Console

import tritonflow

EXAMPLES = Path(demo.__file__).parent
rng = np.random.default_rng(11)


def normal(*shape: int) -> np.ndarray:
    return rng.standard_normal(shape, np.float32)


def mask(batch: int, keys: int) -> np.ndarray:
    lengths = rng.integers(1, keys + 1, (batch, 1))
    return (np.arange(keys) < lengths).astype(np.int32)


CASES = {
    "vector_add": (va.vector_add, lambda x, y: x + y, (normal(3, 701), normal(3, 701))),
    "softmax": (sm.softmax, jax.nn.softmax, (normal(37, 781) * 9,)),
    "layer_norm": (
        ln.layer_norm,
        ln.layer_norm_reference,
        (normal(5, 7, 100) + 9, normal(100), normal(100), normal(5, 7, 100)),
    ),
    "matmul": (
        partial(mm.matmul, activation="gelu"),
        partial(mm.matmul_reference, activation="gelu"),
        (normal(77, 50), normal(50, 90) / 8, normal(90)),
    ),
    "flash_attention": (
        fa.flash_attention,
        fa.attention_reference,
        (normal(2, 70, 3, 32), normal(2, 91, 3, 32), normal(2, 91, 3, 32), mask(2, 91)),
    ),
    "causal": (
        partial(fa.flash_attention, causal=True),
        partial(fa.attention_reference, causal=True),
        (normal(2, 70, 3, 20), normal(2, 70, 3, 20), normal(2, 70, 3, 20)),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_program_gives_what_plain_jax_gives(name: str) -> None:
    fn, plain, inputs = CASES[name]
    program = tritonflow.compile(fn, *inputs, target="cpu", name=name)
    np.testing.assert_allclose(program(*inputs), plain(*inputs), atol=1e-5)


SYMBOLIC = {
    "softmax": (sm.softmax, jax.nn.softmax, ["b, 781"]),
    "layer_norm": (ln.layer_norm, ln.layer_norm_reference, ["b, 3, 100", "100", "100"]),
    "matmul": (mm.matmul, mm.matmul_reference, ["b, 33, 48", "48, 80", "80"]),
    "flash_attention": (
        fa.flash_attention,
        fa.attention_reference,
        ["b, 20, 2, 16", "b, 30, 2, 16", "b, 30, 2, 16"],
    ),
}


def symbolic(texts: list[str]) -> list[jax.ShapeDtypeStruct]:
    scope = jax.export.SymbolicScope()
    return [
        jax.ShapeDtypeStruct(jax.export.symbolic_shape(text, scope=scope), np.float32)
        for text in texts
    ]


@pytest.mark.parametrize("name", SYMBOLIC)
def test_one_program_takes_many_batch_sizes(name: str) -> None:
    fn, plain, texts = SYMBOLIC[name]
    shapes = symbolic(texts)
    program = tritonflow.compile(fn, *shapes, target="cpu", name=name)
    for batch in (0, 1, 3, 8):
        sizes = [[batch if d == "b" else int(d) for d in t.split(", ")] for t in texts]
        inputs = [normal(*size) for size in sizes]
        found, expected = np.asarray(program(*inputs)), plain(*inputs)
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_artifact_for_two_chips_needs_no_gpu(name: str, tmp_path: Path) -> None:
    fn, _, inputs = CASES[name]
    half = [
        jax.ShapeDtypeStruct(x.shape, np.float16 if x.dtype == np.float32 else x.dtype)
        for x in inputs
    ]
    program = tritonflow.compile(fn, *half, target=["cuda:sm_80", "cuda:sm_90"])
    program.save(tmp_path / "program.vmfb")
    assert (tmp_path / "program.vmfb").stat().st_size > 1000


def test_encoder_of_any_size_agrees_with_plain_jax(tmp_path: Path) -> None:
    config = Config(
        layers=2, hidden=64, heads=4, feed_forward=112, vocabulary=50, positions=40
    )
    tokens = rng.integers(0, 50, (5, 33), np.int32)
    model = demo.Model(config, weights.random(config), tokens, mask(5, 33))
    report = demo.run(model, "cpu", "cpu", tmp_path, Console(quiet=True))
    assert report["passed"], report


@pytest.mark.slow
def test_demo_command() -> None:
    script = EXAMPLES / "sentence_embeddings.py"
    done = subprocess.run(
        [sys.executable, script, "--json", "--weights", "random"],
        stdout=subprocess.PIPE,
        check=True,
    )
    report = json.loads(done.stdout)
    assert report["passed"]
    assert report["compile_s"] < 60


@pytest.mark.slow
@pytest.mark.parametrize("name", ["vector_add", "softmax", "layer_norm", "matmul"])
def test_example_command(name: str) -> None:
    done = subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py"], stdout=subprocess.PIPE, check=True
    )
    assert b"passed" in done.stdout
