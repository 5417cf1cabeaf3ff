# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Weights that live outside an artifact: files or arrays, checked before a run."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from iree import runtime as rt

from ..errors import ParameterError
from .arguments import ALIGNMENT, aligned_copy
from .devices import STATUS_ERRORS
from .elements import DTYPES, RAW_DTYPES
from .manifest import TensorSpec
from .safetensors import StoredTensor, read_header

SCOPE = "model"
"""IREE's name for the set of weights: `iree-run-module --parameters=model=FILE`."""

Source = str | os.PathLike[str] | Mapping[str, Any] | Sequence[Any]
"""One file, several files, or a pytree of arrays."""


def open_parameters(
    source: Source, specs: Sequence[TensorSpec], subject: str
) -> rt.ParameterProvider:
    """Gives IREE's provider of the weights in `source`, which must be exactly `specs`.

    Args:
        source: paths of `.safetensors` or `.irpa` files, which are mapped into memory;
            or arrays, in a dictionary by key or in the pytree that was compiled.
        subject: what the messages call the program.

    Raises: ParameterError: a tensor is missing, superfluous, or of another type or
        shape; or a file cannot be read.
    """
    index = rt.ParameterIndex()
    paths = _paths(source)
    if paths is None:
        stored = _add_arrays(index, flatten_arrays(source))
        place = "the arrays given"
    else:
        stored = {}
        for path in paths:
            _merge(stored, _add_file(index, path), path)
        place = ", ".join(map(str, paths))
    _check(specs, stored, place, subject)
    return index.create_provider(scope=SCOPE)


def _paths(source: Source) -> list[Path] | None:
    if isinstance(source, str | os.PathLike):
        return [Path(source)]
    if isinstance(source, Mapping):
        return None
    items = list(source)
    if items and all(isinstance(item, str | os.PathLike) for item in items):
        return [Path(item) for item in items]
    return None


def flatten_arrays(tree: Any) -> dict[str, Any]:
    """Gives the leaves of a pytree by dotted key; a flat dictionary is one already."""
    from ..jax.pytree import describe

    _, leaves, keys = describe(tree)
    return dict(zip(keys, leaves, strict=True))


def _add_file(index: rt.ParameterIndex, path: Path) -> dict[str, StoredTensor]:
    if not path.is_file():
        raise ParameterError(f"`{path}`: no such file.")
    stored = read_header(path) if path.suffix == ".safetensors" else None
    part = rt.ParameterIndex() if stored is None else index
    try:
        index.load(str(path))
        if stored is None:
            part.load(str(path))
    except STATUS_ERRORS as error:
        raise ParameterError(
            f"`{path}`: not a weights file: {str(error).splitlines()[0]}",
            hint="expected .safetensors or .irpa",
        ) from error
    if stored is not None:
        return stored
    return {key: StoredTensor(None, None, entry.length) for key, entry in part.items()}


def _merge(
    stored: dict[str, StoredTensor], more: Mapping[str, StoredTensor], path: Path
) -> None:
    repeated = sorted(stored.keys() & more.keys())
    if repeated:
        raise ParameterError(
            f"`{path}`: tensor `{repeated[0]}` is in an earlier file too."
        )
    stored.update(more)


def _add_arrays(
    index: rt.ParameterIndex, arrays: Mapping[str, Any]
) -> dict[str, StoredTensor]:
    stored: dict[str, StoredTensor] = {}
    for key, value in arrays.items():
        array = np.asarray(value)
        stored[key] = StoredTensor(array.dtype.name, array.shape, array.nbytes)
        if array.dtype not in RAW_DTYPES:
            continue  # Named by the check, which every type that is kept here passes.
        address = array.__array_interface__["data"][0]
        if address % ALIGNMENT or not array.flags.c_contiguous:
            array = aligned_copy(array)
        index.add_buffer(key, array.reshape(-1).view(RAW_DTYPES[array.dtype]))
    return stored


def _check(
    specs: Sequence[TensorSpec],
    stored: Mapping[str, StoredTensor],
    place: str,
    subject: str,
) -> None:
    wanted = {spec.name: spec for spec in specs}
    missing = [name for name in wanted if name not in stored]
    extra = [name for name in stored if name not in wanted]
    wrong = [
        f"`{name}` is {_describe(stored[name])}, expected {spec}"
        for name, spec in wanted.items()
        if name in stored and not _fits(stored[name], spec)
    ]
    problems = []
    if missing:
        problems.append(f"missing {_names(missing)}")
    if extra:
        problems.append(f"unexpected {_names(extra)}")
    problems += wrong[:5]
    if problems:
        raise ParameterError(
            f"`{subject}`: its parameters do not fit {place}: {'; '.join(problems)}."
        )


def _fits(stored: StoredTensor, spec: TensorSpec) -> bool:
    if stored.dtype is not None and stored.dtype != spec.dtype:
        return False
    if stored.shape is not None and stored.shape != spec.shape:
        return False
    return stored.nbytes == _nbytes(spec)


def _nbytes(spec: TensorSpec) -> int:
    """Bytes of a parameter, whose sizes are all known."""
    sizes = [size for size in spec.shape if isinstance(size, int)]
    return math.prod(sizes) * DTYPES[spec.dtype].itemsize


def _describe(stored: StoredTensor) -> str:
    if stored.dtype is None or stored.shape is None:
        return f"{stored.nbytes} bytes"
    return f"{stored.dtype}[{','.join(map(str, stored.shape))}]"


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:5])
    return f"{shown} and {len(names) - 5} more" if len(names) > 5 else shown
