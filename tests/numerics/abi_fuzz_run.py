# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Runs random kernels, a hundred to a program, and compares with NumPy bit by bit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import numpy as np
from tests.numerics.abi_fuzz import (
    FuzzKernel,
    Number,
    Pointer,
    reference,
    same_bits,
    write_module,
)

import tritonflow

KERNELS_OF_A_PROGRAM = 100


def find_mismatches(
    kernels: Sequence[FuzzKernel], folder: Path, *, target: str, device: str | None
) -> list[str]:
    """Gives one line for each output of `kernels` that is not what NumPy computes.

    Args:
        folder: for the kernels' source files, and for the artifact if it is loaded for
            a device.
        device: to run on; None runs the program as compiled, on the target's default.
    """
    complaints: list[str] = []
    for start in range(0, len(kernels), KERNELS_OF_A_PROGRAM):
        batch = kernels[start : start + KERNELS_OF_A_PROGRAM]
        module = write_module(batch, folder)
        program = compile_kernels(batch, module, target)
        if device is not None:
            path = folder / f"{module.__name__}.vmfb"
            program.save(path)
            program = tritonflow.load(path, device=device)
        arrays = [array for kernel in batch for array in kernel.arrays]
        before = [array.copy() for array in arrays]
        results = program(*arrays)
        for kernel, found in zip(batch, results, strict=True):
            complaints += _compare(kernel, [np.asarray(each) for each in found])
        if not all(map(same_bits, arrays, before)):
            complaints.append(f"{module.__name__}: the program wrote to its inputs")
    return complaints


def compile_kernels(
    kernels: Sequence[FuzzKernel], module: ModuleType, target: str
) -> Any:
    """Gives a program that calls each kernel once and returns all their outputs."""

    def program(*arrays: Any) -> Any:
        left = iter(arrays)
        return [_call(kernel, getattr(module, kernel.name), left) for kernel in kernels]

    arrays = [array for kernel in kernels for array in kernel.arrays]
    with jax.enable_x64(True):
        return tritonflow.compile(program, *arrays, target=target, name="abi_fuzz")


def _call(kernel: FuzzKernel, function: Any, arrays: Any) -> Any:
    operands: dict[str, Any] = {}
    for parameter in kernel.parameters:
        if isinstance(parameter, Number):
            operands[parameter.name] = parameter.value
        elif parameter.initial is not None:
            operands[parameter.name] = next(arrays)
    names = list(operands)
    aliases = {
        names.index(pointer.name): output
        for output, pointer in enumerate(kernel.out_order)
        if pointer.initial is not None
    }
    leading, rest = names[: kernel.positional], names[kernel.positional :]
    return tritonflow.triton_call(
        *[operands[name] for name in leading],
        kernel=function,
        out_type=[_out_type(pointer) for pointer in kernel.out_order],
        grid=kernel.grid,
        input_output_aliases=aliases,
        zeroed_outputs=[i for i, p in enumerate(kernel.out_order) if p.is_zeroed],
        num_warps=kernel.num_warps,
        COUNT=kernel.count,
        BLOCK=kernel.block,
        **{name: operands[name] for name in rest},
    )


def _out_type(pointer: Pointer) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct((pointer.size,), pointer.element.dtype)


def _compare(kernel: FuzzKernel, found: Sequence[np.ndarray]) -> list[str]:
    complaints = []
    pairs = zip(kernel.out_order, found, reference(kernel), strict=True)
    for pointer, array, expected in pairs:
        if same_bits(array, expected):
            continue
        where = _first_difference(array, expected)
        complaints.append(f"{pointer.name}{where} of {kernel.describe()}")
    return complaints


def _first_difference(found: np.ndarray, expected: np.ndarray) -> str:
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return f" is {found.dtype}{found.shape}, not {expected.dtype}{expected.shape}"
    width = expected.dtype.itemsize
    bits = [a.view(np.uint8).reshape(-1, width) for a in (found, expected)]
    wrong = np.flatnonzero((bits[0] != bits[1]).any(axis=1))
    i = wrong[0]
    return f"[{i}] is {found[i]}, not {expected[i]} ({wrong.size} of {found.size})"
