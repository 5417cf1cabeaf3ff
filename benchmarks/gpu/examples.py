# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Every example, in float32 and float16, and the encoder, against plain JAX."""

from __future__ import annotations

import tempfile
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import flash_attention as fa
import jax
import layer_norm as ln
import matmul as mm
import numpy as np
import softmax as sm
import vector_add as va
from minilm import weights
from minilm.encoder import Config, encode, tiles_for
from minilm.reference import encode_plainly

import tritonflow

from . import device

TOLERANCES = {"float32": 2e-5, "float16": 1e-2}


def measure(rounds: int) -> list[dict[str, Any]]:
    """Gives the largest difference of each from JAX, relative to the largest value."""
    del rounds
    jax.config.update("jax_default_matmul_precision", "highest")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for dtype in TOLERANCES:
            for name, case in _cases(dtype).items():
                results = partial(_results, case, folder)
                rows.append(_row(f"{name} {dtype}", results, dtype))
            results = partial(_encoder, dtype, Path(folder))
            rows.append(_row(f"encoder {dtype}", results, dtype))
    return rows


def _cases(dtype: str) -> dict[str, tuple[Any, Any, tuple[np.ndarray, ...]]]:
    rng = np.random.default_rng(0)

    def normal(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape, np.float32).astype(dtype)

    q, k, v = normal(2, 301, 4, 64), normal(2, 301, 4, 64), normal(2, 301, 4, 64)
    mask = (np.arange(301) < [[301], [77]]).astype(np.int32)
    x, w, b = normal(517, 300), normal(300, 411) / 16, normal(411)
    gelu, plain_gelu = (
        partial(f, activation="gelu") for f in (mm.matmul, mm.matmul_reference)
    )
    causal, plain_causal = (
        partial(f, causal=True) for f in (fa.flash_attention, fa.attention_reference)
    )
    wide = normal(1151, 1000)
    return {
        "vector_add": (va.vector_add, lambda x, y: x + y, (wide, wide + 1)),
        "softmax": (sm.softmax, jax.nn.softmax, (normal(1823, 781),)),
        "layer_norm with residual": (
            ln.layer_norm, ln.layer_norm_reference,
            (wide, normal(1000), normal(1000), normal(1151, 1000)),
        ),
        "matmul": (mm.matmul, mm.matmul_reference, (x, w)),
        "matmul, bias, gelu": (gelu, plain_gelu, (x, w, b)),
        "flash_attention": (
            fa.flash_attention, fa.attention_reference, (q, k, v, mask),
        ),
        "flash_attention, causal": (causal, plain_causal, (q, k, v)),
    }  # fmt: skip


def _results(case: Any, folder: str) -> tuple[Any, Any]:
    fn, plain, inputs = case
    path = Path(folder, "example.vmfb")
    program = device.compile_and_load(fn, inputs, path, device.target())
    return program(*inputs), jax.jit(plain)(*inputs)


def _encoder(dtype: str, folder: Path) -> tuple[Any, Any]:
    config, rng = Config(), np.random.default_rng(1)
    params = weights.convert(weights.random(config), lambda x: x.astype(dtype))
    weights.write(params, folder / "encoder.safetensors")
    tokens = rng.integers(0, config.vocabulary, (8, 128), np.int32)
    mask = (np.arange(128) < rng.integers(8, 129, (8, 1))).astype(np.int32)
    target = device.target()
    shape = jax.export.symbolic_shape(
        "sentences, length", constraints=[f"length <= {config.positions}"]
    )
    batch = jax.ShapeDtypeStruct(shape, np.int32)
    program = tritonflow.compile(
        partial(encode, config=config, tiles=tiles_for(target)),
        params, batch, batch, target=target, param_argnums=(0,), name="encode",
    )  # fmt: skip
    program.save(folder / "encoder.vmfb")
    program = tritonflow.load(
        folder / "encoder.vmfb",
        device="cuda",
        parameters=folder / "encoder.safetensors",
    )
    plain = jax.jit(partial(encode_plainly, config=config))
    return program(tokens, mask), plain(params, tokens, mask)


def _row(name: str, results: Callable[[], Any], dtype: str) -> dict[str, Any]:
    row = {"example": name, "allowed": TOLERANCES[dtype]}
    try:
        found, expected = (np.asarray(x).astype(np.float64) for x in results())
    except Exception as error:  # One failure must not hide the other rows.
        traceback.print_exc()
        reason = f"{type(error).__name__}: {str(error).splitlines()[0]}"
        return row | {"difference": None, "passed": False, "error": reason}
    difference = float(np.max(np.abs(found - expected)) / np.max(np.abs(expected)))
    passed = difference <= TOLERANCES[dtype]
    return row | {"difference": difference, "passed": passed, "error": ""}
