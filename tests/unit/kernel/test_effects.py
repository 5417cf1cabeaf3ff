# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Effects on arguments, of kernels as Triton's frontend translates them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import triton
import triton.language as tl

from tritonflow.compiler.cache import KernelCache
from tritonflow.compiler.compile import compile_kernel
from tritonflow.errors import UnsupportedError
from tritonflow.kernel.effects import argument_effects
from tritonflow.kernel.kernel import Kernel
from tritonflow.kernel.signature import (
    ArrayArgument,
    DescriptorArgument,
    ScalarArgument,
    specialize,
)
from tritonflow.mlir import parse_module
from tritonflow.target import Target

F32 = ArrayArgument("float32", (64,))
I32 = ArrayArgument("int32", (64,))
N = ScalarArgument(61)


@triton.jit
def copy(x, y, unused, n, B: tl.constexpr):
    o = tl.arange(0, B)
    tl.store(y + o, tl.load(x + o, o < n), o < n)


@triton.jit
def update(x, y, n, B: tl.constexpr):
    o = tl.arange(0, B)
    tl.store(y + o, tl.load(y + o) + tl.load(x + o), o < n)


@triton.jit
def walk(x, y, z, n, B: tl.constexpr):
    o = tl.arange(0, B)
    total = tl.zeros((B,), tl.float32)
    px, py, pz = x + o, y + o, z + o
    for _ in range(0, n):
        total += tl.load(px) * tl.load(py)
        px += B
        py += B
        tl.store(pz, total)
        pz += B


@triton.jit
def swap(x, y, z, n, B: tl.constexpr):
    # x and y change places in every iteration: each may be written.
    o = tl.arange(0, B)
    a, b = x, y
    for _ in range(0, n):
        tl.store(a + o, tl.load(z + o))
        a, b = b, a


@triton.jit
def choose(x, y, z, n, B: tl.constexpr):
    o = tl.arange(0, B)
    if n > 3:
        p = x
    else:
        p = y
    tl.store(p + o, tl.load(z + o))


@triton.jit
def select(x, y, z, n, B: tl.constexpr):
    o = tl.arange(0, B)
    p = tl.where(tl.load(z + o) > 0, x + o, y + o)
    tl.store(p, 1.0)


@triton.jit
def early(x, y, n, B: tl.constexpr):
    o = tl.arange(0, B)
    if tl.program_id(0) > n:
        return
    tl.store(y + o, tl.load(x + o))


@triton.jit
def search(x, y, n, B: tl.constexpr):
    i = 0
    p = x
    while tl.load(p) > 0:
        p += 1
        i += 1
    tl.store(y, i)


@triton.jit
def casts(x, y, z, n, B: tl.constexpr):
    o = tl.arange(0, B)
    address = y.to(tl.int64) + 4 * n
    p = address.to(tl.pointer_type(tl.float32))
    q = z.to(tl.pointer_type(tl.int32), bitcast=True)
    tl.store(p + o, tl.load(x + o))
    tl.store(q + o, 1)


@triton.jit
def atomics(x, y, z, n, B: tl.constexpr):
    o = tl.arange(0, B)
    tl.atomic_add(y + o, tl.load(x + o))
    tl.atomic_cas(z, 0, 1)


@triton.jit(noinline=True)
def put(target, o, value):
    tl.store(target + o, value)


@triton.jit(noinline=True)
def further(source, target, o):
    put(target, o, tl.load(source + o))


@triton.jit
def through_calls(x, y, z, n, B: tl.constexpr):
    further(x, y, n)
    further(y, z, n)


@triton.jit(noinline=True)
def moved(p, n):
    return p + n


@triton.jit
def through_results(x, y, n, B: tl.constexpr):
    tl.store(moved(y, n), tl.load(moved(x, n)))


@triton.jit
def reduction(x, y, n, B: tl.constexpr):
    o = tl.arange(0, B)
    v = tl.load(x + o)
    tl.store(y + tl.argmax(v, 0), tl.max(tl.cumsum(v, 0), 0))


@triton.jit
def on_device(x, y, n, B: tl.constexpr):
    a = tl.make_tensor_descriptor(x, [n, 64], [64, 1], [16, 16])
    b = tl.make_tensor_descriptor(y, [n, 64], [64, 1], [16, 16])
    b.store([0, 0], a.load([0, 0]))


@triton.jit(noinline=True)
def put_at(address, value):
    tl.store(address.to(tl.pointer_type(tl.float32)), value)


@triton.jit
def through_integers(x, y, n, B: tl.constexpr):
    put_at(y.to(tl.int64) + n, tl.load(x))


CASES = [
    (copy, {"x": F32, "y": F32, "unused": F32}, ["read", "write", "none"]),
    (update, {"x": F32, "y": F32}, ["read", "readwrite"]),
    (walk, {"x": F32, "y": F32, "z": F32}, ["read", "read", "write"]),
    (swap, {"x": F32, "y": F32, "z": F32}, ["write", "write", "read"]),
    (choose, {"x": F32, "y": F32, "z": F32}, ["write", "write", "read"]),
    (select, {"x": F32, "y": F32, "z": F32}, ["write", "write", "read"]),
    (early, {"x": F32, "y": F32}, ["read", "write"]),
    (search, {"x": I32, "y": I32}, ["read", "write"]),
    (casts, {"x": F32, "y": F32, "z": F32}, ["read", "write", "write"]),
    (atomics, {"x": F32, "y": F32, "z": I32}, ["read", "readwrite", "readwrite"]),
    (through_calls, {"x": F32, "y": F32, "z": F32}, ["read", "readwrite", "write"]),
    (through_results, {"x": F32, "y": F32}, ["read", "write"]),
    (through_integers, {"x": F32, "y": F32}, ["read", "write"]),
    (reduction, {"x": F32, "y": F32}, ["read", "write"]),
    (on_device, {"x": F32, "y": F32}, ["read", "write"]),
]


def compiled(function: Any, arguments: dict[str, Any], target: str, root: Path):
    spec = specialize(Kernel.of(function), arguments, {"B": 64}, {})
    return compile_kernel(spec, Target.parse(target), cache=KernelCache(root))


@pytest.mark.parametrize("target", ["cuda:sm_80", "cuda:sm_90"])
@pytest.mark.parametrize(("function", "arrays", "expected"), CASES)
def test_effects(function, arrays, expected, target, tmp_path):
    kernel = compiled(function, {**arrays, "n": N}, target, tmp_path)
    effects = [p.effect for p in kernel.parameters if p.is_pointer]
    assert effects == expected
    assert all(p.effect == "none" for p in kernel.parameters if not p.is_pointer)
    for parameter in kernel.parameters:
        assert (parameter.written_at is not None) == parameter.is_written


def line_of(text: str) -> int:
    lines = Path(__file__).read_text().split("\n")
    return next(i for i, line in enumerate(lines, 1) if text in line)


def test_the_store_is_named_in_the_function_that_has_it(tmp_path):
    arguments = {"x": F32, "y": F32, "z": F32, "n": N}
    kernel = compiled(through_calls, arguments, "cuda:sm_80", tmp_path)
    line = line_of("    tl.store(target + o, value)")
    assert kernel.parameters[1].written_at == f"{__file__}:{line}"


@triton.jit
def host_made(a, b):
    b.store([0, 0], a.load([0, 0]))


@pytest.mark.parametrize("target", ["cuda:sm_80", "cuda:sm_90"])
def test_effects_through_host_made_descriptors(target, tmp_path):
    array = ArrayArgument("float32", (64, 64))
    descriptor = DescriptorArgument(array, (64, 64), (64, 1), (16, 16))
    spec = specialize(Kernel.of(host_made), {"a": descriptor, "b": descriptor}, {}, {})
    kernel = compile_kernel(spec, Target.parse(target), cache=KernelCache(tmp_path))
    effects = {p.name: p.effect for p in kernel.parameters if p.is_pointer}
    assert effects == {"a": "read", "b": "write"}


@triton.jit
def grouped(addresses, y, n, B: tl.constexpr):
    p = tl.load(addresses).to(tl.pointer_type(tl.float32))
    tl.store(p, tl.load(y))


def test_an_address_from_memory_is_a_clear_error(tmp_path):
    arguments = {"addresses": ArrayArgument("int64", (4,)), "y": F32, "n": N}
    message = r"kernel `grouped`: `tt.store` writes memory at an address"
    with pytest.raises(UnsupportedError, match=message) as caught:
        compiled(grouped, arguments, "cuda:sm_80", tmp_path)
    line = line_of("    tl.store(p, tl.load(y))")
    assert f"test_effects.py:{line}" in str(caught.value)


INLINE_ASSEMBLY = """
"builtin.module"() ({
  "tt.func"() <{function_type = (!tt.ptr<f32>, !tt.ptr<f32>) -> (), sym_name = "k",
                sym_visibility = "public"}> ({
  ^bb0(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>):
    %0 = "tt.elementwise_inline_asm"(%x) <{asm_string = "", constraints = "=r,l",
        packed_element = 1 : i32, pure = true}> : (!tt.ptr<f32>) -> f32
    %1 = "tt.elementwise_inline_asm"(%y) <{asm_string = "", constraints = "=r,l",
        packed_element = 1 : i32, pure = false}> : (!tt.ptr<f32>) -> f32
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""


def test_inline_assembly_may_write_unless_it_is_pure():
    effects = argument_effects(parse_module(INLINE_ASSEMBLY), kernel="k")
    assert [effect.effect for effect in effects] == ["read", "readwrite"]
