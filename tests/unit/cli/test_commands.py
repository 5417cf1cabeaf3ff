# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The command line as a user types it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]
SOFTMAX = f"{ROOT / 'examples' / 'softmax.py'}:softmax"


def tritonflow(*words: str, code: int = 0, **environment: str) -> str:
    """Runs the command in a process of its own; gives its output, errors last."""
    import os

    done = subprocess.run(
        [sys.executable, "-m", "tritonflow.cli.main", *words],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cli") / "softmax.vmfb"
    tritonflow("compile", SOFTMAX, "--arg", "f32[b,781]", "-o", str(path))
    return path


def test_compile_and_run(artifact: Path, tmp_path: Path) -> None:
    x = np.random.default_rng(0).standard_normal((23, 781)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    words = ("--input", str(tmp_path / "x.npy"), "--output", str(tmp_path / "y.npy"))
    text = tritonflow("run", str(artifact), "--device", "cpu", *words, "--json")
    assert json.loads(text)["outputs"][0]["shape"] == [23, 781]
    exponentials = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    expected = exponentials / exponentials.sum(1, keepdims=True)
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), expected, rtol=1e-5)


def test_run_reads_bfloat16(tmp_path: Path) -> None:
    source = tmp_path / "double.py"
    source.write_text("def double(x):\n    return x + x\n")
    path = tmp_path / "double.vmfb"
    tritonflow("compile", f"{source}:double", "--arg", "bf16[5]", "-o", str(path))
    np.save(tmp_path / "x.npy", np.arange(5).astype(ml_dtypes.bfloat16))
    words = ("--input", str(tmp_path / "x.npy"), "--output", str(tmp_path / "y.npy"))
    tritonflow("run", str(path), *words)
    doubled = np.load(tmp_path / "y.npy").view(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(doubled.astype(np.float32), 2.0 * np.arange(5))


def test_inspect(artifact: Path) -> None:
    description = json.loads(tritonflow("inspect", str(artifact), "--json"))
    assert description["inputs"] == [
        {"name": "x", "dtype": "float32", "shape": ["b", 781]}
    ]
    assert description["targets"] == ["cpu"]
    assert [kernel["name"] for kernel in description["kernels"]] == ["softmax_kernel"]
    assert len(description["executables"]) == 1
    total = sum(entry["bytes"] for entry in description["executables"])
    assert 0 < total < description["bytes"] == artifact.stat().st_size
    assert "softmax_kernel" in tritonflow("inspect", str(artifact))


def test_compile_for_two_chips_needs_no_gpu(tmp_path: Path) -> None:
    path = str(tmp_path / "softmax.vmfb")
    targets = ("--target", "cuda:sm_80", "--target", "cuda:sm_90")
    words = ("--arg", "f32[1823,781]", *targets, "-o", path, "--json")
    assert json.loads(tritonflow("compile", SOFTMAX, *words))["targets"] == [
        "cuda:sm_80",
        "cuda:sm_90",
    ]
    (kernel,) = json.loads(tritonflow("inspect", path, "--json"))["kernels"]
    assert set(kernel["targets"]) == {"cuda:sm_80", "cuda:sm_90"}
    assert all(t["num_warps"] >= 1 for t in kernel["targets"].values())


def test_doctor_finds_this_machine_well() -> None:
    checks = {c["name"]: c for c in json.loads(tritonflow("doctor", "--json"))}
    needed = ("triton", "jax", "iree-base-compiler", "CPU", "assembler", "cpu program")
    assert [checks[name]["state"] for name in needed] == ["ok"] * len(needed)


def test_cache_lists_verifies_and_empties(tmp_path: Path) -> None:
    home = {"TRITONFLOW_CACHE_DIR": str(tmp_path / "cache")}
    out = str(tmp_path / "a.vmfb")
    tritonflow("compile", SOFTMAX, "--arg", "f32[4,8]", "-o", out, **home)
    (entry,) = json.loads(tritonflow("cache", "list", "--json", **home))
    assert entry["name"] == "softmax_kernel"
    assert "1 sound, 0 damaged" in tritonflow("cache", "verify", **home)
    for path in (tmp_path / "cache").rglob("*"):
        if path.is_file():
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 1
            path.write_bytes(data)
    assert "damaged" in tritonflow("cache", "verify", code=1, **home)
    tritonflow("cache", "clear", **home)
    assert json.loads(tritonflow("cache", "list", "--json", **home)) == []


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("compile", "nowhere.py:f", "-o", "x"), "no such file"),
        (("compile", "softmax", "-o", "x"), "FILE.py:FUNCTION"),
        (("compile", "no_such_package.x:f", "-o", "x"), "no such module"),
        (("compile", f"{SOFTMAX}y", "-o", "x"), "has no function `softmaxy`"),
        (("compile", SOFTMAX, "--arg", "f32", "-o", "x"), "expected TYPE"),
        (("compile", SOFTMAX, "--arg", "f33[2]", "-o", "x"), "unknown element type"),
        (("compile", SOFTMAX, "--arg", "f64[2,2]", "-o", "x"), "add --x64"),
        (("compile", SOFTMAX, "--target", "cuda:sm_1", "-o", "x"), "unknown chip"),
        (("compile", SOFTMAX, "--target", "tpu", "-o", "x"), "unknown device kind"),
        (("run", "nowhere.vmfb"), "cannot read"),
        (("inspect", __file__), "not an artifact"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_errors_are_one_clear_message(words: tuple[str, ...], part: str) -> None:
    assert part in tritonflow(*words, code=1)


def test_run_counts_inputs(artifact: Path, tmp_path: Path) -> None:
    assert "got 0 inputs, expected 1" in tritonflow("run", str(artifact), code=1)
    bad = tmp_path / "bad.npy"
    bad.write_bytes(b"not an array")
    words = ("run", str(artifact), "--input", str(tmp_path / "absent.npy"))
    assert "absent.npy`: cannot read it: No such file" in tritonflow(*words, code=1)
    words = ("run", str(artifact), "--input", str(bad))
    assert "not a .npy file" in tritonflow(*words, code=1)


def test_help_names_every_command() -> None:
    text = tritonflow("--help")
    for name in ("cache", "compile", "doctor", "inspect", "opt", "run"):
        assert f"  {name} " in text
        assert "Usage:" in tritonflow(name, "--help")
