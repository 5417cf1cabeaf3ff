# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels to compiled kernels on a machine without a GPU."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
import triton
import triton.language as tl
from tests.unit.compiler.kernels import (
    F32,
    HALF,
    MATMUL,
    XY,
    compiled,
    constant_memory,
    dependent,
    matmul,
)

from tritonflow.compiler.binary import binary_parameters, expected_parameters
from tritonflow.compiler.cache import KernelCache
from tritonflow.compiler.compile import compile_kernel
from tritonflow.compiler.nvidia import assemble, default_ptx_version
from tritonflow.compiler.triton_api import TritonCompiler, compiling_for
from tritonflow.kernel.kernel import Kernel
from tritonflow.kernel.signature import (
    ArrayArgument,
    DescriptorArgument,
    ScalarArgument,
    specialize,
)
from tritonflow.target import Target

GPUS = ["cuda:sm_80", "cuda:sm_90", "rocm:gfx942", "rocm:gfx1100"]
ALL = [*GPUS, "cpu"]


@triton.jit
def mixed(i1, x, i8, i16, y, i32, i64, f16, bf16, f32, f64, z, N: tl.constexpr):
    o = tl.arange(0, N)
    v = tl.load(x + o) + i8 + i16 + i32 + i64 + f16 + bf16 + f32 + f64
    if i1:
        tl.store(y + o, v)
    tl.store(z + o, v.to(tl.float16))


MIXED = {
    "i1": ScalarArgument(True),
    "i8": ScalarArgument(-3, "int8"),
    "i16": ScalarArgument(5, "int16"),
    "i32": ScalarArgument(7),
    "i64": ScalarArgument(2**40),
    "f16": ScalarArgument(0.5, "float16"),
    "bf16": ScalarArgument(0.5, "bfloat16"),
    "f32": ScalarArgument(0.5),
    "f64": ScalarArgument(0.5, "float64"),
    "x": F32,
    "y": F32,
    "z": ArrayArgument("float16", (64,)),
}


@pytest.mark.parametrize("target", GPUS)
def test_binary_takes_pointers_then_words(target, tmp_path):
    kernel = compiled(mixed, MIXED, target, tmp_path, N=64)
    names = [p.name for p in kernel.parameters]
    assert names == [n for n in Kernel.of(mixed).by_name if n != "N"]
    abi = kernel.abi
    assert abi is not None
    assert [names[i] for i in abi.bindings] == ["x", "y", "z"]
    words = [(names[index], word) for index, word in abi.constants]
    assert words == [
        *[(n, 0) for n in ("i1", "i8", "i16", "i32")],
        *[("i64", 0), ("i64", 1), ("f16", 0), ("bf16", 0), ("f32", 0)],
        *[("f64", 0), ("f64", 1)],
    ]
    assert not abi.has_scratch
    found = binary_parameters(kernel.binary, name=kernel.name)
    assert [(p.offset, p.size) for p in found] == [
        *[(8 * i, 8) for i in range(3)],
        *[(24 + 4 * i, 4) for i in range(11)],
    ]
    assert [p.type for p in kernel.parameters] == [
        *["i1", "f32", "i8", "i16", "f32", "i32", "i64"],
        *["f16", "bf16", "f32", "f64", "f16"],
    ]


def test_cpu_code_takes_the_kernels_own_order(tmp_path):
    kernel = compiled(mixed, MIXED, "cpu", tmp_path, N=64)
    assert kernel.abi is None
    assert kernel.binary == b""
    signature = re.search(r"func\.func (?:\w+ )?@mixed\((.*?)\)", kernel.cpu_code)
    assert signature is not None
    types = [a.split(":")[1].split()[0] for a in signature.group(1).split(",")]
    binding = "!stream.binding"
    assert types == [
        *["i1", binding, "i8", "i16", binding, "i32", "i64"],
        *["f16", "bf16", "f32", "f64", binding],
    ]


@pytest.mark.parametrize("target", ["cuda:sm_80", "cuda:sm_90", "cuda:sm_100"])
def test_ptx_is_for_old_drivers_and_has_the_same_parameters(target, tmp_path):
    kernel = compiled(mixed, MIXED, target, tmp_path, N=64)
    version = default_ptx_version(Target.parse(target).capability)
    assert f".version {version // 10}.{version % 10}\n" in kernel.ptx
    parameters = re.findall(r"\.param \.(\w+)", kernel.ptx)
    assert parameters == [*["u64"] * 3, *["u32"] * 11]
    assert f".visible .entry {kernel.name}(" in kernel.ptx


def test_ptx_runs_on_later_chips_where_its_instructions_allow(tmp_path):
    kernel = compiled(mixed, MIXED, "cuda:sm_90", tmp_path, N=64)
    assert ".target sm_90\n" in kernel.ptx
    for chip in ("sm_90", "sm_100", "sm_120"):
        assert assemble(kernel.ptx, Target.parse(f"cuda:{chip}"), name="mixed")
    options = {"num_warps": 4, "num_stages": 3, "N": 64}
    wgmma = compiled(matmul, MATMUL, "cuda:sm_90", tmp_path, **options)
    assert "wgmma" in wgmma.ptx
    assert ".target sm_90a\n" in wgmma.ptx


def test_ptx_version_is_an_option(tmp_path):
    kernel = compiled(mixed, MIXED, "cuda:sm_90", tmp_path, N=64, ptx_version=83)
    assert ".version 8.3\n" in kernel.ptx


def test_code_is_as_good_as_tritons_own(tmp_path):
    """The other argument order costs no instruction and no pipelining."""
    spec = specialize(Kernel.of(matmul), MATMUL, {"N": 64}, {"num_stages": 3})
    ours = compile_kernel(spec, Target.parse("cuda:sm_90"), cache=KernelCache(tmp_path))
    assert ours.shared_bytes >= 2 * 2 * 64 * 64 * 2
    with compiling_for(Target.parse("cuda:sm_90")):
        compiler = TritonCompiler(Target.parse("cuda:sm_90"), spec.options)
        module = compiler.module_of(spec)
        for stage in ("ttir", "ttgir", "llir", "ptx"):
            module = compiler.run(stage, module)
    assert compiler.metadata["shared"] == ours.shared_bytes

    def instructions(ptx: str) -> list[str]:
        return sorted(re.findall(r"^\t(?:@!?%p\d+ )?([a-z][\w.:]*)", ptx, re.MULTILINE))

    assert instructions(ours.ptx) == instructions(module)


@triton.jit
def prefetch(x, y, n, N: tl.constexpr):
    o = tl.arange(0, N)
    v = tl.load(x + o, o < n, cache_modifier=".cg")
    w = tl.load(y + o, o < n, eviction_policy="evict_last")
    w += tl.load(y + o, o < n, volatile=True)
    tl.debug_barrier()
    tl.store(y + o, v + w, o < n, cache_modifier=".wt")


@pytest.mark.parametrize("function", [prefetch, constant_memory, dependent])
@pytest.mark.parametrize("target", ["cuda:sm_90", "cpu"])
def test_what_jaxlibs_parser_lacks_is_no_obstacle(function, target, tmp_path):
    kernel = compiled(function, XY, target, tmp_path, N=64)
    assert next(p.effect for p in kernel.parameters if p.is_pointer) == "read"


def test_gpu_code_keeps_the_hints(tmp_path):
    ptx = compiled(prefetch, XY, "cuda:sm_90", tmp_path, N=64).ptx
    assert "ld.global.cg" in ptx
    assert "L1::evict_last" in ptx
    assert "ld.volatile" in ptx
    assert "st.global.wt" in ptx
    assert "bar.sync" in ptx or "barrier.sync" in ptx
    ptx = compiled(dependent, XY, "cuda:sm_90", tmp_path, N=64).ptx
    assert "griddepcontrol.wait" in ptx
    assert "griddepcontrol.launch_dependents" in ptx


@triton.jit
def through_descriptors(a, b, n):
    b.store([0, 0], a.load([0, 16]))


def descriptor(padding: Any = "zero") -> DescriptorArgument:
    return DescriptorArgument(HALF, (61, 64), (64, 1), (16, 16), padding)


DESCRIPTORS = {"a": descriptor(), "b": descriptor(), "n": ScalarArgument(3)}


@pytest.mark.parametrize("target", ALL)
def test_host_descriptors_are_made_on_the_device(target, tmp_path):
    kernel = compiled(through_descriptors, DESCRIPTORS, target, tmp_path)
    assert [(p.name, p.type, p.is_pointer, p.effect) for p in kernel.parameters] == [
        ("a", "f16", True, "read"),
        ("a.shape.0", "i32", False, "none"),
        ("a.shape.1", "i32", False, "none"),
        ("a.strides.0", "i64", False, "none"),
        ("b", "f16", True, "write"),
        ("b.shape.0", "i32", False, "none"),
        ("b.shape.1", "i32", False, "none"),
        ("b.strides.0", "i64", False, "none"),
        ("n", "i32", False, "none"),
    ]
    is_hopper = target == "cuda:sm_90"
    # 128 bytes for each descriptor, as the hardware wants them.
    assert kernel.scratch_bytes == (256 if is_hopper else 0)
    if kernel.abi is not None:
        # On every chip, so that one launch serves the code for any of them.
        assert kernel.abi.has_scratch
        found = binary_parameters(kernel.binary, name=kernel.name)
        assert found == expected_parameters(kernel.abi)
    if is_hopper:
        assert kernel.scratch_alignment >= 128
        assert "tensormap.cp_fenceproxy" in kernel.ptx
        assert "cp.async.bulk.tensor.2d" in kernel.ptx
        # The first ISA whose bulk copies write to a CTA's own shared memory; Triton
        # 3.6 has none, and the first with a proxy for tensor maps is enough.
        least = "8.6" if "shared::cta.global" in kernel.ptx else "8.3"
        assert f".version {least}\n" in kernel.ptx


def test_padding_of_a_host_descriptor_counts(tmp_path):
    arguments = {**DESCRIPTORS, "a": descriptor("nan")}
    padded = compiled(through_descriptors, arguments, "cpu", tmp_path)
    plain = compiled(through_descriptors, DESCRIPTORS, "cpu", tmp_path)
    assert padded.key != plain.key
    assert padded.ttir != plain.ttir


@triton.jit
def device_descriptor(x, y, n, N: tl.constexpr):
    a = tl.make_tensor_descriptor(x, [n, 64], [64, 1], [N, N])
    b = tl.make_tensor_descriptor(y, [n, 64], [64, 1], [N, N])
    b.store([0, 0], a.load([0, 0]))


def test_scratch_pointer_stands_between_buffers_and_words(tmp_path):
    kernel = compiled(device_descriptor, XY, "cuda:sm_90", tmp_path, N=32)
    assert kernel.abi is not None
    assert kernel.abi.has_scratch
    assert kernel.scratch_bytes == 256
    sizes = [p.size for p in binary_parameters(kernel.binary, name=kernel.name)]
    assert sizes == [8, 8, 8, 4]
    # The scratch is read where its parameter stands now.
    assert f"[{kernel.name}_param_2]" in kernel.ptx


@pytest.mark.parametrize("capability", [75, 80, 86, 89, 90, 100, 103, 110, 120, 121])
def test_every_chip_that_triton_compiles_for(capability, tmp_path):
    if capability == 110 and triton.knobs.nvidia.ptxas_blackwell.version < "13":
        pytest.skip("sm_110 exists since CUDA 13, and this Triton has ptxas 12")
    kernel = compiled(
        constant_memory, XY, f"cuda:sm_{capability}", tmp_path, N=64, num_warps=2
    )
    assert kernel.binary[:4] == b"\x7fELF"
    assert kernel.workgroup_size == 64


@pytest.mark.parametrize("chip", ["gfx90a", "gfx942", "gfx1100"])
def test_amd_chips(chip, tmp_path):
    target = Target.parse(f"rocm:{chip}")
    kernel = compiled(matmul, MATMUL, str(target), tmp_path, N=32)
    assert kernel.binary[:4] == b"\x7fELF"
    assert kernel.ptx == ""
    assert kernel.workgroup_size == 4 * target.warp_size


@triton.jit
def which_gpu(x):
    if tl.target_info.cuda_capability_geq(9, 0):
        tl.store(x, 90)
    elif tl.target_info.is_cuda():
        tl.store(x, 80)
    else:
        tl.store(x, 1)


@pytest.mark.parametrize(
    ("target", "value"), [("cuda:sm_90", 90), ("cuda:sm_80", 80), ("rocm:gfx942", 1)]
)
def test_kernels_see_their_target_not_this_machines_gpu(target, value, tmp_path):
    kernel = compiled(which_gpu, {"x": ArrayArgument("int32", (1,))}, target, tmp_path)
    assert f"value = {value} : i32" in kernel.ttir


@pytest.mark.parametrize(("option", "value"), [("num_ctas", 2), ("waves_per_eu", 2)])
def test_a_cpu_has_no_use_for_options_of_gpus(option, value, tmp_path):
    options: dict[str, Any] = {option: value}
    assert compiled(constant_memory, XY, "cpu", tmp_path, N=64, **options).cpu_code


@pytest.mark.slow
def test_no_warning_of_tritons_reaches_the_user(tmp_path):
    code = f"""
        import sys
        import warnings
        warnings.simplefilter("error")
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from pathlib import Path
        import kernels as t
        for target in ("cuda:sm_80", "rocm:gfx942", "cpu"):
            t.compiled(t.constant_memory, t.XY, target, Path({str(tmp_path)!r}), N=64)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "FP_FUSION" not in done.stderr


def test_fp_fusion_is_an_option(tmp_path):
    fused = compiled(mixed, MIXED, "cuda:sm_80", tmp_path, N=64)
    plain = compiled(mixed, MIXED, "cuda:sm_80", tmp_path, N=64, enable_fp_fusion=False)
    assert fused.key != plain.key


def test_environment_and_other_caches_are_left_alone(tmp_path, monkeypatch):
    foreign = tmp_path / "triton"
    monkeypatch.setenv("TRITON_CACHE_DIR", str(foreign))
    before = dict(os.environ)
    compiled(constant_memory, XY, "cuda:sm_80", tmp_path / "ours", N=64)
    assert dict(os.environ) == before
    assert not foreign.exists()
