# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What the command line names in words: functions, array shapes, array files."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import SignatureError
from ..kernel.element_types import NUMPY_FROM_MLIR

if TYPE_CHECKING:
    import jax

_SHORT_DTYPES = {
    **NUMPY_FROM_MLIR,
    **{f"u{bits}": f"uint{bits}" for bits in (8, 16, 32, 64)},
    "bool": "bool",
}
"""NumPy's name by what the command line takes: MLIR's names and, unsigned, Triton's."""

_MAGICS = (b"\x93NUM", b"PK\x03\x04")
"""How `.npy` and `.npz` files begin; NumPy takes anything else for a pickle."""

_ARGUMENT = re.compile(r"\s*(\w+)\s*\[([^\]]*)\]\s*")


def load_function(text: str) -> Callable[..., Any]:
    """Gives the function that `path/to/file.py:name` or `package.module:name` names.

    Raises: SignatureError: no such file, module or function, or not callable.
    """
    place, colon, name = text.rpartition(":")
    if not colon or not place or not name:
        raise SignatureError(
            f"`{text}`: expected FILE.py:FUNCTION or package.module:FUNCTION."
        )
    module = _load_file(Path(place)) if place.endswith(".py") else _load_module(place)
    try:
        function = getattr(module, name)
    except AttributeError:
        known = [
            n for n in vars(module) if callable(getattr(module, n)) and n[0] != "_"
        ]
        raise SignatureError(
            f"`{place}` has no function `{name}`, expected one of {', '.join(known)}."
        ) from None
    if not callable(function):
        raise SignatureError(f"`{text}`: `{name}` is not a function.")
    return function


def _load_file(path: Path) -> Any:
    if not path.is_file():
        raise SignatureError(f"`{path}`: no such file.")
    # A script finds its neighbours, as it does under `python FILE`.
    sys.path.insert(0, str(path.resolve().parent))
    name = path.stem
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise SignatureError(f"`{path}`: not a Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _load_module(name: str) -> Any:
    sys.path.insert(0, "")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise SignatureError(f"`{name}`: no such module ({error}).") from error


def parse_shapes(texts: Sequence[str]) -> list[jax.ShapeDtypeStruct]:
    """Gives the abstract arrays that texts such as `f32[1823,781]` or `f32[b,8]` name.

    Dimensions that are words are symbolic, and the same word is the same size in all.

    Raises: SignatureError: an unreadable text, an unknown element type, or a 64-bit
        element type while JAX has them switched off.
    """
    import jax
    from jax import export

    scope = export.SymbolicScope()
    shapes: list[jax.ShapeDtypeStruct] = []
    for text in texts:
        match = _ARGUMENT.fullmatch(text)
        if match is None:
            raise SignatureError(
                f"`--arg {text}`: expected TYPE[SIZES].",
                hint="examples: f32[1823,781], bf16[batch,64], i32[]",
            )
        dtype = _dtype(match[1], text)
        try:
            shape = export.symbolic_shape(match[2], scope=scope)
        except ValueError as error:
            raise SignatureError(f"`--arg {text}`: {error}") from error
        shapes.append(jax.ShapeDtypeStruct(shape, dtype))
    return shapes


def _dtype(name: str, text: str) -> Any:
    import jax
    import numpy as np
    from jax import dtypes

    full = _SHORT_DTYPES.get(name, name)
    if full not in _SHORT_DTYPES.values():
        raise SignatureError(
            f"`--arg {text}`: unknown element type `{name}`, expected one of "
            f"{', '.join(_SHORT_DTYPES)}."
        )
    dtype = np.dtype(jax.numpy.dtype(full))
    if dtypes.canonicalize_dtype(dtype) != dtype:
        raise SignatureError(
            f"`--arg {text}`: JAX has 64-bit types switched off.",
            hint="add --x64",
        )
    return dtype


def write_array(path: str, array: Any) -> None:
    """Writes `array` to the `.npy` file at `path`, all or nothing.

    Raises: ArtifactError: the file cannot be written.
    """
    import io

    import numpy as np

    from ..iree.artifact import write_file

    contents = io.BytesIO()
    np.save(contents, array)
    write_file(path, [contents.getbuffer()])


def read_array(path: str, dtype: str) -> Any:
    """Gives the array of a `.npy` file; nothing in the file is executed.

    Args:
        dtype: the element type wanted, for types that `.npy` files cannot name
            (bfloat16 and the 8-bit floats are stored as plain bytes).

    Raises: SignatureError: no such file, or not an array file.
    """
    import ml_dtypes
    import numpy as np

    try:
        with open(path, "rb") as file:
            if file.read(4) not in _MAGICS:
                raise ValueError("it does not begin as one")
        array = np.load(path, allow_pickle=False)
    except OSError as error:
        reason = error.strerror or error
        raise SignatureError(f"`--input {path}`: cannot read it: {reason}.") from error
    except (ValueError, EOFError, MemoryError) as error:
        raise SignatureError(f"`--input {path}`: not a .npy file: {error}") from error
    if not isinstance(array, np.ndarray):
        raise SignatureError(f"`--input {path}`: several arrays, expected one.")
    if array.dtype.kind == "V" and hasattr(ml_dtypes, dtype):
        wanted = np.dtype(getattr(ml_dtypes, dtype))
        if wanted.itemsize == array.dtype.itemsize:
            return array.view(wanted)
    return array
