# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest
import triton
import triton.language as tl

from tritonflow.errors import SignatureError, UnsupportedError
from tritonflow.kernel.kernel import Kernel
from tritonflow.kernel.signature import ArrayArgument, ScalarArgument, specialize
from tritonflow.kernel.ttir_file import parse_ttir


@triton.autotune([triton.Config({"N": 8}), triton.Config({"N": 16})], key=["n"])
@triton.heuristics({"EVEN": lambda a: a["n"] % a["N"] == 0})
@triton.jit(do_not_specialize=["n"])
def decorated(x, n, s: tl.float64, N: tl.constexpr, EVEN: tl.constexpr = False):
    tl.store(x, n)


def test_parameters_and_place_of_a_decorated_function():
    kernel = Kernel.of(decorated)
    assert kernel.name == "decorated"
    assert [p.name for p in kernel.parameters] == ["x", "n", "s", "N", "EVEN"]
    x, n, s, block, even = kernel.parameters
    assert (x.is_constexpr, block.is_constexpr) == (False, True)
    assert (n.do_not_specialize, x.do_not_specialize) == (True, False)
    assert (x.default, even.default) == (inspect.Parameter.empty, False)
    assert s.annotated_type == "fp64"
    file, line = kernel.location.file, kernel.location.line
    assert Path(file).read_text().split("\n")[line - 1].startswith("def decorated(")
    assert Kernel.of(kernel) is kernel
    assert Kernel.of(decorated) == kernel
    assert hash(Kernel.of(decorated)) == hash(kernel)


@pytest.mark.parametrize("obj", [lambda x: x, 3, "softmax", None])
def test_refuses_what_is_no_kernel(obj):
    with pytest.raises(SignatureError, match=r"expected a @triton\.jit function"):
        Kernel.of(obj)


def test_a_kernel_of_the_interpreter_is_a_clear_error():
    code = f"""
import os, sys
os.environ["TRITON_INTERPRET"] = "1"
sys.path.insert(0, {str(Path(__file__).parent)!r})
import test_kernel
from tritonflow.errors import UnsupportedError
try:
    test_kernel.Kernel.of(test_kernel.decorated)
except UnsupportedError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "TRITON_INTERPRET=1" in done.stdout, done.stderr
    assert "hint: unset TRITON_INTERPRET" in done.stdout


TTIR = """
#loc = loc("k.py":1:1)
module {
  tt.func private @callee(%x: f32) -> f32 attributes {noinline = true} {
    tt.return %x : f32
  }
  tt.func public @scale(
      %x_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("x"(#loc)),
      %arg1: i32, %flag: i1,
      %c: !tt.ptr<bf16, "constant"> {tt.divisibility = 8 : i32},
      %big: i64 {tt.divisibility = 16 : i32} loc(unknown)
  ) attributes {noinline = false} {
    tt.return
  }
}
"""


def test_signature_of_triton_ir():
    entry = parse_ttir(TTIR, origin="k.ttir")
    assert (entry.name, entry.line) == ("scale", 7)
    assert [(a.name, a.type, a.divisibility) for a in entry.arguments] == [
        ("x_ptr", "*fp32", 16),
        ("arg1", "i32", 1),
        ("flag", "u1", 1),
        ("c", "*kbf16", 8),
        ("big", "i64", 16),
    ]


def ttir_arguments(**changes):
    return {
        "x_ptr": ArrayArgument("float32", (8,)),
        "arg1": ScalarArgument(1),
        "flag": ScalarArgument(True),
        "c": ArrayArgument("bfloat16", (8,)),
        "big": ScalarArgument(32),
    } | changes


def test_triton_ir_keeps_all_its_arguments(tmp_path):
    path = tmp_path / "k.ttir"
    path.write_text(TTIR)
    kernel = Kernel.of(path)
    assert kernel == Kernel.of(str(path))
    assert str(kernel.location) == f"{path}:7"
    spec = specialize(kernel, ttir_arguments(), {}, {})
    assert [p.type for p in spec.parameters] == ["*fp32", "i32", "u1", "*kbf16", "i64"]
    assert [p.divisible_by_16 for p in spec.parameters] == [True, *[False] * 3, True]
    assert spec.constants == {}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"big": ScalarArgument(33)}, "parameter `big`.*takes for granted"),
        ({"x_ptr": ArrayArgument("float32", (8,), aligned=False)}, "takes for granted"),
        (
            {"x_ptr": ArrayArgument("int32", (8,))},
            "parameter `x_ptr`.*expected \\*fp32",
        ),
        ({"c": None}, "parameter `c`.*got None"),
    ],
)
def test_triton_ir_cannot_be_specialised_otherwise(tmp_path, changes, message):
    path = tmp_path / "k.ttir"
    path.write_text(TTIR)
    with pytest.raises(SignatureError, match=message):
        specialize(Kernel.of(path), ttir_arguments(**changes), {}, {})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("module {}", "got 0 public functions"),
        (TTIR.replace("private @callee", "@callee"), "got 2 public functions"),
        (
            TTIR.replace("%flag: i1", "%flag: !tt.tensordesc<8x8xf16>"),
            "argument `flag`",
        ),
    ],
)
def test_other_files_are_refused(tmp_path, text, message):
    path = tmp_path / "k.ttir"
    path.write_text(text)
    with pytest.raises(SignatureError, match=message):
        Kernel.of(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(SignatureError, match=r"absent\.ttir`: cannot be read"):
        Kernel.of(tmp_path / "absent.ttir")


def test_gluon_kernels_are_refused():
    gluon = pytest.importorskip("triton.experimental.gluon")

    @gluon.jit
    def kernel(x):
        pass

    with pytest.raises(UnsupportedError, match="Gluon"):
        Kernel.of(kernel)
