# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels written by hand, and programs that call them, compiled and run on the CPU."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import iree.runtime as rt
import numpy as np

from tritonflow.compiler.compiled import Abi, CompiledKernel, KernelParameter
from tritonflow.iree.invocation import Compilation
from tritonflow.passes.assign_device import iree_flags
from tritonflow.passes.pipelines import lower_program
from tritonflow.target import Target

CPU = Target("cpu", "host")


def pointer(name: str, effect: str, element: str = "f32") -> KernelParameter:
    """A buffer parameter; a written one is written in line 7 of `kernel.py`."""
    is_written = effect in ("write", "readwrite")
    return KernelParameter(
        name=name,
        type=element,
        is_pointer=True,
        effect=effect,  # type: ignore[arg-type]
        written_at="kernel.py:7" if is_written else None,
    )


def scalar(name: str, element: str) -> KernelParameter:
    """A parameter passed by value."""
    return KernelParameter(name=name, type=element, is_pointer=False)


def cpu_kernel(name: str, parameters: Sequence[KernelParameter], body: str):
    """A kernel for the CPU. In `body`, `%x` is a scalar and `%x_m` a buffer's memref.

    `%pid` is the program's number along x, `%c0` and `%c1` are indices.
    """
    arguments, views = [], []
    for p in parameters:
        arguments.append(f"%{p.name}: {'!stream.binding' if p.is_pointer else p.type}")
        stored = "i8" if p.type == "i1" else p.type
        if p.is_pointer:
            views.append(
                f"%{p.name}_m = stream.binding.subspan %{p.name}[%c0] : "
                f"!stream.binding -> memref<?x{stored}>{{%big}}"
            )
    code = f"""
      func.func @{name}({", ".join(arguments)}) {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %big = arith.constant 4294967296 : index
        %pid = stream.dispatch.workgroup.id[0] : index
        {"".join(view + chr(10) for view in views)}
        {body}
        return
      }}"""
    return CompiledKernel(
        name=name,
        key=name,
        target=CPU,
        parameters=tuple(parameters),
        cpu_code=code,
        num_warps=1,
        warp_size=1,
    )


def gpu_kernel(name: str, target: str, parameters: Sequence[KernelParameter], **fields):
    """A kernel for a GPU whose binary is a few bytes that nobody runs."""
    pointers = tuple(i for i, p in enumerate(parameters) if p.is_pointer)
    words: list[tuple[int, int]] = []
    for index, parameter in enumerate(parameters):
        if not parameter.is_pointer:
            is_wide = parameter.type in ("i64", "f64")
            words += [(index, word) for word in range(2 if is_wide else 1)]
    defaults: dict[str, Any] = {
        "binary": b"\x7fELF",
        "abi": Abi(bindings=pointers, has_scratch=False, constants=tuple(words)),
        "shared_bytes": 1024,
    }
    return CompiledKernel(
        name=name,
        key=name,
        target=Target.parse(target),
        parameters=tuple(parameters),
        **{**defaults, **fields},
    )


def call(
    kernel: str,
    operands: str,
    signature: str,
    arguments: Sequence[str],
    *,
    grid: str = "1, 1, 1",
    zeroed: str = "",
    extra: str = "",
) -> str:
    """The text of a `@tritonflow.call`."""
    listed = ", ".join(arguments)
    configuration = (
        f'kernel = "{kernel}", name = "{kernel}", location = "user.py:3", '
        f"grid = [{grid}], arguments = [{listed}], zeroed = [{zeroed}]"
    )
    return (
        f"stablehlo.custom_call @tritonflow.call({operands}) "
        f"{{{extra}mhlo.backend_config = {{{configuration}}}}} : {signature}"
    )


@dataclass
class Lowered:
    """A lowered program; compiled when it is first run or inspected."""

    text: str
    _functions: dict[str, Callable[..., Any]] = field(default_factory=dict)

    def phase(self, name: str) -> str:
        """IREE's IR after the phase `name`."""
        with Compilation(self.text, iree_flags((CPU,))) as compilation:
            compilation.run_to(name)
            return compilation.ir().decode()

    def __call__(self, *arguments: np.ndarray) -> list[np.ndarray]:
        if "main" not in self._functions:
            with Compilation(self.text, iree_flags((CPU,))) as compilation:
                compilation.run_to("end")
                binary = compilation.bytecode()
            context = rt.SystemContext(
                config=rt.Config(device=rt.get_device("local-sync"))
            )
            module = rt.VmModule.copy_buffer(context.instance, binary)
            context.add_vm_module(module)
            self._functions["main"] = context.modules["program"].main
        results = self._functions["main"](*arguments)
        listed = results if isinstance(results, tuple | list) else [results]
        return [np.asarray(result) for result in listed]


def lower(
    text: str,
    kernels: Sequence[CompiledKernel] = (),
    targets: Sequence[str] = ("cpu",),
    **options: Any,
) -> Lowered:
    """Gives the program `text` lowered for `targets`."""
    table: dict[str, dict[Target, CompiledKernel]] = {}
    for kernel in kernels:
        table.setdefault(kernel.key, {})[kernel.target] = kernel
    parsed = tuple(Target.parse(target) for target in targets)
    return Lowered(lower_program(text, table, parsed, name="program", **options))


def main(arguments: str, results: str, *body: str) -> str:
    """The text of a program of one function; `body` are its lines."""
    lines = "\n".join(body)
    return f"func.func public @main({arguments}) -> ({results}) {{\n{lines}\n}}"


def values(count: int, seed: int = 0) -> np.ndarray:
    """Random numbers, the same in every run."""
    return np.random.default_rng(seed).standard_normal(count).astype(np.float32)


def copies(stream_text: str) -> int:
    """How many copies of buffers stand in IREE's IR."""
    return len(re.findall(r"stream\.(?:cmd\.copy|async\.clone)", stream_text))


ADD_ONE = cpu_kernel(
    "add_one",
    [pointer("x", "read"), pointer("y", "write")],
    """
    %one = arith.constant 1.0 : f32
    %v = memref.load %x_m[%pid] : memref<?xf32>
    %w = arith.addf %v, %one : f32
    memref.store %w, %y_m[%pid] : memref<?xf32>
    """,
)

IN_PLACE = cpu_kernel(
    "in_place",
    [pointer("x", "readwrite"), pointer("y", "read")],
    """
    %v = memref.load %x_m[%pid] : memref<?xf32>
    %u = memref.load %y_m[%pid] : memref<?xf32>
    %w = arith.addf %v, %u : f32
    memref.store %w, %x_m[%pid] : memref<?xf32>
    """,
)

# Outputs before and between inputs: buffers do not come in the order of the dispatch.
SUM_AND_DIFFERENCE = cpu_kernel(
    "sum_and_difference",
    [
        pointer("s", "write"),
        pointer("a", "read"),
        pointer("d", "write"),
        pointer("b", "read"),
    ],
    """
    %u = memref.load %a_m[%pid] : memref<?xf32>
    %v = memref.load %b_m[%pid] : memref<?xf32>
    %p = arith.addf %u, %v : f32
    %m = arith.subf %u, %v : f32
    memref.store %p, %s_m[%pid] : memref<?xf32>
    memref.store %m, %d_m[%pid] : memref<?xf32>
    """,
)

OPERAND, RESULT = '{kind = "operand", operand = 0}', '{kind = "result", result = 0}'
