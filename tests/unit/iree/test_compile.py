# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Compiling whole programs, with kernels in them."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import triton
import triton.language as tl

import tritonflow
from tritonflow.errors import LaunchError, TargetError, ToolError, UnsupportedError
from tritonflow.iree.consumed import PHASE, consumed_arguments
from tritonflow.iree.invocation import Compilation
from tritonflow.jax.export import export_program
from tritonflow.passes.assign_device import iree_flags
from tritonflow.passes.pipelines import lower_program
from tritonflow.target import parse_targets


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.load(x_ptr + i, i < n) + tl.load(y_ptr + i, i < n)
    tl.store(out_ptr + i, total, i < n)


@triton.jit
def increment_kernel(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, i < n) + 1, i < n)


def add(x: Any, y: Any) -> Any:
    return tritonflow.triton_call(
        x,
        y,
        n=x.size,
        kernel=add_kernel,
        out_type=jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=(triton.cdiv(x.size, 64),),
        BLOCK=64,
    )


def increment(x: Any) -> Any:
    return tritonflow.triton_call(
        x,
        n=x.size,
        kernel=increment_kernel,
        out_type=jax.ShapeDtypeStruct(x.shape, x.dtype),
        input_output_aliases={0: 0},
        grid=(triton.cdiv(x.size, 64),),
        BLOCK=64,
    )


X = np.random.default_rng(0).normal(size=1000).astype(np.float32)


def test_kernel_compiled_saved_loaded_run(tmp_path: Path) -> None:
    program = tritonflow.compile(lambda x, y: jnp.tanh(add(x, y)), X, X, target="cpu")
    program.save(tmp_path / "p.vmfb")
    loaded = tritonflow.load(tmp_path / "p.vmfb")
    for either in (program, loaded):
        result = np.asarray(either(X, X))
        np.testing.assert_allclose(result, np.tanh(2 * X), rtol=1e-5, atol=1e-6)
    assert [kernel["name"] for kernel in loaded.kernels] == ["add_kernel"]
    assert loaded.kernels == program.kernels
    assert loaded.toolchain["tritonflow"] == tritonflow.__version__
    assert loaded.inputs == [
        {"name": "x", "dtype": "float32", "shape": (1000,)},
        {"name": "y", "dtype": "float32", "shape": (1000,)},
    ]


def test_kernel_that_writes_its_operand_leaves_the_callers_array() -> None:
    program = tritonflow.compile(lambda x: (increment(x), x * 2), X, target="cpu")
    x = tritonflow.iree.arguments.aligned_copy(X)
    one, two = program(x)
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(np.asarray(one), X + 1)
    np.testing.assert_array_equal(np.asarray(two), X * 2)
    alone = tritonflow.compile(increment, X, target="cpu")
    once = alone(x)
    again = alone(once)
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(np.asarray(once), X + 1)
    np.testing.assert_array_equal(np.asarray(again), X + 1 + 1)


def test_argument_handed_through_keeps_its_values() -> None:
    x = np.random.default_rng(1).normal(size=(8, 8)).astype(np.float32)
    changed = x.copy()
    changed[0] = 1

    def fn(x: Any) -> Any:
        return x, x.at[0].set(1.0), x.reshape(64), increment(x.reshape(64))

    results = tritonflow.compile(fn, x, target="cpu")(x)
    for result, expected in zip(
        results, (x, changed, x.ravel(), x.ravel() + 1), strict=True
    ):
        np.testing.assert_array_equal(np.asarray(result), expected)


def test_gpu_program_describes_its_kernels() -> None:
    program = tritonflow.compile(add, X, X, target=["cuda:sm_80", "cuda:sm_90"])
    (kernel,) = program.kernels
    assert set(kernel["targets"]) == {"cuda:sm_80", "cuda:sm_90"}
    numbers = kernel["targets"]["cuda:sm_90"]
    assert numbers["workgroup_size"] == 32 * numbers["num_warps"]
    assert numbers["bindings"] == [0, 1, 2]
    effects = {p["name"]: p["effect"] for p in kernel["parameters"]}
    assert effects["out_ptr"] == "write"
    assert effects["x_ptr"] == "read"


def test_kept_ir_lies_beside_the_artifact(tmp_path: Path) -> None:
    program = tritonflow.compile(add, X, X, target="cuda:sm_80", keep_ir=True)
    program.save(tmp_path / "p.vmfb")
    names = sorted(path.name for path in (tmp_path / "p.vmfb.ir").iterdir())
    assert names[0] == "1-program.stablehlo.mlir"
    suffixes = {name.split(".cuda-sm_80.")[-1] for name in names if name[0] == "2"}
    assert suffixes == {"ttir.mlir", "ptx", "cubin"}
    assert "3-program.mlir" in names
    assert "4-iree-07.stream.mlir" in names
    plain = tritonflow.compile(add, X, X, target="cuda:sm_80")
    plain.save(tmp_path / "q.vmfb")
    assert not (tmp_path / "q.vmfb.ir").exists()
    assert (tmp_path / "q.vmfb").read_bytes() == (tmp_path / "p.vmfb").read_bytes()


_BUILD = """
import sys
import numpy as np
sys.path.insert(0, ".")
import kernels
import tritonflow

x = np.zeros(1000, np.float32)
for target in ("cpu", "cuda:sm_80"):
    program = tritonflow.compile(kernels.add, x, x, target=target)
    program.save(target.replace(":", "_") + ".vmfb")
"""


@pytest.mark.slow
def test_builds_in_two_folders_are_the_same_bytes(tmp_path: Path) -> None:
    source = Path(__file__).read_text()
    start = source.index("@triton.jit\ndef add_kernel")
    end = source.index("@triton.jit\ndef increment_kernel")
    call = source[source.index("def add(x") : source.index("def increment(x")]
    head = "import jax, tritonflow, triton\nimport triton.language as tl\n"
    head += "from typing import Any\n"
    for name, blank_lines in (("one", 1), ("another", 9)):
        folder = tmp_path / name
        folder.mkdir()
        text = head + "\n" * blank_lines + source[start:end] + call
        (folder / "kernels.py").write_text(text)
        subprocess.run(
            [sys.executable, "-c", textwrap.dedent(_BUILD)],
            cwd=folder,
            env={
                "TRITONFLOW_CACHE_DIR": str(folder / "cache"),
                "PATH": "/usr/bin:/bin",
            },
            check=True,
        )
    for name in ("cpu.vmfb", "cuda_sm_80.vmfb"):
        one, another = (tmp_path / f / name for f in ("one", "another"))
        assert one.read_bytes() == another.read_bytes()


def test_what_is_not_there_yet_is_named() -> None:
    with pytest.raises(UnsupportedError, match="late_bound"):
        tritonflow.compile(add, X, X, target="cpu", late_bound=True)
    with pytest.raises(TargetError, match="unknown device kind"):
        tritonflow.compile(add, X, X, target="tpu")


def test_names_of_cpus_are_checked() -> None:
    with pytest.raises(TargetError, match="LLVM knows no CPU `nonsense`"):
        tritonflow.compile(lambda x: x + 1, X, target="cpu:nonsense")
    program = tritonflow.compile(lambda x: x + 1, X, target="cpu:nehalem")
    assert "avx" not in program._note["cpu_features"]


def test_unchanged_kernel_is_not_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tritonflow.compiler.build
    import tritonflow.mlir

    first = tritonflow.compile(add, X, X, target=["cuda:sm_80", "cuda:sm_90"])

    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("the kernel was compiled again")

    monkeypatch.setattr(tritonflow.compiler.build, "build_kernel", never)
    monkeypatch.setattr(tritonflow.mlir, "ttir_to_generic", never)
    again = tritonflow.compile(add, X, X, target=["cuda:sm_80", "cuda:sm_90"])
    assert bytes(again._data) == bytes(first._data)


_RUN_ALONE = """
import sys
import numpy as np
import tritonflow

program = tritonflow.load(sys.argv[1])
x = np.ones(1000, np.float32)
assert (np.asarray(program(x, x)) == 2).all()
loaded = {"jax", "jaxlib", "triton", "torch", "iree.compiler"} & set(sys.modules)
assert not loaded, loaded
"""


def test_running_needs_neither_jax_nor_triton_nor_a_compiler(tmp_path: Path) -> None:
    tritonflow.compile(add, X, X, target="cpu").save(tmp_path / "p.vmfb")
    command = [sys.executable, "-c", _RUN_ALONE, str(tmp_path / "p.vmfb")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@triton.jit
def copy_along_z_kernel(x_ptr, out_ptr):
    i = tl.program_id(2)
    tl.store(out_ptr + i, tl.load(x_ptr + i))


def test_grid_over_the_devices_limits() -> None:
    def copy(x: Any) -> Any:
        out = jax.ShapeDtypeStruct(x.shape, x.dtype)
        grid = (1, 1, x.shape[0])
        return tritonflow.triton_call(
            x, kernel=copy_along_z_kernel, out_type=out, grid=grid
        )

    (n,) = jax.export.symbolic_shape("n")
    shape = jax.ShapeDtypeStruct((n,), jnp.float32)
    program = tritonflow.compile(copy, shape, target="cpu")
    x = np.arange(300, dtype=np.float32)
    np.testing.assert_array_equal(np.asarray(program(x)), x)
    with pytest.raises(LaunchError, match=r"along z: more than 65535 programs$"):
        program(np.zeros(65536, np.float32))
    np.testing.assert_array_equal(np.asarray(program(x[:0])), x[:0])


@pytest.mark.parametrize(
    ("fn", "consumed"),
    [
        (lambda x, y: x + y, []),
        (lambda x, y: (x, x + y), [0]),
        (lambda x, y: x.reshape(10, 100), [0]),
        (lambda x, y: x[:10] + y[:10], []),
        (lambda x, y: y.at[0].set(x[0]), [1]),
        (lambda x, y: y.at[0].set(x[0]) + y, []),
        (lambda x, y: jax.lax.cond(x[0] > 0, lambda: y, lambda: -y), [1]),
        (lambda x, y: jnp.sort(x), [0]),
    ],
)
def test_arguments_that_are_not_only_read(fn: Any, consumed: list[int]) -> None:
    exported = export_program(fn, (X, X))
    targets = parse_targets("cpu")
    text = lower_program(exported.text, {}, targets, name="p")
    with Compilation(text, iree_flags(targets)) as compilation:
        compilation.run_to(PHASE)
        assert consumed_arguments(compilation.ir()) == consumed


def test_compilers_words_are_kept(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    text = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %y : f32 }"
    with pytest.raises(ToolError, match="undeclared SSA value") as caught:
        Compilation(text, [])
    (path,) = tmp_path.iterdir()
    assert path.read_text() == text
    assert str(path) in str(caught.value)
    with pytest.raises(ToolError, match="refuses its flags"):
        Compilation(text, ["--no-such-flag"])
