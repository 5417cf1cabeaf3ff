# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Weights outside the artifact: files, arrays, and what does not fit."""

from __future__ import annotations

import json
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import jax
import ml_dtypes
import numpy as np
import pytest
import safetensors.numpy
from iree import runtime as rt

import tritonflow
from tritonflow import Program
from tritonflow.errors import ParameterError

_RNG = np.random.default_rng(7)
# Sizes that leave the tensors after them unaligned in the file.
WEIGHTS: dict[str, Any] = {
    "layers": [
        {"w": _RNG.normal(size=(4, 64)).astype(np.float32)},
        {"w": _RNG.normal(size=(64, 7)).astype(np.float32)},
    ],
    "bias": _RNG.normal(size=7).astype(ml_dtypes.bfloat16),
    "mask": np.array([True, False, True, True, False, True, True]),
}
KEYS = {"layers.0.w", "layers.1.w", "bias", "mask"}
X = _RNG.normal(size=(2, 4)).astype(np.float32)


def _model(weights: dict[str, Any], x: Any) -> Any:
    for layer in weights["layers"]:
        x = x @ layer["w"]
    return (x + weights["bias"].astype(np.float32)) * weights["mask"]


def _flat() -> dict[str, np.ndarray]:
    first, second = WEIGHTS["layers"]
    return {
        "layers.0.w": first["w"],
        "layers.1.w": second["w"],
        "bias": WEIGHTS["bias"],
        "mask": WEIGHTS["mask"],
    }


def _check(program: Program) -> None:
    expected = _model(WEIGHTS, X)
    np.testing.assert_allclose(np.asarray(program(X)), expected, rtol=1e-4, atol=1e-4)


@pytest.fixture(scope="module")
def program() -> Program:
    return tritonflow.compile(
        _model, WEIGHTS, X, target="cpu", param_argnums=(0,), name="model"
    )


@pytest.fixture(scope="module")
def files(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the program and its weights."""
    folder = tmp_path_factory.mktemp("weights")
    program.save(folder / "model.vmfb")
    program.save_parameters(folder / "model.safetensors")
    return folder


def test_fresh_program_uses_the_arrays_given(program: Program) -> None:
    assert {spec["name"] for spec in program.parameters} == KEYS
    assert [spec["name"] for spec in program.inputs] == ["x"]
    _check(program)


def test_weights_file_is_what_others_write_and_read(files: Path) -> None:
    stored = safetensors.numpy.load_file(files / "model.safetensors")
    assert set(stored) == KEYS
    for key, array in _flat().items():
        np.testing.assert_array_equal(stored[key], array)
    _check(
        tritonflow.load(files / "model.vmfb", parameters=files / "model.safetensors")
    )


def test_stock_tool_runs_with_the_weights_file(files: Path) -> None:
    np.save(files / "x.npy", X)
    done = subprocess.run(
        [
            str(Path(sysconfig.get_path("scripts"), "iree-run-module")),
            f"--module={files / 'model.vmfb'}",
            f"--parameters=model={files / 'model.safetensors'}",
            "--device=local-sync",
            f"--input=@{files / 'x.npy'}",
            f"--output=@{files / 'y.npy'}",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    y = np.load(files / "y.npy")
    np.testing.assert_allclose(y, _model(WEIGHTS, X), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("threads", [1, 2])
def test_every_kind_of_source(files: Path, tmp_path: Path, threads: int) -> None:
    safetensors.numpy.save_file(_flat(), tmp_path / "all.safetensors")
    _write_irpa(tmp_path / "all.irpa", _flat())
    halves = [dict(list(_flat().items())[:2]), dict(list(_flat().items())[2:])]
    for index, half in enumerate(halves):
        safetensors.numpy.save_file(half, tmp_path / f"{index}.safetensors")
    for source in (
        tmp_path / "all.safetensors",
        str(tmp_path / "all.irpa"),
        [tmp_path / "0.safetensors", tmp_path / "1.safetensors"],
        WEIGHTS,
        _flat(),
        jax.tree.map(jax.numpy.asarray, WEIGHTS),
    ):
        _check(tritonflow.load(files / "model.vmfb", "cpu", source, threads=threads))


def _write_irpa(path: Path, tensors: dict[str, np.ndarray]) -> None:
    index = rt.ParameterIndex()
    for key, array in tensors.items():
        index.add_buffer(key, array.view(np.uint8).reshape(-1))
    index.create_archive_file(str(path))


def test_weights_at_any_offset(files: Path, tmp_path: Path) -> None:
    """A header of any length puts tensors at addresses of any alignment."""
    tensors = _flat()
    for padding in range(0, 64, 4):
        header: dict[str, Any] = {"__metadata__": {"pad": "x" * padding}}
        body = b""
        for key in sorted(tensors):
            data = tensors[key].tobytes()
            name = {"bias": "BF16", "mask": "BOOL"}.get(key, "F32")
            header[key] = {
                "dtype": name,
                "shape": list(tensors[key].shape),
                "data_offsets": [len(body), len(body) + len(data)],
            }
            body += data
        text = json.dumps(header).encode()
        path = tmp_path / f"{padding}.safetensors"
        path.write_bytes(len(text).to_bytes(8, "little") + text + body)
        _check(tritonflow.load(files / "model.vmfb", parameters=path))


def _changed(**changes: Any) -> dict[str, Any]:
    tensors = {**_flat(), **changes}
    return {key: array for key, array in tensors.items() if array is not None}


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        (_changed(bias=None), "missing `bias`"),
        (_changed(extra=np.zeros(3, np.float32)), "unexpected `extra`"),
        (
            _changed(bias=np.zeros(8, ml_dtypes.bfloat16)),
            r"`bias` is bfloat16\[8\], expected bfloat16\[7\]",
        ),
        (
            _changed(bias=np.zeros(7, np.float16)),
            r"`bias` is float16\[7\], expected bfloat16\[7\]",
        ),
        (
            _changed(**{"layers.0.w": np.zeros((64, 4), np.float32)}),
            r"`layers.0.w` is float32\[64,4\], expected float32\[4,64\]",
        ),
        ({}, "missing `"),
    ],
)
def test_weights_that_do_not_fit(
    files: Path, tmp_path: Path, tensors: dict[str, Any], message: str
) -> None:
    path = tmp_path / "bad.safetensors"
    safetensors.numpy.save_file(tensors, path)
    for source in (path, tensors):
        with pytest.raises(ParameterError, match=message):
            tritonflow.load(files / "model.vmfb", parameters=source)


def test_irpa_of_other_sizes_is_refused(files: Path, tmp_path: Path) -> None:
    path = tmp_path / "bad.irpa"
    _write_irpa(path, _changed(bias=np.zeros(8, np.float32)))
    with pytest.raises(ParameterError, match="`bias` is 32 bytes, expected bfloat16"):
        tritonflow.load(files / "model.vmfb", parameters=path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"short",
        (1 << 40).to_bytes(8, "little") + b"{}",
        (4).to_bytes(8, "little") + b"nope",
        (2).to_bytes(8, "little") + b"[]",
        (2).to_bytes(8, "little") + b"\xff\xff",
    ],
)
def test_foreign_weights_file_is_refused(
    files: Path, tmp_path: Path, content: bytes
) -> None:
    for name in ("bad.safetensors", "bad.irpa"):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(ParameterError, match=name):
            tritonflow.load(files / "model.vmfb", parameters=path)


def test_truncated_weights_file_is_refused(files: Path, tmp_path: Path) -> None:
    data = (files / "model.safetensors").read_bytes()
    path = tmp_path / "cut.safetensors"
    path.write_bytes(data[:-1])
    with pytest.raises(ParameterError, match="cut short: tensor `"):
        tritonflow.load(files / "model.vmfb", parameters=path)


def test_weights_are_needed_where_a_program_has_some(
    files: Path, tmp_path: Path, artifact: Path
) -> None:
    with pytest.raises(ParameterError, match="needs 4 parameters"):
        tritonflow.load(files / "model.vmfb")
    with pytest.raises(ParameterError, match="no such file"):
        tritonflow.load(
            files / "model.vmfb", parameters=tmp_path / "absent.safetensors"
        )
    with pytest.raises(ParameterError, match="unexpected"):
        tritonflow.load(artifact, parameters=files / "model.safetensors")
    path = files / "model.safetensors"
    with pytest.raises(ParameterError, match="in an earlier file too"):
        tritonflow.load(files / "model.vmfb", parameters=[path, path])


def test_program_of_shapes_alone_has_no_weights_to_save(tmp_path: Path) -> None:
    shapes = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), WEIGHTS)
    program = tritonflow.compile(_model, shapes, X, target="cpu", param_argnums=0)
    with pytest.raises(ParameterError, match="values of its parameters are not here"):
        program.save_parameters(tmp_path / "w.safetensors")
    with pytest.raises(ParameterError, match="needs 4 parameters"):
        program(X)
