# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels to compiled kernels on a machine without a GPU."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import triton
import triton.language as tl

from tritonflow.compiler.binary import binary_parameters, expected_parameters
from tritonflow.compiler.cache import KernelCache
from tritonflow.compiler.compile import compile_kernel
from tritonflow.compiler.nvidia import assemble, default_ptx_version
from tritonflow.compiler.triton_api import TritonCompiler, compiling_for
from tritonflow.errors import KernelCompileError, UnsupportedError
from tritonflow.kernel.kernel import Kernel
from tritonflow.kernel.signature import (
    ArrayArgument,
    DescriptorArgument,
    ScalarArgument,
    specialize,
)
from tritonflow.target import Target

F32 = ArrayArgument("float32", (64,))
GPUS = ["cuda:sm_80", "cuda:sm_90", "rocm:gfx942", "rocm:gfx1100"]
ALL = [*GPUS, "cpu"]


def compiled(function: Any, arguments: Any, target: str, root: Path, **options: Any):
    names = Kernel.of(function).by_name
    constants = {k: options.pop(k) for k in list(options) if k in names}
    spec = specialize(Kernel.of(function), arguments, constants, options)
    return compile_kernel(spec, Target.parse(target), cache=KernelCache(root))


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


@triton.jit
def matmul(a, b, c, n, N: tl.constexpr):
    i = tl.arange(0, N)
    total = tl.zeros((N, N), tl.float32)
    p = a + i[:, None] * n + i[None, :]
    q = b + i[:, None] * n + i[None, :]
    for _ in range(0, n, N):
        total += tl.dot(tl.load(p), tl.load(q))
        p += N
        q += N * n
    tl.store(c + i[:, None] * N + i[None, :], total)


HALF = ArrayArgument("float16", (64, 64))
MATMUL = {"a": HALF, "b": HALF, "c": F32, "n": ScalarArgument(256)}


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


WARM = """
    import sys
    import time
    from pathlib import Path

    import triton
    import triton.language as tl

    from tritonflow.compiler.cache import KernelCache
    from tritonflow.compiler.compile import compile_kernel
    from tritonflow.kernel.kernel import Kernel
    from tritonflow.kernel.signature import ArrayArgument, specialize
    from tritonflow.target import Target


    @triton.jit
    def kernel(x, y, N: tl.constexpr):
        o = tl.arange(0, N)
        tl.store(y + o, tl.load(x + o) + tl.sum(tl.load(x + o), 0))


    def compiled():
        array = ArrayArgument("float32", (16,))
        spec = specialize(Kernel.of(kernel), {"x": array, "y": array}, {"N": 16}, {})
        cache = KernelCache(Path(sys.argv[1]))
        return compile_kernel(spec, Target.parse("cpu"), cache=cache)


    compiled()
    heavy = ["jaxlib", "iree.compiler.ir", "tritonflow.compiler.build"]
    loaded = [name for name in heavy if name in sys.modules]
    times = []
    for _ in range(5):
        start = time.perf_counter()
        compiled()
        times.append(time.perf_counter() - start)
    print(",".join(loaded) or "nothing", min(times))
"""


@triton.jit
def prefetch(x, y, n, N: tl.constexpr):
    o = tl.arange(0, N)
    v = tl.load(x + o, o < n, cache_modifier=".cg")
    w = tl.load(y + o, o < n, eviction_policy="evict_last")
    w += tl.load(y + o, o < n, volatile=True)
    tl.debug_barrier()
    tl.store(y + o, v + w, o < n, cache_modifier=".wt")


@triton.jit
def constant_memory(x: tl.const, y, n, N: tl.constexpr):
    o = tl.arange(0, N)
    tl.store(y + o, tl.load(x + o, o < n), o < n)


@triton.jit
def dependent(x, y, n, N: tl.constexpr):
    o = tl.arange(0, N)
    tl.extra.cuda.gdc_wait()
    tl.store(y + o, tl.load(x + o, o < n), o < n)
    tl.extra.cuda.gdc_launch_dependents()


XY = {"x": F32, "y": F32, "n": ScalarArgument(61)}


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
        # The first ISA whose bulk copies write to a CTA's own shared memory.
        assert ".version 8.6\n" in kernel.ptx


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


@pytest.mark.parametrize(
    ("option", "value", "target"),
    [
        ("num_ctas", 2, "cuda:sm_90"),
        ("launch_cooperative_grid", True, "cuda:sm_90"),
        ("launch_cooperative_grid", True, "cpu"),
        ("launch_pdl", True, "cuda:sm_90"),
        ("waves_per_eu", 2, "cuda:sm_90"),
        ("maxnreg", 64, "rocm:gfx942"),
    ],
)
def test_options_that_a_dispatch_cannot_carry(option, value, target, tmp_path):
    message = rf"kernel `constant_memory` for {target}: option `{option}={value}`"
    with pytest.raises(UnsupportedError, match=message):
        compiled(constant_memory, XY, target, tmp_path, N=64, **{option: value})


@pytest.mark.parametrize(("option", "value"), [("num_ctas", 2), ("waves_per_eu", 2)])
def test_a_cpu_has_no_use_for_options_of_gpus(option, value, tmp_path):
    options: dict[str, Any] = {option: value}
    assert compiled(constant_memory, XY, "cpu", tmp_path, N=64, **options).cpu_code


@pytest.mark.parametrize(
    ("options", "target", "message"),
    [
        (
            {"num_stages": 8},
            "cuda:sm_86",
            "bytes of shared memory, the chip has 101376",
        ),
        (
            {"num_stages": 9},
            "cuda:sm_90",
            "bytes of shared memory, the chip has 232448",
        ),
        ({"num_warps": 64}, "cuda:sm_90", "a program has 2048 threads"),
        ({"num_warps": 3}, "cuda:sm_90", "num_warps must be a power of 2"),
    ],
)
@pytest.mark.slow
def test_what_no_launch_could_have_is_an_error(options, target, message, tmp_path):
    arguments = {**MATMUL, "n": ScalarArgument(2048)}
    with pytest.raises(KernelCompileError, match=message):
        compiled(matmul, arguments, target, tmp_path, N=128, **options)


@triton.jit
def helper(x, N: tl.constexpr):
    return tl.load(x + tl.arange(0, N))


@triton.jit
def wrong_in_callee(x, y, n, N: tl.constexpr):
    v = helper(x, N + 1)
    tl.store(y, v)


@triton.jit
def wrong_name(x, y, n, N: tl.constexpr):
    o = tl.arange(0, N)
    tl.store(y + o, absent)  # noqa: F821


@triton.jit
def wrong_types(x, y, n, N: tl.constexpr):
    tl.static_assert(N == 0, "blocks of nothing only")


def line_of(text: str) -> int:
    lines = Path(__file__).read_text().split("\n")
    return next(i for i, line in enumerate(lines, 1) if text in line)


@pytest.mark.parametrize(
    ("function", "line", "reason"),
    [
        (wrong_in_callee, "v = helper(x, N + 1)", "power of 2"),
        (wrong_name, "tl.store(y + o, absent)", "absent is not defined"),
        (wrong_types, "tl.static_assert(N == 0", "blocks of nothing only"),
    ],
)
def test_a_refused_kernel_names_line_and_reason(function, line, reason, tmp_path):
    with pytest.raises(KernelCompileError) as caught:
        compiled(function, XY, "cuda:sm_80", tmp_path, N=64)
    text = str(caught.value)
    assert f"at {__file__}:{line_of(line)}" in text
    assert reason in text
    assert "Traceback" not in text
    assert len(text) < 600


@triton.jit
def wants_too_much(x, y, n, N: tl.constexpr):
    tl.extra.cuda.gdc_wait()
    tl.store(y, tl.load(x))


def test_a_pass_that_fails_names_line_and_reason(tmp_path, capfd):
    with pytest.raises(KernelCompileError) as caught:
        compiled(wants_too_much, XY, "rocm:gfx942", tmp_path, N=64)
    text = str(caught.value)
    assert "tt.grid_dependency_wait" in text
    assert "test_compile.py:" in text
    assert capfd.readouterr().err == ""


def test_an_assembler_that_refuses_is_named(tmp_path):
    with pytest.raises(KernelCompileError, match=r"ptxas refuses its code.*sm_90"):
        compiled(dependent, XY, "cuda:sm_80", tmp_path, N=64)


@pytest.mark.slow
def test_no_warning_of_tritons_reaches_the_user(tmp_path):
    code = f"""
        import sys
        import warnings
        warnings.simplefilter("error")
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from pathlib import Path
        import test_compile as t
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


def test_warm_compile_is_fast_and_loads_no_compiler(tmp_path):
    source = tmp_path / "warm.py"
    source.write_text(textwrap.dedent(WARM))
    command = [sys.executable, str(source), str(tmp_path / "cache")]
    cold = subprocess.run(command, capture_output=True, text=True)
    assert "tritonflow.compiler.build" in cold.stdout, cold.stderr
    warm = subprocess.run(command, capture_output=True, text=True)
    loaded, seconds = warm.stdout.split()
    assert loaded == "nothing", warm.stderr
    assert float(seconds) < 0.005


def test_threads_share_one_compilation(tmp_path, monkeypatch):
    import tritonflow.compiler.build as build

    built: list[str] = []
    original = build.build_kernel

    def counting(spec: Any, target: Any, *, key: str) -> Any:
        built.append(key)
        time.sleep(0.05)
        return original(spec, target, key=key)

    monkeypatch.setattr(build, "build_kernel", counting)
    cache = KernelCache(tmp_path)
    results: list[Any] = []

    def work(n: int, target: str) -> None:
        spec = specialize(Kernel.of(constant_memory), XY, {"N": n}, {})
        results.append(compile_kernel(spec, Target.parse(target), cache=cache))

    jobs = [(n, t) for n in (32, 64) for t in ("cuda:sm_80", "cuda:sm_90")] * 3
    threads = [threading.Thread(target=work, args=job) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == len(jobs)
    assert sorted(built) == sorted({kernel.key for kernel in results})
    assert len(built) == 4
