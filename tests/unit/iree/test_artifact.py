# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Artifact files: what stock tools make of them, and every way to damage one."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import subprocess
import sysconfig
import zipfile
from pathlib import Path

import numpy as np
import pytest

import tritonflow
from tritonflow.errors import ArtifactError
from tritonflow.iree.artifact import read_artifact, seal, unseal, write_file

_TOOLS = Path(sysconfig.get_path("scripts"))


def _run(tool: str, *arguments: str) -> str:
    done = subprocess.run(
        [str(_TOOLS / tool), *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _with_version(data: bytes, version: int) -> bytes:
    """The artifact with another format version and the right checksum for it."""
    changed = data[:-48] + version.to_bytes(4, "little") + data[-44:-32]
    return changed + hashlib.sha256(changed).digest()


@pytest.mark.parametrize("mode", ["preload", "mmap"])
def test_stock_tool_runs_a_sealed_artifact(artifact: Path, mode: str) -> None:
    output = _run(
        "iree-run-module",
        f"--module={artifact}",
        f"--module_mode={mode}",
        "--device=local-sync",
        "--function=main",
        "--input=5xf32=1 2 3 4 5",
        "--input=5xf32=10",
    )
    assert "5xf32=11 12 13 14 15" in output


def test_stock_tool_shows_the_description(artifact: Path) -> None:
    assert '"name":"add"' in _run("iree-dump-module", str(artifact))


def test_artifact_is_a_zip_archive_still(artifact: Path) -> None:
    with zipfile.ZipFile(artifact) as archive:
        assert "module.fb" in archive.namelist()


def test_every_flipped_byte_is_found(artifact: Path) -> None:
    data = bytearray(artifact.read_bytes())
    for position in range(len(data)):
        data[position] ^= 1 << position % 8
        with pytest.raises(ArtifactError):
            unseal(bytes(data), "x")
        data[position] ^= 1 << position % 8
    unseal(bytes(data), "x")


@pytest.mark.parametrize("position", [0, 100, 5000, -60, -45, -33, -32, -1])
def test_load_refuses_a_flipped_byte(
    artifact: Path, tmp_path: Path, position: int
) -> None:
    data = bytearray(artifact.read_bytes())
    data[position] ^= 0x10
    damaged = tmp_path / "damaged.vmfb"
    damaged.write_bytes(data)
    with pytest.raises(ArtifactError, match=r"damaged\.vmfb"):
        tritonflow.load(damaged)


@pytest.mark.parametrize("kept", [1, 3, 21, 60, 1000, -60, -1])
def test_load_refuses_a_truncated_file(
    artifact: Path, tmp_path: Path, kept: int
) -> None:
    cut = tmp_path / "cut.vmfb"
    cut.write_bytes(artifact.read_bytes()[:kept])
    with pytest.raises(ArtifactError, match=r"cut short|not an artifact"):
        tritonflow.load(cut)


def test_load_refuses_an_appended_byte(artifact: Path, tmp_path: Path) -> None:
    longer = tmp_path / "longer.vmfb"
    longer.write_bytes(artifact.read_bytes() + b"\0")
    with pytest.raises(ArtifactError):
        tritonflow.load(longer)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\x7fELF" + bytes(200), "not an artifact of tritonflow"),
        (b"hello", "not an artifact of tritonflow"),
        (bytes(1000), "not an artifact of tritonflow"),
    ],
)
def test_load_refuses_a_foreign_file(
    tmp_path: Path, content: bytes, message: str
) -> None:
    foreign = tmp_path / "foreign.vmfb"
    foreign.write_bytes(content)
    with pytest.raises(ArtifactError, match=message):
        tritonflow.load(foreign)


def test_load_refuses_a_module_that_another_tool_wrote(
    artifact: Path, tmp_path: Path
) -> None:
    data = artifact.read_bytes()
    comment = int.from_bytes(data[data.rindex(b"PK\5\6") :][20:22], "little")
    bare = data[: len(data) - comment - 2] + bytes(2)
    other = tmp_path / "other.vmfb"
    other.write_bytes(bare)
    with pytest.raises(ArtifactError, match="another tool wrote it"):
        tritonflow.load(other)


def test_load_refuses_a_module_without_a_description(tmp_path: Path) -> None:
    from tritonflow.iree.invocation import Compilation

    flags = ["--iree-hal-target-device=local", "--iree-llvmcpu-target-cpu=generic"]
    flags += ["--iree-hal-local-target-device-backends=llvm-cpu"]
    text = "func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }"
    with Compilation(text, flags) as compilation:
        compilation.run_to("end")
        module = compilation.bytecode()
    path = tmp_path / "bare.vmfb"
    path.write_bytes(seal(module, {}))
    with pytest.raises(ArtifactError, match="no description"):
        tritonflow.load(path)


def test_load_refuses_a_future_format(artifact: Path, tmp_path: Path) -> None:
    data = artifact.read_bytes()
    assert _with_version(data, 1) == data
    future = tmp_path / "future.vmfb"
    future.write_bytes(_with_version(data, 7))
    with pytest.raises(ArtifactError, match="format 7, expected at most 1"):
        tritonflow.load(future)


def test_load_refuses_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="No such file"):
        tritonflow.load(tmp_path / "absent.vmfb")
    with pytest.raises(ArtifactError, match="directory"):
        tritonflow.load(tmp_path)


def test_seal_refuses_what_is_no_module() -> None:
    with pytest.raises(ArtifactError, match="zip archive"):
        seal(b"not a module", {})


def test_note_comes_back(artifact: Path) -> None:
    _, note = read_artifact(artifact)
    assert note["local_memory_bytes"] == 0
    assert note["architecture"]


def test_save_replaces_the_old_file_or_leaves_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.vmfb"
    write_file(path, [b"old"])

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ArtifactError, match="No space left on device"):
        write_file(path, [b"new"])
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
    monkeypatch.undo()
    write_file(path, [b"n", b"ew"])
    assert path.read_bytes() == b"new"


def test_save_needs_a_folder(loaded: tritonflow.Program, tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="No such file or directory"):
        loaded.save(tmp_path / "absent" / "a.vmfb")


def test_saved_again_is_the_same_file(
    loaded: tritonflow.Program, artifact: Path, tmp_path: Path
) -> None:
    again = tmp_path / "again.vmfb"
    loaded.save(again)
    assert again.read_bytes() == artifact.read_bytes()


def test_loaded_program_outlives_its_file(artifact: Path, tmp_path: Path) -> None:
    path = tmp_path / "moved.vmfb"
    shutil.copy(artifact, path)
    program = tritonflow.load(path, threads=1)
    path.unlink()
    x = np.arange(5, dtype=np.float32)
    np.testing.assert_array_equal(np.asarray(program(x, x)), 2 * x)
