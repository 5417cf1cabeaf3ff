# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Runs emitted CPU code by itself: one dispatch around it, compiled in process."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
"""Emits a kernel's body; gets one flat memref for each input, then the output's."""


def run_dispatch(
    emit: Emit, inputs: Sequence[np.ndarray], output: np.ndarray, cpu: str = "host"
) -> np.ndarray:
    """Gives what one program of the emitted kernel leaves in a copy of `output`."""
    call = load_dispatch(emit, [*inputs, output], cpu=cpu)
    return np.asarray(call()).reshape(output.shape)


def load_dispatch(
    emit: Emit, arrays: Sequence[np.ndarray], *, grid: int = 1, cpu: str = "host"
) -> Callable[[], np.ndarray]:
    """Gives a function that runs the kernel; the last array is updated in place."""
    config = iree.runtime.Config("local-sync")
    context = iree.runtime.SystemContext(config=config)
    binary = compile_text(module_text(emit, arrays, grid), cpu)
    context.add_vm_module(iree.runtime.VmModule.copy_buffer(context.instance, binary))
    main = context.modules.dispatch.main
    device_arrays = [
        iree.runtime.asdevicearray(config.device, _flat(array)) for array in arrays
    ]
    return lambda: main(*device_arrays).to_host().view(arrays[-1].dtype)


def compile_text(text: str, cpu: str) -> bytes:
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


def module_text(emit: Emit, arrays: Sequence[np.ndarray], grid: int) -> str:
    """Gives a program that dispatches the emitted kernel once over `grid`."""
    tensors = [f"tensor<{max(a.size, 1)}x{_storage(a)}>" for a in arrays]
    names = [f"%a{i}" for i in range(len(arrays))]
    parameters = ", ".join(f"{n}: {t}" for n, t in zip(names, tensors, strict=True))
    return f"""module @dispatch {{
  stream.executable private @exe {{
    stream.executable.export public @k workgroups(%x: index) -> (index, index, index) {{
      %one = arith.constant 1 : index
      stream.return %x, %one, %one : index, index, index
    }}
    builtin.module {{
{_function_text(emit, arrays)}
    }}
  }}
  func.func @main({parameters}) -> {tensors[-1]} {{
    %grid = arith.constant {grid} : index
    %r = flow.dispatch @exe::@k[%grid]({", ".join(names)})
        : ({", ".join(tensors)}) -> {names[-1]}
    return %r : {tensors[-1]}
  }}
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


def _function_text(emit: Emit, arrays: Sequence[np.ndarray]) -> str:
    with new_context(), ir.Location.unknown():
        module = ir.Module.create()
        binding = ir.Type.parse("!stream.binding")
        with ir.InsertionPoint(module.body):
            function = func.FuncOp("k", ([binding] * len(arrays), []))
        entry = function.add_entry_block()
        with ir.InsertionPoint(entry):
            buffers = [
                _buffer(argument, array)
                for argument, array in zip(entry.arguments, arrays, strict=True)
            ]
            emit(buffers)
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
