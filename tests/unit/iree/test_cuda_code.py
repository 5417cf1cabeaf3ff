# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Machine code for IREE's own dispatches, made without a GPU, as NVIDIA reads it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from triton import knobs

import tritonflow
from tritonflow.compiler.nvidia import assemble_for_old_drivers as assemble
from tritonflow.errors import ToolError
from tritonflow.iree.fatbin import Image, pack_fatbin
from tritonflow.target import Target

PTX = """
.version 7.6
.target sm_75
.address_size 64
.visible .entry copy(.param .u64 a, .param .u64 b) {
  .reg .b64 %a, %b; .reg .b32 %v;
  ld.param.u64 %a, [a]; ld.param.u64 %b, [b];
  ld.global.b32 %v, [%a]; st.global.b32 [%b], %v;
  ret;
}
"""
SM_80, SM_90, SM_120 = (Target.parse(f"cuda:sm_{chip}") for chip in (80, 90, 120))


def _listed(path: Path, option: str) -> list[str]:
    command = [knobs.nvidia.cuobjdump.path, option, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [line.split()[-1] for line in done.stdout.splitlines() if "file" in line]


def _fatbins(data: bytes) -> list[bytes]:
    """Cuts NVIDIA's containers out of an artifact."""
    found = []
    start = data.find(b"\x50\xed\x55\xba")
    while start >= 0:
        size = 16 + int.from_bytes(data[start + 8 : start + 16], "little")
        found.append(data[start : start + size])
        start = data.find(b"\x50\xed\x55\xba", start + size)
    return found


def test_assembler_makes_code_for_the_chip() -> None:
    for target in (SM_80, SM_90, SM_120):
        cubin = assemble(PTX, target)
        assert cubin[:4] == b"\x7fELF"
        assert assemble(PTX, target) == cubin


def test_code_loads_on_drivers_of_cuda_12() -> None:
    # The ABI number of machine code that CUDA 12's tools write; CUDA 13's is 0x41.
    assert assemble(PTX, SM_90)[7] == 0x33


def test_assembler_says_what_is_wrong() -> None:
    with pytest.raises(ToolError, match=r"PTX from IREE for sm_80: .*nonsense"):
        assemble(PTX.replace("ret;", "nonsense;"), SM_80)


def test_nvidia_reads_the_container(tmp_path: Path) -> None:
    images = [Image(assemble(PTX, t), t.capability) for t in (SM_80, SM_90)]
    images.append(Image(PTX.encode(), 75, is_ptx=True))
    path = tmp_path / "code.fatbin"
    path.write_bytes(pack_fatbin(images))
    assert [name.split(".")[-2] for name in _listed(path, "--list-elf")] == [
        "sm_80",
        "sm_90",
    ]
    assert [name.split(".")[-2] for name in _listed(path, "--list-ptx")] == ["sm_75"]
    done = subprocess.run(
        [knobs.nvidia.cuobjdump.path, "--dump-ptx", str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ".visible .entry copy(" in done.stdout


def test_container_needs_the_version_of_ptx() -> None:
    with pytest.raises(ToolError, match=r"no `\.version`"):
        pack_fatbin([Image(b"ret;", 80, is_ptx=True)])


@pytest.fixture(scope="module")
def program() -> tritonflow.Program:
    """Three dispatches of IREE's own, for two chips."""
    x = jax.ShapeDtypeStruct((64, 64), jnp.float32)
    return tritonflow.compile(
        lambda x: jnp.tanh(x @ x).sum(axis=1), x, target=["cuda:sm_80", "cuda:sm_90"]
    )


def test_artifact_holds_code_for_every_chip(
    program: tritonflow.Program, tmp_path: Path
) -> None:
    program.save(tmp_path / "p.vmfb")
    fatbins = _fatbins((tmp_path / "p.vmfb").read_bytes())
    assert len(fatbins) == 1
    path = tmp_path / "code.fatbin"
    path.write_bytes(fatbins[0])
    assert [n.split(".")[-2] for n in _listed(path, "--list-elf")] == ["sm_80", "sm_90"]
    assert [n.split(".")[-2] for n in _listed(path, "--list-ptx")] == ["sm_80"]


def test_two_builds_are_the_same_bytes(
    program: tritonflow.Program, tmp_path: Path
) -> None:
    x = jax.ShapeDtypeStruct((64, 64), jnp.float32)
    again = tritonflow.compile(
        lambda x: jnp.tanh(x @ x).sum(axis=1), x, target=["cuda:sm_80", "cuda:sm_90"]
    )
    assert bytes(again._data) == bytes(program._data)


@pytest.mark.parametrize("chip", ["sm_75", "sm_86", "sm_100", "sm_120"])
def test_every_generation_compiles(chip: str) -> None:
    x = np.ones((4, 8), np.float32)
    program = tritonflow.compile(lambda x: x * 2, x, target=f"cuda:{chip}")
    assert program.targets == (f"cuda:{chip}",)


def test_program_for_a_gpu_does_not_run_on_a_cpu(
    program: tritonflow.Program, tmp_path: Path
) -> None:
    program.save(tmp_path / "p.vmfb")
    with pytest.raises(tritonflow.errors.TargetError, match="cannot run on cpu"):
        tritonflow.load(tmp_path / "p.vmfb", device="cpu")


@pytest.mark.parametrize("chip", ["gfx90a", "gfx942", "gfx1100"])
def test_rocm_compiles(chip: str) -> None:
    x = np.ones((4, 8), np.float32)
    program = tritonflow.compile(lambda x: x * 2, x, target=f"rocm:{chip}")
    assert program.targets == (f"rocm:{chip}",)
