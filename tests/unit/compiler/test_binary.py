# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The parameter tables of GPU binaries, and refusals of what does not fit."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace

import pytest
import triton
import triton.language as tl

from tritonflow.compiler.binary import binary_parameters, check_abi
from tritonflow.compiler.cache import KernelCache
from tritonflow.compiler.compile import compile_kernel
from tritonflow.compiler.compiled import Abi, CompiledKernel
from tritonflow.compiler.msgpack import unpack
from tritonflow.compiler.nvidia import assemble
from tritonflow.errors import VerifyError
from tritonflow.kernel.kernel import Kernel
from tritonflow.kernel.signature import ArrayArgument, ScalarArgument, specialize
from tritonflow.target import Target


@triton.jit
def scale(x, s, y, n):
    tl.store(y + n, tl.load(x) * s)


@pytest.fixture(params=["cuda:sm_80", "cuda:sm_90", "rocm:gfx942"])
def kernel(request, tmp_path) -> CompiledKernel:
    array = ArrayArgument("float64", (4,))
    arguments = {"x": array, "y": array, "n": ScalarArgument(3)}
    arguments["s"] = ScalarArgument(2.5, "float64")
    spec = specialize(Kernel.of(scale), arguments, {}, {})
    target = Target.parse(request.param)
    return compile_kernel(spec, target, cache=KernelCache(tmp_path))


def abi_of(kernel: CompiledKernel) -> Abi:
    assert kernel.abi is not None
    return kernel.abi


def test_table_of_the_binary(kernel):
    found = binary_parameters(kernel.binary, name="scale")
    assert [(p.offset, p.size) for p in found] == [
        *[(0, 8), (8, 8)],
        *[(16, 4), (20, 4), (24, 4)],
    ]
    check_abi(kernel.binary, abi_of(kernel), name="scale")


@pytest.mark.parametrize(
    "change",
    [
        {"bindings": (0,)},
        {"bindings": (0, 2, 2)},
        {"has_scratch": True},
        {"constants": ((1, 0), (1, 1))},
        {"bindings": (0,), "constants": ((1, 0), (1, 1), (3, 0), (3, 0), (3, 0))},
        {"constants": ()},
    ],
)
def test_another_layout_is_refused(kernel, change):
    abi = replace(abi_of(kernel), **change)
    with pytest.raises(VerifyError, match=r"declares parameters of \[8, 8, 4, 4, 4\]"):
        check_abi(kernel.binary, abi, name="scale")


def test_another_kernel_is_refused(kernel):
    with pytest.raises(VerifyError, match="`other`: no such kernel"):
        check_abi(kernel.binary, abi_of(kernel), name="other")


@pytest.mark.parametrize("size", [0, 3, 63, 64, 200, 1500])
def test_a_truncated_binary_is_refused(kernel, size):
    with pytest.raises(VerifyError, match=r"it is damaged|no such kernel"):
        check_abi(kernel.binary[:size], abi_of(kernel), name="scale")


def test_other_files_are_refused():
    abi = Abi(bindings=(), has_scratch=False, constants=())
    with pytest.raises(VerifyError, match="no 64-bit ELF file"):
        check_abi(b"GIF89a" * 20, abi, name="scale")


TRITONS_OWN_FORM = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(
    .param .u64 .ptr .global .align 1 k_param_0, .param .u32 k_param_1,
    .param .u64 k_param_2, .param .u64 k_param_3) { ret; }
"""


def test_a_binary_with_unread_parameters_is_refused():
    """They would make the driver read past the arguments of the launch."""
    cubin = assemble(TRITONS_OWN_FORM, Target.parse("cuda:sm_80"), name="k")
    abi = Abi(bindings=(0,), has_scratch=False, constants=((1, 0),))
    with pytest.raises(VerifyError, match=r"of \[8, 4, 8, 8\] bytes, expected of"):
        check_abi(cubin, abi, name="k")


def test_table_agrees_with_nvidias_own_tool(tmp_path):
    cubin = assemble(TRITONS_OWN_FORM, Target.parse("cuda:sm_80"), name="k")
    path = tmp_path / "k.cubin"
    path.write_bytes(cubin)
    tool = triton.knobs.nvidia.cuobjdump.path
    listing = subprocess.run([tool, "-elf", path], capture_output=True, text=True)
    pattern = r"Offset\s*:\s*0x(\w+)\s+Size\s*:\s*0x(\w+)"
    found = [(int(a, 16), int(b, 16)) for a, b in re.findall(pattern, listing.stdout)]
    parameters = binary_parameters(cubin, name="k")
    assert [p.size for p in parameters] == [8, 4, 8, 8]
    assert sorted(found) == [(p.offset, p.size) for p in parameters]


@pytest.mark.parametrize(
    ("content", "value"),
    [
        (b"\x83\xa1a\x01\xa1b\xff\xa1c\xc3", {"a": 1, "b": -1, "c": True}),
        (b"\x93\xc0\xc2\xcd\x01\x00", [None, False, 256]),
        (b"\xdc\x00\x02\xce\x00\x01\x00\x00\xd3" + b"\xff" * 8, [65536, -1]),
        (b"\xd9\x03abc", "abc"),
        (b"\xda\x00\x03abc", "abc"),
        (b"\xde\x00\x01\xa1k\xc4\x02\x00\x01", {"k": b"\x00\x01"}),
        (b"\xcb\x3f\xf8" + b"\0" * 6, 1.5),
    ],
)
def test_message_pack(content, value):
    assert unpack(content) == value


def test_message_pack_of_no_use_is_refused():
    with pytest.raises(ValueError, match="0xc1"):
        unpack(b"\xc1")
