# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of all types, orders and counts reach kernels on the CPU bit by bit."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.interpreter import Run, interpret_all
from tests.numerics.abi_fuzz import (
    MAX_NUMBERS,
    Number,
    Pointer,
    random_kernels,
    reference,
    same_bits,
    source,
    write_module,
)
from tests.numerics.abi_fuzz_elements import ELEMENTS, SCALAR_ELEMENTS
from tests.numerics.abi_fuzz_run import compile_kernels, find_mismatches


def test_the_generator_covers_what_it_promises():
    kernels = random_kernels(0, 500)
    numbers = [p for k in kernels for p in k.parameters if isinstance(p, Number)]
    pointers = [p for k in kernels for p in k.parameters if isinstance(p, Pointer)]
    assert {p.element.name for p in pointers} == set(ELEMENTS)
    assert {n.element.name for n in numbers} == set(SCALAR_ELEMENTS)
    counts = [sum(isinstance(p, Number) for p in k.parameters) for k in kernels]
    assert {0, MAX_NUMBERS} <= set(counts)
    assert {len(k.parameters) - n for k, n in zip(kernels, counts, strict=True)} == set(
        range(1, 9)
    )
    assert {len(kernel.grid) for kernel in kernels} == {1, 2, 3}
    assert any(len(kernel.out_order) > 3 for kernel in kernels)
    assert any(0 in kernel.grid for kernel in kernels)
    assert any(p.is_written and p.initial is not None for p in pointers)
    again = random_kernels(0, 500)
    assert list(map(source, kernels)) == list(map(source, again))


def test_the_reference_agrees_with_tritons_interpreter(tmp_path):
    kernels = [k for k in random_kernels(2, 80) if _is_interpretable(k)][:20]
    assert len(kernels) == 20
    module = write_module(kernels, tmp_path)
    runs = [
        Run(
            getattr(module, kernel.name),
            kernel.grid,
            [_before(parameter) for parameter in kernel.parameters],
            {"COUNT": kernel.count, "BLOCK": kernel.block},
        )
        for kernel in kernels
    ]
    for kernel, after in zip(kernels, interpret_all(runs), strict=True):
        pointers = [p for p in kernel.parameters if isinstance(p, Pointer)]
        found = {p.name: array for p, array in zip(pointers, after, strict=True)}
        for pointer, expected in zip(kernel.out_order, reference(kernel), strict=True):
            assert same_bits(found[pointer.name], expected), kernel.describe()


def _is_interpretable(kernel):
    """The interpreter takes every number of a float type for an f32."""
    numbers = [p for p in kernel.parameters if isinstance(p, Number)]
    others = ("float16", "bfloat16", "float64")
    return 0 not in kernel.grid and all(n.element.name not in others for n in numbers)


def _before(parameter):
    if isinstance(parameter, Number):
        return parameter.value
    if parameter.initial is None or parameter.is_zeroed:
        return np.zeros(parameter.size, parameter.element.dtype)
    return parameter.initial


def test_a_wrong_argument_is_noticed():
    """Every argument changes every output, or the comparison would prove nothing."""
    for kernel in [k for k in random_kernels(3, 40) if 0 not in k.grid]:
        expected = reference(kernel)
        for i, parameter in enumerate(kernel.parameters):
            if isinstance(parameter, Pointer) and (
                parameter.initial is None or parameter.is_zeroed
            ):
                continue
            other = _changed(parameter)
            changed = dataclasses.replace(
                kernel,
                parameters=(*kernel.parameters[:i], other, *kernel.parameters[i + 1 :]),
                out_order=tuple(
                    other if p is parameter else p for p in kernel.out_order
                ),
            )
            for before, after in zip(expected, reference(changed), strict=True):
                # A few bools or tiny floats may agree by chance.
                if kernel.count > 40:
                    assert not same_bits(before, after), (i, kernel.describe())


def _changed(parameter):
    if isinstance(parameter, Number):
        element = parameter.element
        integer = element.integers(
            np.array([parameter.value]).astype(element.dtype),
            by_bits=parameter.by_bits,
        )[0]
        is_bits = element.kind == "f" and parameter.by_bits
        raw = np.array([integer + 1 if is_bits else (integer == 0)])
        if is_bits:
            value = raw.astype(element.bits_type).view(element.dtype)[0]
        else:
            value = raw.astype(element.dtype)[0]
        return dataclasses.replace(parameter, value=value)
    raw = parameter.initial.reshape(-1)
    if parameter.element.kind == "b":
        other = ~raw
    elif parameter.element.kind == "f" and not parameter.by_bits:
        other = (raw.astype(np.float64) == 0).astype(raw.dtype)
    else:
        bits = f"int{8 * raw.dtype.itemsize}"
        other = (raw.view(bits) + np.array(1, bits)).view(raw.dtype)
    return dataclasses.replace(
        parameter, initial=other.reshape(parameter.initial.shape)
    )


def test_forty_kernels(tmp_path):
    kernels = random_kernels(1, 40)
    assert find_mismatches(kernels, tmp_path, target="cpu", device=None) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 106))
def test_hundreds_of_kernels(tmp_path, seed):
    kernels = random_kernels(seed, 100)
    assert find_mismatches(kernels, tmp_path, target="cpu", device=None) == []


@pytest.mark.slow
@pytest.mark.parametrize("target", ["cuda:sm_90", "rocm:gfx942"])
def test_kernels_compile_for_gpus_and_their_binaries_fit(tmp_path, target):
    kernels = random_kernels(4, 25)
    # One at least takes no array, so that all it computes depends on constants alone.
    assert any(not kernel.arrays for kernel in kernels)
    program = compile_kernels(kernels, write_module(kernels, tmp_path), target)
    assert len(program.kernels) == 25
