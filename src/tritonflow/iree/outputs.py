# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Results into buffers that the caller gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import SignatureError
from ..jax.pytree import flatten
from .array import Array, copy_buffer
from .manifest import Manifest, TensorSpec


def write_outputs(out: Any, results: Sequence[Array], manifest: Manifest) -> Any:
    """Copies `results` into the arrays of `out` and gives `out`.

    Args:
        out: the result's pytree, or a list of its leaves.

    Raises: SignatureError: another number of arrays, element type or shape, or an array
        that cannot be written to. Nothing is written then.
    """
    flat = isinstance(out, list | tuple) and len(out) == len(results)
    leaves = out if flat else flatten(manifest.out_tree, out, "out")
    targets = [
        _target(leaf, result, spec)
        for leaf, result, spec in zip(leaves, results, manifest.outputs, strict=True)
    ]
    for target, result in zip(targets, results, strict=True):
        if isinstance(target, Array):
            source = result._view.get_buffer()
            copy_buffer(result._device.hal, source, target._view.get_buffer())
        else:
            np.copyto(target, np.asarray(result))
    return out


def _target(leaf: Any, result: Array, spec: TensorSpec) -> Array | np.ndarray:
    """Gives what can be written to: memory of the device, or a writable NumPy array."""
    name = f"out `{spec.name}`"
    if isinstance(leaf, Array):
        if leaf._device is not result._device:
            raise SignatureError(
                f"{name}: got an array on {leaf.device}, expected {result.device}."
            )
        target: Array | np.ndarray = leaf
    else:
        target = _writable(leaf, name)
    if target.dtype != result.dtype or target.shape != result.shape:
        # A type of the other byte order has the same name.
        dtype = target.dtype
        name_of_type = dtype.name if dtype.isnative else str(dtype)
        got = TensorSpec(spec.name, name_of_type, target.shape)
        expected = TensorSpec(spec.name, result.dtype.name, result.shape)
        raise SignatureError(f"{name}: got {got}, expected {expected}.")
    return target


def _writable(leaf: Any, name: str) -> np.ndarray:
    array = leaf
    if not isinstance(leaf, np.ndarray):
        try:
            array = np.from_dlpack(leaf)
        except (AttributeError, TypeError, RuntimeError, BufferError) as error:
            raise SignatureError(
                f"{name}: got `{type(leaf).__name__}`, expected a NumPy array or an "
                f"earlier result: {error}"
            ) from error
    if not array.flags.writeable:
        raise SignatureError(
            f"{name}: got a read-only `{type(leaf).__name__}`, expected an array that "
            "can be written to.",
        )
    return array
