# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Runs Triton kernels through the CPU lowering and IREE, many kernels to a module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import iree.compiler.api as compiler_api
import iree.runtime as runtime
import ml_dtypes
import numpy as np
from triton._C.libtriton import ir as triton_ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, make_backend

from tritonflow.compiler.ttir_text import readable_ttir
from tritonflow.cpu.lower import lower_kernel
from tritonflow.mlir import ttir_to_generic
from tritonflow.target import Target

# dtype -> (Triton's name, MLIR's element type in a tensor, type of the raw bytes).
_TYPES = {
    np.dtype(np.bool_): ("i1", "i8"),
    np.dtype(np.int8): ("i8", "i8"),
    np.dtype(np.uint8): ("u8", "i8"),
    np.dtype(np.int16): ("i16", "i16"),
    np.dtype(np.uint16): ("u16", "i16"),
    np.dtype(np.int32): ("i32", "i32"),
    np.dtype(np.uint32): ("u32", "i32"),
    np.dtype(np.int64): ("i64", "i64"),
    np.dtype(np.uint64): ("u64", "i64"),
    np.dtype(np.float16): ("fp16", "i16"),
    np.dtype(ml_dtypes.bfloat16): ("bf16", "i16"),
    np.dtype(ml_dtypes.float8_e4m3fn): ("fp8e4nv", "i8"),
    np.dtype(ml_dtypes.float8_e5m2): ("fp8e5", "i8"),
    np.dtype(np.float32): ("fp32", "f32"),
    np.dtype(np.float64): ("fp64", "i64"),
}

_RAW = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}

# The first that knows all of Triton's float types.
CAPABILITY = 89

Argument = np.ndarray | np.generic | int | float


@dataclass
class Launch:
    """One kernel with its arguments; arrays are updated in place when it has run."""

    kernel: Any
    arguments: Sequence[Argument]
    grid: tuple[int, ...] = (1,)
    constants: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    aligned: bool = True

    @property
    def names(self) -> list[str]:
        """Names of the run-time parameters."""
        every = self.kernel.arg_names
        return [name for name in every if name not in self.constants]


def ttir_of(launch: Launch) -> str:
    """Gives the kernel's generic TTIR, made for an NVIDIA GPU without one."""
    target = GPUTarget("cuda", CAPABILITY, 32)
    signature = {name: "constexpr" for name in launch.constants}
    attributes = {}
    for name, argument in zip(launch.names, launch.arguments, strict=True):
        signature[name] = _signature(argument)
        if isinstance(argument, np.ndarray) and launch.aligned:
            index = launch.kernel.arg_names.index(name)
            attributes[(index,)] = [["tt.divisibility", 16]]
    ordered = {name: signature[name] for name in launch.kernel.arg_names}
    source = ASTSource(
        fn=launch.kernel,
        signature=ordered,
        constexprs=dict(launch.constants),
        attrs=attributes,
    )
    backend = make_backend(target)
    options = backend.parse_options(dict(launch.options))
    context = triton_ir.context()
    triton_ir.load_dialects(context)
    backend.load_dialects(context)
    module = source.make_ir(
        target,
        options,
        backend.get_codegen_implementation(options),
        backend.get_module_map(),
        context,
    )
    return ttir_to_generic(
        readable_ttir(str(backend.make_ttir(module, {}, options, CAPABILITY)))
    )


def _signature(argument: Argument) -> str:
    if isinstance(argument, np.ndarray):
        return "*" + _TYPES[argument.dtype][0]
    if isinstance(argument, np.generic):
        return _TYPES[argument.dtype][0]
    return "fp32" if isinstance(argument, float) else "i32"


def lower(launch: Launch, target: str = "cpu") -> str:
    """Gives the CPU code of a launch's kernel."""
    return lower_kernel(ttir_of(launch), Target.parse(target))


def program_text(launches: Sequence[Launch], target: str = "cpu") -> str:
    """Gives one program with a function `run<n>` for each launch."""
    parts = []
    for number, launch in enumerate(launches):
        parts.append(_executable(launch, number, target))
        parts.append(_entry(launch, number))
    return "module @tests {\n" + "\n".join(parts) + "\n}\n"


def _executable(launch: Launch, number: int, target: str) -> str:
    code = lower(launch, target)
    inner = code[code.index("{") + 1 : code.rindex("}")]
    # IREE links all executables into one library: names must differ.
    name = f"{launch.kernel.__name__}_{number}"
    inner = inner.replace(f"@{launch.kernel.__name__}(", f"@{name}(")
    return f"""
stream.executable private @executable{number} {{
  stream.executable.export public @{name} workgroups(%x: index, %y: index, %z: index)
      -> (index, index, index) {{
    stream.return %x, %y, %z : index, index, index
  }}
  builtin.module {{{inner}}}
}}"""


def _entry(launch: Launch, number: int) -> str:
    types, operands, lines, tensors = [], [], [], []
    for index, argument in enumerate(launch.arguments):
        if isinstance(argument, np.ndarray):
            element = _TYPES[argument.dtype][1]
            types.append(f"tensor<{argument.size}x{element}>")
            tensors.append((f"%a{index}", types[-1], len(operands)))
            operands.append(f"%a{index}")
            continue
        mlir_type, text = _scalar_text(argument)
        types.append(mlir_type)
        suffix = "" if mlir_type == "i1" else f" : {mlir_type}"
        lines.append(f"%s{index} = arith.constant {text}{suffix}")
        operands.append(f"%s{index}")
    grid = [*launch.grid, 1, 1][:3]
    for axis, count in enumerate(grid):
        lines.append(f"%g{axis} = arith.constant {count} : index")
    names = ", ".join(f"{name}: {type_}" for name, type_, _ in tensors)
    results = ", ".join(type_ for _, type_, _ in tensors)
    ties = ", ".join(name for name, _, _ in tensors)
    values = ", ".join(f"%r#{n}" for n in range(len(tensors)))
    if len(tensors) == 1:
        values = "%r"
    count = f":{len(tensors)}" if len(tensors) > 1 else ""
    name = f"@executable{number}::@{launch.kernel.__name__}_{number}"
    return f"""
func.func @run{number}({names}) -> ({results}) {{
  {chr(10).join(lines)}
  %r{count} = flow.dispatch {name}[%g0, %g1, %g2](
      {", ".join(operands)}) : ({", ".join(types)}) -> ({ties})
  return {values} : {results}
}}"""


def _scalar_text(argument: Argument) -> tuple[str, str]:
    if isinstance(argument, np.generic):
        name = _TYPES[argument.dtype][0]
        width = argument.dtype.itemsize * 8
        if argument.dtype == np.bool_:
            return "i1", "true" if argument else "false"
        if name.startswith(("i", "u")):
            return f"i{width}", str(int(argument))
        return {"fp16": "f16", "fp32": "f32", "fp64": "f64"}[name], _float_text(
            argument
        )
    if isinstance(argument, float):
        return "f32", _float_text(np.float32(argument))
    return "i32", str(argument)


def _float_text(value: Any) -> str:
    raw = {2: np.uint16, 4: np.uint32, 8: np.uint64}[value.dtype.itemsize]
    return hex(int(value.view(raw)))


def compile_text(text: str, flags: Sequence[str] = ()) -> bytes:
    """Compiles a program for this CPU, in this process."""
    session = compiler_api.Session()
    session.set_flags(
        "--iree-hal-target-backends=llvm-cpu",
        "--iree-llvmcpu-target-cpu=host",
        "--iree-input-demote-f64-to-f32=false",
        *flags,
    )
    invocation = session.invocation()
    invocation.enable_console_diagnostics()
    source = compiler_api.Source.wrap_buffer(session, text.encode() + b"\0")
    if not invocation.parse_source(source):
        raise AssertionError("the program does not parse")
    if not invocation.execute():
        raise AssertionError("the program does not compile")
    output = compiler_api.Output.open_membuffer()
    invocation.output_vm_bytecode(output)
    return bytes(output.map_memory())


def load(binary: bytes, driver: str = "local-sync") -> tuple[Any, Any]:
    """Gives the program's functions and its device."""
    config = runtime.Config(driver)
    context = runtime.SystemContext(config=config)
    module = runtime.VmModule.copy_buffer(context.instance, binary)
    context.add_vm_module(module)
    return context.modules.tests, config.device


def run(*launches: Launch) -> None:
    """Compiles all launches as one program and runs them; updates their arrays."""
    functions, _ = load(compile_text(program_text(launches)))
    for number, launch in enumerate(launches):
        arrays = [a for a in launch.arguments if isinstance(a, np.ndarray)]
        raw = [_raw(array) for array in arrays]
        results = functions[f"run{number}"](*raw)
        if len(arrays) == 1:
            results = [results]
        for array, result in zip(arrays, results, strict=True):
            array[...] = result.to_host().view(array.dtype).reshape(array.shape)


def _raw(array: np.ndarray) -> np.ndarray:
    element = _TYPES[array.dtype][1]
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat if element == "f32" else flat.view(_RAW[element])
