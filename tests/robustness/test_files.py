# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Files on full disks, in odd places, damaged in every place; and the command line."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.robustness.kernels import copy

import tritonflow
from tritonflow.cli.main import main
from tritonflow.errors import (
    ArtifactError,
    ParameterError,
    TargetError,
)

ROOT = Path(__file__).resolve().parents[2]
X = np.arange(100, dtype=np.float32)
WEIGHTS = {"w": np.ones((100, 3), np.float32), "b": np.arange(3, dtype=np.float32)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Holds `copy.vmfb`, and `layer.vmfb` with `layer.safetensors`."""
    folder = tmp_path_factory.mktemp("files")
    tritonflow.compile(copy, X, target="cpu").save(folder / "copy.vmfb")
    layer = tritonflow.compile(
        lambda params, x: copy(x @ params["w"] + params["b"]),
        WEIGHTS,
        X,
        target="cpu",
        param_argnums=0,
    )
    layer.save(folder / "layer.vmfb")
    layer.save_parameters(folder / "layer.safetensors")
    return folder


def test_every_damage_of_an_artifact_is_found(folder: Path, tmp_path: Path) -> None:
    sound = (folder / "copy.vmfb").read_bytes()
    path = tmp_path / "damaged.vmfb"
    chance = random.Random(0)
    seal = range(len(sound) - 120, len(sound))
    for position in {*seal, *chance.sample(range(len(sound)), 200)}:
        damaged = bytearray(sound)
        damaged[position] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        with pytest.raises(ArtifactError, match=r"damaged\.vmfb"):
            tritonflow.load(path)
    for size in {*range(0, 200, 7), *chance.sample(range(len(sound)), 50)}:
        path.write_bytes(sound[:size])
        with pytest.raises(ArtifactError, match=r"damaged\.vmfb"):
            tritonflow.load(path)
    other = (folder / "layer.vmfb").read_bytes()
    for mixed in (sound + other, sound[: len(sound) // 2] + other, other[:64] + sound):
        path.write_bytes(mixed)
        with pytest.raises(ArtifactError, match=r"damaged\.vmfb"):
            tritonflow.load(path)


def test_every_damage_of_a_weights_file_is_found_or_harmless(
    folder: Path, tmp_path: Path
) -> None:
    sound = (folder / "layer.safetensors").read_bytes()
    header = 8 + int.from_bytes(sound[:8], "little")
    path = tmp_path / "damaged.safetensors"
    chance = random.Random(0)
    for position in range(header):
        damaged = bytearray(sound)
        damaged[position] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        # What moves an offset within the file may go unseen: no checksum is in it.
        with contextlib.suppress(ParameterError):
            tritonflow.load(folder / "layer.vmfb", parameters=path)(X)
    for size in range(0, len(sound) - 1, 13):
        path.write_bytes(sound[:size])
        with pytest.raises(ParameterError):
            tritonflow.load(folder / "layer.vmfb", parameters=path)


def test_devices_that_do_not_fit(folder: Path) -> None:
    for device in ("gpu", "cpu:0", "", "CPU", "cuda:x", 5):
        with pytest.raises(TargetError, match="unknown, expected cpu, cuda"):
            tritonflow.load(folder / "copy.vmfb", device=device)  # pyright: ignore
    for threads in (0, -1, 1.5, "2"):
        with pytest.raises(TargetError, match="threads"):
            tritonflow.load(folder / "copy.vmfb", threads=threads)  # pyright: ignore
    path = folder / "cuda.vmfb"
    tritonflow.compile(copy, X, target="cuda:sm_80").save(path)
    with pytest.raises(TargetError):
        tritonflow.load(path, device="cpu")


def test_saving_goes_through_links_and_into_devices(
    folder: Path, tmp_path: Path
) -> None:
    program = tritonflow.load(folder / "copy.vmfb")
    (tmp_path / "sub").mkdir()
    link = tmp_path / "link.vmfb"
    link.symlink_to(tmp_path / "sub" / "real.vmfb")
    program.save(link)
    assert link.is_symlink()
    tritonflow.load(tmp_path / "sub" / "real.vmfb")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        program.save(pipe)
        assert reader.communicate()[0] == (folder / "copy.vmfb").read_bytes()
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    for place in (tmp_path, ""):
        with pytest.raises(ArtifactError):
            program.save(place)


def test_an_artifact_may_change_while_its_program_runs(
    folder: Path, tmp_path: Path
) -> None:
    """In a child: mapped memory that is cut off ends a process by a signal."""
    code = """
import sys
import numpy as np
import tritonflow
program = tritonflow.load(sys.argv[1])
open(sys.argv[1], "r+b").truncate(100)
x = np.arange(100, dtype=np.float32)
np.testing.assert_array_equal(np.asarray(program(x)), x)
program.save(sys.argv[1])
"""
    path = tmp_path / "a.vmfb"
    path.write_bytes((folder / "copy.vmfb").read_bytes())
    words = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert path.read_bytes() == (folder / "copy.vmfb").read_bytes()


def test_saving_on_a_full_disk(folder: Path, tmp_path: Path) -> None:
    """The limit on a file's size ends a write in its middle, as a full disk does."""
    code = """
import resource, signal, sys
import tritonflow
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
program = tritonflow.load(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    program.save(sys.argv[2])
except tritonflow.errors.ArtifactError as error:
    print(error)
"""
    path = tmp_path / "a.vmfb"
    path.write_bytes(b"old")
    words = [sys.executable, "-c", code, str(folder / "copy.vmfb"), str(path)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    assert "a.vmfb`: cannot write the file: File too large" in done.stdout, done.stderr
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with room for 4 kB; only the superuser can make one."""
    place = tmp_path / "full"
    place.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", str(place)]
    try:
        done = subprocess.run(words, capture_output=True)
    except FileNotFoundError:
        pytest.skip("no mount command")
    if done.returncode != 0:
        pytest.skip("file systems cannot be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_compiling_with_cache_and_output_on_a_full_disk(
    full_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRITONFLOW_CACHE_DIR", str(full_disk / "cache"))
    with pytest.warns(RuntimeWarning, match="cannot be written.*No space left"):
        program = tritonflow.compile(
            lambda x: copy(x, BLOCK=32, grid=(4,)), X, target="cuda:sm_80"
        )
    with pytest.raises(ArtifactError, match="No space left on device"):
        program.save(full_disk / "a.vmfb")
    assert not [p for p in full_disk.rglob("*") if p.is_file()]


def run_cli(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str]:
    """Exit status and what is printed, errors last; nothing but SystemExit leaves."""
    with pytest.raises(SystemExit) as caught:
        main([str(word) for word in words])
    captured = capsys.readouterr()
    return int(caught.value.code or 0), captured.out + captured.err


@pytest.fixture
def arrays(tmp_path: Path) -> Path:
    np.save(tmp_path / "sound.npy", X)
    np.save(tmp_path / "swapped.npy", X.astype(">f4"))
    np.save(tmp_path / "wide.npy", X.astype(np.float64))
    np.save(tmp_path / "objects.npy", np.array([{}], object), allow_pickle=True)
    np.savez(tmp_path / "several.npz", a=X)
    (tmp_path / "empty.npy").write_bytes(b"")
    (tmp_path / "cut.npy").write_bytes((tmp_path / "sound.npy").read_bytes()[:-3])
    (tmp_path / "text.npy").write_text("import this")
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999,), }"
    huge = b"\x93NUMPY\x01\x00\x76\x00" + header.ljust(0x75) + b"\n"
    (tmp_path / "huge.npy").write_bytes(huge)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("swapped.npy", "`x`: got element type `>f4`, expected float32"),
        ("wide.npy", "`x`: got float64[100], expected float32[100]"),
        ("objects.npy", "not a .npy file: Object arrays"),
        ("several.npz", "several arrays, expected one"),
        ("empty.npy", "not a .npy file"),
        ("cut.npy", "not a .npy file: Failed to read all data"),
        ("text.npy", "not a .npy file: it does not begin as one"),
        ("huge.npy", "not a .npy file: Unable to allocate"),
        ("absent.npy", "No such file"),
        (".", "Is a directory"),
    ],
)
def test_run_with_odd_inputs(
    capsys: pytest.CaptureFixture[str],
    folder: Path,
    arrays: Path,
    name: str,
    message: str,
) -> None:
    artifact = folder / "copy.vmfb"
    code, text = run_cli(capsys, "run", artifact, "--input", arrays / name)
    assert (code, message in text) == (1, True), text
    assert name in text or "`x`" in text


def test_run_writes_where_it_is_told(
    capsys: pytest.CaptureFixture[str], folder: Path, arrays: Path
) -> None:
    words = ("run", folder / "copy.vmfb", "--input", arrays / "sound.npy", "--output")
    code, _ = run_cli(capsys, *words, arrays / "y")
    assert code == 0
    np.testing.assert_array_equal(np.load(arrays / "y"), X)
    for place in (arrays, arrays / "absent" / "y.npy"):
        code, text = run_cli(capsys, *words, place)
        assert (code, "cannot write the file" in text) == (1, True), text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["f.py:f", "--arg", "f32[-1]"], "got the shape (-1,)"),
        (["f.py:f"], "got 0 example arguments"),
        (["f.py:f", "--arg", "f32[b b]"], "--arg f32[b b]"),
        (["f.py:f", "--arg", "f32[2"], "expected TYPE[SIZES]"),
        (["f.py:f", "--arg", "q7[2]"], "unknown element type `q7`"),
        (["f.py:g", "--arg", "f32[2]"], "no function `g`, expected one of f"),
        (["g.py:f", "--arg", "f32[2]"], "no such file"),
        (["f.py", "--arg", "f32[2]"], "FILE.py:FUNCTION"),
        (["f.py:f", "--arg", "f32[2]", "--target", "cuda:sm_1"], "unknown chip"),
        (["f.py:f", "--arg", "f32[2]", "-o", "absent/o.vmfb"], "No such file"),
        (["f.py:f", "--arg", "f32[2]", "-o", ""], "empty name"),
    ],
)
def test_compile_with_odd_words(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("f.py").write_text("def f(x): return x\n")
    output = [] if "-o" in words else ["-o", "o.vmfb"]
    code, text = run_cli(capsys, "compile", *words, *output)
    assert (code, message in text) == (1, True), text
    assert not Path("o.vmfb").exists()


def test_interrupt_leaves_no_file(tmp_path: Path) -> None:
    """Ctrl-C while `tritonflow compile` is at work."""
    source = tmp_path / "slow.py"
    source.write_text(
        "import os, signal\n"
        "def f(x):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    return x\n"
    )
    words = ["compile", f"{source}:f", "--arg", "f32[2]", "-o", str(tmp_path / "o")]
    command = [sys.executable, "-m", "tritonflow.cli.main", *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode in (1, 130, -signal.SIGINT)
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "o").exists()
