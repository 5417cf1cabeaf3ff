# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What Triton's own interpreter computes for a kernel: a reference for our lowerings.

    from tests.interpreter import interpret
    (x_after, y_after) = interpret(kernel, (4,), x, y, n, BLOCK=128)

Triton decides at import whether kernels are interpreted, so the work is done by a
child process that runs this file with `TRITON_INTERPRET=1`, one for all launches.
Arrays travel through a file that the child maps into memory and that the kernel writes
to in place.
"""

from __future__ import annotations

import atexit
import importlib.util
import json
import linecache
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes  # noqa: F401  (gives NumPy the names bfloat16, float8_e5m2, ...)
import numpy as np

ALIGNMENT = 64


class InterpreterError(RuntimeError):
    """The kernel failed in the interpreter; the message is the child's traceback."""


@dataclass(frozen=True)
class Descriptor:
    """A host-made tensor descriptor argument over a whole NumPy array."""

    base: np.ndarray
    block_shape: tuple[int, ...]
    padding: str = "zero"


@dataclass(frozen=True)
class Run:
    """One launch of a kernel: arguments in the kernel's order, then by name."""

    kernel: Any
    grid: tuple[int, ...]
    arguments: Sequence[Any]
    keywords: Mapping[str, Any]


def interpret(
    kernel: Any, grid: tuple[int, ...], *arguments: Any, **keywords: Any
) -> tuple[np.ndarray, ...]:
    """Gives the array arguments as the kernel leaves them, positional ones first.

    Args:
        kernel: `@triton.jit` function, or one under `@triton.heuristics` or
            `@triton.autotune` (first configuration), at the top level of a file.
        grid: one to three numbers of programs; programs run one after another.
        arguments: NumPy arrays (passed as pointers to a C-ordered copy), numbers,
            `None`, `Descriptor`s and tuples of them.
        keywords: further arguments and constexprs by name; launch options are ignored.
    """
    return interpret_all([Run(kernel, grid, arguments, keywords)])[0]


def interpret_all(runs: Sequence[Run]) -> list[tuple[np.ndarray, ...]]:
    """Gives the results of many launches, each as `interpret` gives them."""
    memory = _Memory()
    requests = [_encode_run(run, memory) for run in runs]
    with tempfile.TemporaryDirectory(prefix="interpret-") as folder:
        memory.write(Path(folder, "arrays"))
        Path(folder, "runs.json").write_text(
            json.dumps({"path": sys.path, "runs": requests})
        )
        _Child.running().work_on(folder)
        final = Path(folder, "arrays").read_bytes()
    return [tuple(_views(request, final)) for request in requests]


class _Child:
    """The interpreting process: started by the first launch, ended with this one.

    It is told a folder a line and answers with a line of JSON: an error's text or null.
    """

    _current: _Child | None = None

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__],
            env={**os.environ, "TRITON_INTERPRET": "1", "JAX_PLATFORMS": "cpu"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        atexit.register(self.process.kill)

    @classmethod
    def running(cls) -> _Child:
        if cls._current is None or cls._current.process.poll() is not None:
            cls._current = cls()
        return cls._current

    def work_on(self, folder: str) -> None:
        pipes = self.process
        assert pipes.stdin is not None
        assert pipes.stdout is not None
        pipes.stdin.write(folder + "\n")
        pipes.stdin.flush()
        answer = pipes.stdout.readline()
        if not answer:
            raise InterpreterError(f"the interpreter died: code {pipes.wait()}")
        if (error := json.loads(answer)) is not None:
            raise InterpreterError(error)


class _Memory:
    """Arrays laid out in one file, in the order in which they were added."""

    def __init__(self) -> None:
        self.chunks: list[bytes] = []
        self.size = 0

    def add(self, array: np.ndarray) -> dict[str, Any]:
        where = {
            "array": self.size,
            "dtype": array.dtype.name,
            "shape": list(array.shape),
        }
        data = np.ascontiguousarray(array).tobytes()
        # One spare alignment unit keeps an empty array's address inside the file.
        padding = -len(data) % ALIGNMENT + ALIGNMENT
        self.chunks += [data, bytes(padding)]
        self.size += len(data) + padding
        return where

    def write(self, path: Path) -> None:
        path.write_bytes(b"".join(self.chunks) or bytes(ALIGNMENT))


def _encode_run(run: Run, memory: _Memory) -> dict[str, Any]:
    grid = (run.grid,) if isinstance(run.grid, int) else tuple(run.grid)
    return {
        "kernel": _encode_function(run.kernel),
        "grid": [int(count) for count in grid],
        "arguments": [_encode(value, memory) for value in run.arguments],
        "keywords": {k: _encode(v, memory) for k, v in run.keywords.items()},
    }


def _encode(value: Any, memory: _Memory) -> Any:
    if isinstance(value, np.ndarray):
        return memory.add(value)
    if isinstance(value, np.generic):
        return _encode(value.item(), memory)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, Descriptor):
        base = memory.add(value.base)
        return {
            "descriptor": base,
            "block_shape": list(value.block_shape),
            "padding": value.padding,
        }
    if isinstance(value, tuple | list):
        return {"tuple": [_encode(item, memory) for item in value]}
    if type(value).__name__ == "dtype" and hasattr(value, "primitive_bitwidth"):
        return {"dtype": value.name}
    if hasattr(value, "fn"):
        return {"function": _encode_function(value)}
    raise TypeError(f"cannot pass {value!r} to the interpreter")


def _encode_function(function: Any) -> dict[str, str]:
    plain = function
    while hasattr(plain, "fn"):
        plain = plain.fn
    if "<locals>" in plain.__qualname__:
        raise TypeError(f"`{plain.__qualname__}` must stand at the top level of a file")
    return {
        "file": plain.__code__.co_filename,
        "module": plain.__module__,
        "name": plain.__qualname__,
    }


def _views(request: dict[str, Any], final: bytes) -> list[np.ndarray]:
    found: list[np.ndarray] = []

    def visit(item: Any) -> None:
        if isinstance(item, dict) and "array" in item:
            found.append(_array_at(final, item).copy())
        elif isinstance(item, dict):
            for inner in item.values():
                visit(inner)
        elif isinstance(item, list):
            for inner in item:
                visit(inner)

    visit(request["arguments"])
    visit(request["keywords"])
    return found


def _array_at(buffer: Any, where: dict[str, Any]) -> np.ndarray:
    count = int(np.prod(where["shape"]))
    flat = np.frombuffer(
        buffer, np.dtype(where["dtype"]), count=count, offset=where["array"]
    )
    return flat.reshape(where["shape"])


# What follows runs in the child.


class _Dtype(str):
    """A dtype with the attributes of torch's that Triton looks at."""

    @property
    def itemsize(self) -> int:
        return np.dtype(str(self)).itemsize

    @property
    def is_floating_point(self) -> bool:
        return "float" in self


class _Tensor:
    """An array in the shared file with as much of torch's interface as Triton uses.

    It is its own storage and its own copy on the host, so that the interpreter's moves
    between device and host do nothing.
    """

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        self.dtype = _Dtype(array.dtype.name)
        self.shape = tuple(array.shape)

    def data_ptr(self) -> int:
        return self.array.ctypes.data

    def stride(self) -> tuple[int, ...]:
        return tuple(s // self.array.itemsize for s in self.array.strides)

    def size(self) -> tuple[int, ...]:
        return self.shape

    def element_size(self) -> int:
        return self.array.itemsize

    def storage_offset(self) -> int:
        return 0

    def untyped_storage(self) -> _Tensor:
        return self

    def cpu(self) -> _Tensor:
        return self

    def new_empty(self, _size: int, device: str) -> _Tensor:
        del device
        return _Tensor(self.array)

    def set_(self, storage: _Tensor, *_layout: Any) -> None:
        self.array = storage.array

    def copy_(self, other: _Tensor) -> None:
        if other.data_ptr() != self.data_ptr():
            raise AssertionError("host and device copies were expected to be one")


def _decode(value: Any, memory: np.memmap, modules: dict[str, Any]) -> Any:
    import triton.language as tl
    from triton.tools.tensor_descriptor import TensorDescriptor

    if not isinstance(value, dict):
        return value
    if "array" in value:
        return _Tensor(_array_at(memory, value))
    if "float" in value:
        return float.fromhex(value["float"])
    if "tuple" in value:
        return tuple(_decode(item, memory, modules) for item in value["tuple"])
    if "dtype" in value:
        types = [t for t in vars(tl).values() if isinstance(t, tl.dtype)]
        return next(t for t in types if t.name == value["dtype"])
    if "function" in value:
        return _load(value["function"], modules)
    base = _Tensor(_array_at(memory, value["descriptor"]))
    return TensorDescriptor(
        base, list(base.shape), list(base.stride()), value["block_shape"],
        value["padding"],
    )  # fmt: skip


def _load(function: dict[str, str], modules: dict[str, Any]) -> Any:
    file, name = function["file"], function["module"]
    version = f"{file}@{os.stat(file).st_mtime_ns}"
    if version not in modules:
        linecache.checkcache(file)
        spec = importlib.util.spec_from_file_location(
            "interpreted" if name == "__main__" else name, file
        )
        if spec is None or spec.loader is None:
            raise ImportError(f"cannot load {file}")
        module = importlib.util.module_from_spec(spec)
        modules[version] = sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    return getattr(modules[version], function["name"])


def _launch(run: dict[str, Any], memory: np.memmap, modules: dict[str, Any]) -> None:
    from triton.runtime.autotuner import Autotuner

    kernel = _load(run["kernel"], modules)
    arguments = [_decode(item, memory, modules) for item in run["arguments"]]
    keywords = {k: _decode(v, memory, modules) for k, v in run["keywords"].items()}
    while isinstance(kernel, Autotuner):
        keywords = {**kernel.configs[0].kwargs, **keywords}
        kernel = kernel.fn
    kernel[tuple(run["grid"])](*arguments, **keywords)


def _work_on(folder: str, modules: dict[str, Any]) -> str | None:
    request = json.loads(Path(folder, "runs.json").read_text())
    sys.path[:] = request["path"]
    memory = np.memmap(Path(folder, "arrays"), np.uint8, mode="r+")
    try:
        for run in request["runs"]:
            _launch(run, memory, modules)
    except Exception:
        return traceback.format_exc()[-4000:]
    memory.flush()
    return None


def _mend_interpreter() -> None:
    """Lets older interpreters have what those of Triton 3.9 have right.

    Triton 3.6 refuses a bool argument, and a loop bound under NumPy 2.5; until 3.8 an
    argument -0.0 becomes 0.0.
    """
    import triton.language as tl
    from triton.runtime import interpreter

    convert = interpreter._implicit_cvt
    patch_tensor = interpreter._patch_lang_tensor

    def converted(value: Any) -> Any:
        for python, numpy, type_ in (
            (bool, np.bool_, tl.int1),
            (float, np.float32, tl.float32),
        ):
            if isinstance(value, python):
                data = np.array([value], numpy)
                return tl.tensor(interpreter.TensorHandle(data, type_), type_)
        return convert(value)

    def patched_tensor(tensor: Any, scope: Any) -> None:
        patch_tensor(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: self.handle.data.item())

    interpreter._implicit_cvt = converted
    interpreter._patch_lang_tensor = patched_tensor


def _main() -> None:
    # What kernels print goes to stderr: stdout carries the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    modules: dict[str, Any] = {}
    _mend_interpreter()
    for folder in sys.stdin:
        print(json.dumps(_work_on(folder.strip(), modules)), file=answers, flush=True)


if __name__ == "__main__":
    _main()
