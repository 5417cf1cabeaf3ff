# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Devices by name, and whether an artifact fits one."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import tritonflow
from tritonflow.errors import LaunchError, TargetError
from tritonflow.iree import fit
from tritonflow.iree.artifact import read_artifact, seal, unseal
from tritonflow.iree.build import build_artifact
from tritonflow.iree.devices import open_device, parse_device
from tritonflow.target import Target, parse_targets

# One workgroup that needs 2 MiB of scratch: more than most CPUs' L2 cache.
SCRATCH = """
module @scratch {
  stream.executable private @exe {
    stream.executable.export public @k workgroups(%g: index) -> (index, index, index) {
      %c1 = arith.constant 1 : index
      stream.return %g, %c1, %c1 : index, index, index
    }
    builtin.module {
      func.func @k(%a: !stream.binding, %b: !stream.binding) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c64 = arith.constant 64 : index
        %ma = stream.binding.subspan %a[%c0] : !stream.binding -> memref<64xf32>
        %mb = stream.binding.subspan %b[%c0] : !stream.binding -> memref<64xf32>
        %s = memref.alloc() : memref<4194304xf32, #iree_codegen.workgroup_local>
        scf.for %i = %c0 to %c64 step %c1 {
          %x = memref.load %ma[%i] : memref<64xf32>
          memref.store %x, %s[%i] : memref<4194304xf32, #iree_codegen.workgroup_local>
        }
        scf.for %i = %c0 to %c64 step %c1 {
          %x = memref.load %s[%i] : memref<4194304xf32, #iree_codegen.workgroup_local>
          memref.store %x, %mb[%i] : memref<64xf32>
        }
        return
      }
    }
  }
  util.global private @device = #hal.device.alias<"local"> : !hal.device
  func.func public @main(%a: tensor<64xf32>) -> tensor<64xf32> attributes {
      iree.reflection = {tritonflow = "MANIFEST"}} {
    %g = arith.constant 1 : index
    %r = flow.dispatch @exe::@k[%g](%a) : (tensor<64xf32>) -> tensor<64xf32>
    return %r : tensor<64xf32>
  }
}
"""


def _scratch_program(tmp_path: Path) -> Path:
    from tritonflow.iree.manifest import Manifest, TensorSpec

    spec = TensorSpec("x", "float32", (64,))
    leaf = {"kind": "leaf", "index": 0}
    manifest = Manifest(
        name="scratch",
        targets=("cpu",),
        inputs=(spec,),
        outputs=(spec,),
        in_tree={"kind": "tuple", "children": [leaf]},
        out_tree=leaf,
    )
    text = manifest.to_json().replace('"', '\\"')
    module = SCRATCH.replace("MANIFEST", text).replace(
        "module @scratch {",
        "module @scratch attributes {"
        "stream.affinity.default = #hal.device.affinity<@device>} {",
    )
    path = tmp_path / "scratch.vmfb"
    path.write_bytes(build_artifact(module, parse_targets("cpu")))
    return path


@pytest.mark.parametrize("threads", [1, 2])
def test_workers_have_the_scratch_that_kernels_need(
    tmp_path: Path, threads: int
) -> None:
    path = _scratch_program(tmp_path)
    _, note = read_artifact(path)
    assert note["local_memory_bytes"] == 1 << 24
    x = np.arange(64, dtype=np.float32)
    result = tritonflow.load(path, threads=threads)(x)
    np.testing.assert_array_equal(np.asarray(result), x)


def test_failed_run_is_a_launch_error(tmp_path: Path) -> None:
    path = _scratch_program(tmp_path)
    data = path.read_bytes()
    note = unseal(data, "x")
    end = data.rindex(b"PK\5\6") + 22
    # A note that denies the scratch: the run is refused by IREE.
    path.write_bytes(
        seal(data[: end - 2] + bytes(2), {**note, "local_memory_bytes": 0})
    )
    program = tritonflow.load(path, threads=2)
    with pytest.raises(LaunchError, match=r"the run on cpu failed: RESOURCE_EXHAUSTED"):
        program(np.zeros(64, np.float32))


def test_names_of_devices() -> None:
    assert parse_device("cuda:1") == ("cuda", 1)
    assert parse_device("cuda") == ("cuda", 0)
    assert parse_device("hip:3") == ("hip", 3)
    for name in ("gpu", "cpu:0", "cuda:", "cuda:x", "", "CUDA", "rocm"):
        with pytest.raises(TargetError, match="expected cpu, cuda"):
            parse_device(name)


def test_equal_requests_give_one_device() -> None:
    assert open_device("cpu", threads=1) is open_device("cpu", threads=1)
    assert open_device("cpu", threads=2) is not open_device("cpu", threads=1)
    many = open_device("cpu", threads=1000)
    assert many is open_device("cpu", threads=64)
    with pytest.raises(TargetError, match="got 0, expected at least 1"):
        open_device("cpu", threads=0)
    with pytest.raises(TargetError, match="device `cuda` has none"):
        open_device("cuda", threads=2)


def test_threads_by_default_are_those_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    assert open_device("cpu") is open_device("cpu", threads=1)


@pytest.mark.skipif(Path("/dev/nvidiactl").exists(), reason="this machine has a GPU")
def test_absent_driver_is_named(artifact: Path) -> None:
    with pytest.raises(TargetError, match="device `cuda`: no driver on this machine"):
        open_device("cuda")
    with pytest.raises(TargetError, match="device `hip`: no driver on this machine"):
        open_device("hip")
    with pytest.raises(TargetError, match="no driver"):
        tritonflow.load(artifact, device="cuda")


def test_artifact_for_another_kind_is_refused(artifact: Path) -> None:
    manifest = tritonflow.load(artifact)._manifest
    device = open_device("cpu", threads=1)
    other = type(manifest)(**{**vars(manifest), "targets": ("cuda:sm_90",)})
    with pytest.raises(TargetError, match="compiled for cuda:sm_90, cannot run on cpu"):
        fit.check_fit(other, {}, device, "x")


def test_cpu_without_a_feature_is_refused(
    artifact: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, note = read_artifact(artifact)
    if note["architecture"] != "x86_64":
        pytest.skip("features of other CPUs are not compared")
    flags = fit._linux_flags()
    assert "sse4_2" in flags
    monkeypatch.setattr(fit, "_linux_flags", lambda: flags - {"sse4_2"})
    with pytest.raises(
        TargetError, match=r"this CPU lacks sse4\.2, which the code uses"
    ):
        tritonflow.load(artifact)


def test_other_architecture_is_refused(artifact: Path, tmp_path: Path) -> None:
    data = artifact.read_bytes()
    end = data.rindex(b"PK\5\6") + 22
    note = {**unseal(data, "x"), "architecture": "riscv64"}
    path = tmp_path / "other.vmfb"
    path.write_bytes(seal(data[: end - 2] + bytes(2), note))
    with pytest.raises(TargetError, match="compiled for riscv64, cannot run on"):
        tritonflow.load(path)


@pytest.mark.parametrize(
    ("targets", "capability", "by_code", "by_ptx"),
    [
        ("80", 80, True, True),
        ("80", 86, True, True),
        ("80", 90, False, True),
        ("86", 80, False, False),
        ("80 90", 90, True, True),
        ("80 90", 100, False, True),
        ("80 90", 75, False, False),
        ("100", 103, True, True),
        ("103", 100, False, False),
    ],
)
def test_chips_that_code_runs_on(
    targets: str, capability: int, by_code: bool, by_ptx: bool
) -> None:
    parsed = [Target.parse(f"cuda:sm_{chip}") for chip in targets.split()]
    assert fit.runs_on(parsed, capability, has_ptx=False) == by_code
    assert fit.runs_on(parsed, capability, has_ptx=True) == by_ptx
