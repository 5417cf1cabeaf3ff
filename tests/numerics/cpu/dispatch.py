# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Runs emitted CPU code by itself: a dispatch around it, many to a module."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import iree.runtime
import numpy as np
from iree.compiler.api import Output, Session, Source

from tritonflow.cpu.transpose_kernels import index_constant
from tritonflow.mlir import arith, func, ir, memref, new_context

FLAGS = (
    "--iree-hal-target-backends=llvm-cpu",
    "--iree-input-demote-f64-to-f32=false",
)

ELEMENTS = {
    "float64": "f64",
    "float32": "f32",
    "float16": "f16",
    "bfloat16": "bf16",
    "float8_e4m3fn": "f8E4M3FN",
    "int8": "i8",
    "int32": "i32",
}

Emit = Callable[[list[ir.Value]], None]
"""Emits a kernel's body; gets one flat memref for each array."""


@dataclass(frozen=True)
class Dispatch:
    """An emitted kernel and its arrays, of which it updates the last."""

    emit: Emit
    arrays: Sequence[np.ndarray]


def run_dispatches(dispatches: Sequence[Dispatch]) -> list[np.ndarray]:
    """Gives what each kernel, run once, leaves in a copy of its last array."""
    config = iree.runtime.Config("local-sync")
    context = iree.runtime.SystemContext(config=config)
    binary = compile_text(module_text(dispatches))
    context.add_vm_module(iree.runtime.VmModule.copy_buffer(context.instance, binary))
    results = []
    for number, dispatch in enumerate(dispatches):
        run = context.modules.dispatches[f"main{number}"]
        found = run(*map(_flat, dispatch.arrays)).to_host()
        last = dispatch.arrays[-1]
        results.append(found.view(last.dtype).reshape(last.shape))
    return results


def compile_text(text: str, cpu: str = "host") -> bytes:
    """Gives the VM module of MLIR text."""
    session = Session()
    session.set_flags(*FLAGS, f"--iree-llvmcpu-target-cpu={cpu}")
    invocation = session.invocation()
    invocation.enable_console_diagnostics()
    if not invocation.parse_source(Source.wrap_buffer(session, text.encode() + b"\0")):
        raise AssertionError("the emitted text does not parse")
    if not invocation.execute():
        raise AssertionError("the emitted code does not compile")
    output = Output.open_membuffer()
    invocation.output_vm_bytecode(output)
    return bytes(output.map_memory())


def module_text(dispatches: Sequence[Dispatch], grid: int = 1) -> str:
    """Gives a program with a function for each kernel, which runs it over `grid`."""
    parts = [_entry(n, dispatch, grid) for n, dispatch in enumerate(dispatches)]
    return "module @dispatches {" + "".join(parts) + "}"


def _entry(number: int, dispatch: Dispatch, grid: int) -> str:
    arrays = dispatch.arrays
    tensors = [f"tensor<{max(a.size, 1)}x{_storage(a)}>" for a in arrays]
    names = [f"%a{i}" for i in range(len(arrays))]
    parameters = ", ".join(f"{n}: {t}" for n, t in zip(names, tensors, strict=True))
    return f"""
  stream.executable private @exe{number} {{
    stream.executable.export public @k{number} workgroups(%x: index)
        -> (index, index, index) {{
      %one = arith.constant 1 : index
      stream.return %x, %one, %one : index, index, index
    }}
    builtin.module {{
{_function_text(f"k{number}", dispatch)}
    }}
  }}
  func.func @main{number}({parameters}) -> {tensors[-1]} {{
    %grid = arith.constant {grid} : index
    %r = flow.dispatch @exe{number}::@k{number}[%grid]({", ".join(names)})
        : ({", ".join(tensors)}) -> {names[-1]}
    return %r : {tensors[-1]}
  }}
"""


def scratch(count: int, element: ir.Type) -> ir.Value:
    """Emits flat scratch at the function's top, as a lowering would."""
    space = ir.Attribute.parse("#iree_codegen.workgroup_local")
    type_ = ir.MemRefType.get([count], element, memory_space=space)
    operation = ir.InsertionPoint.current.block.owner.operation
    while operation.name != "func.func":
        operation = operation.parent.operation
    entry = operation.regions[0].blocks[0]
    with ir.InsertionPoint.at_block_begin(entry):
        return memref.alloc(type_, [], [])


def _function_text(name: str, dispatch: Dispatch) -> str:
    arrays = dispatch.arrays
    with new_context(), ir.Location.unknown():
        module = ir.Module.create()
        binding = ir.Type.parse("!stream.binding")
        with ir.InsertionPoint(module.body):
            function = func.FuncOp(name, ([binding] * len(arrays), []))
        entry = function.add_entry_block()
        with ir.InsertionPoint(entry):
            buffers = [
                _buffer(argument, array)
                for argument, array in zip(entry.arguments, arrays, strict=True)
            ]
            dispatch.emit(buffers)
            func.ReturnOp([])
        assert module.operation.verify()
        return str(function)


def _buffer(binding: ir.Value, array: np.ndarray) -> ir.Value:
    dynamic = ir.ShapedType.get_dynamic_size()
    element = ir.Type.parse(ELEMENTS[array.dtype.name])
    size = arith.constant(ir.IndexType.get(), 1 << 32)
    return ir.Operation.create(
        "stream.binding.subspan",
        results=[ir.MemRefType.get([dynamic], element)],
        operands=[binding, index_constant(0), size],
    ).result


def _storage(array: np.ndarray) -> str:
    return f"i{8 * array.itemsize}"


def _flat(array: np.ndarray) -> np.ndarray:
    """The array's bytes as integers: the runtime knows no bfloat16."""
    return np.ascontiguousarray(array).reshape(-1).view(f"i{array.itemsize}")
