# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Random kernels that read every argument exactly, and what NumPy says they compute.

Each kernel mixes the bits or the value of every argument into one 64-bit number for
each element, and stores parts of it to every output. A wrong order, width, sign or
offset of one argument changes all results. Parameters come in random order: numbers of
every type, arrays of every type, fresh outputs, arrays updated in place.
"""

from __future__ import annotations

import importlib.util
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from tests.numerics.abi_fuzz_elements import ELEMENTS, SCALAR_ELEMENTS, Element

MAX_NUMBERS = 12
MAX_POINTERS = 8
MIXERS = (
    0x1E3779B97F4A7C15,
    0x3F58476D1CE4E5B9,
    0x14D049BB133111EB,
    0x2545F4914F6CDD1D,
    0x27D4EB2F165667C5,
)


@dataclass(frozen=True, eq=False)
class Number:
    """A parameter that is passed by value.

    Attributes:
        value: Python's or NumPy's; `element` is the type it reaches the kernel in.
        annotation: the parameter's in the kernel, empty for most.
    """

    name: str
    value: Any
    element: Element
    by_bits: bool
    annotation: str = ""


@dataclass(frozen=True, eq=False)
class Pointer:
    """A parameter that is a buffer.

    Attributes:
        initial: contents before the call; None for a fresh output.
        size: elements; more than the kernel writes leaves a tail.
        is_single: a 0-d array that every program reads as a whole.
    """

    name: str
    element: Element
    initial: np.ndarray | None
    size: int
    is_written: bool
    by_bits: bool
    is_single: bool = False
    is_zeroed: bool = False


Parameter = Number | Pointer


@dataclass(frozen=True, eq=False)
class FuzzKernel:
    """One random kernel and its call.

    Attributes:
        parameters: in the kernel's order, without the constexprs.
        count: elements that the programs of the grid write together.
        grid: a 0 in it means that nothing is written at all.
        out_order: written pointers in the order of the call's outputs.
        positional: how many leading operands are given by position.
    """

    name: str
    parameters: tuple[Parameter, ...]
    count: int
    block: int
    grid: tuple[int, ...]
    unspecialized: tuple[str, ...]
    out_order: tuple[Pointer, ...]
    positional: int
    num_warps: int

    @property
    def arrays(self) -> list[np.ndarray]:
        """The contents of the buffers that the call is given, in parameter order."""
        return [
            p.initial
            for p in self.parameters
            if isinstance(p, Pointer) and p.initial is not None
        ]

    def describe(self) -> str:
        """Gives the signature for a report: `f(x: *int8, s: float32=nan)`."""
        parts = [
            f"{p.name}: {p.element.name}={p.value!r}"
            if isinstance(p, Number)
            else f"{p.name}: *{p.element.name}[{p.size}]"
            for p in self.parameters
        ]
        return f"{self.name}[{self.grid}]({', '.join(parts)})"


def random_kernels(
    seed: int, count: int, *, without: Sequence[str] = ()
) -> list[FuzzKernel]:
    """Gives `count` random kernels, the same ones for the same seed.

    Args:
        without: names of element types that the target has no code for.
    """
    return [
        _random_kernel(random.Random(f"{seed}/{i}"), f"fuzz_{seed}_{i}", without)
        for i in range(count)
    ]


def write_module(kernels: Sequence[FuzzKernel], folder: Path) -> ModuleType:
    """Writes the kernels' source to a file of its own in `folder` and imports it."""
    name = f"module_{kernels[0].name}"
    path = folder / f"{name}.py"
    header = "import triton\nimport triton.language as tl\n"
    path.write_text("\n\n".join([header, *map(source, kernels)]))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def source(kernel: FuzzKernel) -> str:
    """Gives the kernel's Python source."""
    names = [
        p.name + (f": {p.annotation}" if isinstance(p, Number) and p.annotation else "")
        for p in kernel.parameters
    ]
    decorator = "@triton.jit"
    if kernel.unspecialized:
        decorator += f"(do_not_specialize={list(kernel.unspecialized)})"
    lines = [
        decorator,
        f"def {kernel.name}({', '.join(names)}, COUNT: tl.constexpr, "
        "BLOCK: tl.constexpr):",
        "    plane = tl.program_id(2) * tl.num_programs(1) + tl.program_id(1)",
        "    program = plane * tl.num_programs(0) + tl.program_id(0)",
        "    index = program * BLOCK + tl.arange(0, BLOCK)",
        "    live = index < COUNT",
        f"    mixed = (index + 1).to(tl.int64) * {MIXERS[0]}",
    ]
    for position, parameter in enumerate(kernel.parameters):
        if isinstance(parameter, Number) or parameter.initial is not None:
            mixer = MIXERS[position % len(MIXERS)] + 2 * position
            lines.append(f"    part = {_read(parameter)}")
            lines.append(f"    mixed = (mixed ^ (mixed >> 29)) * {mixer} + part")
    for position, parameter in enumerate(kernel.parameters):
        if isinstance(parameter, Pointer) and parameter.is_written:
            lines.append(f"    salted = (mixed ^ (mixed >> 31)) * {_salt(position)}")
            value = parameter.element.from_mixed("salted", by_bits=parameter.by_bits)
            lines.append(f"    tl.store({parameter.name} + index, {value}, live)")
    return "\n".join(lines) + "\n"


def reference(kernel: FuzzKernel) -> list[np.ndarray]:
    """Gives the call's outputs as NumPy computes them."""
    index = np.arange(kernel.count, dtype=np.int64)
    mixed = (index + 1) * np.int64(MIXERS[0])
    for position, parameter in enumerate(kernel.parameters):
        if isinstance(parameter, Number) or parameter.initial is not None:
            mixer = np.int64(MIXERS[position % len(MIXERS)] + 2 * position)
            mixed = (mixed ^ (mixed >> 29)) * mixer + _read_values(parameter, kernel)
    positions = {id(p): i for i, p in enumerate(kernel.parameters)}
    results = []
    for pointer in kernel.out_order:
        salted = (mixed ^ (mixed >> 31)) * np.int64(_salt(positions[id(pointer)]))
        written = pointer.element.values_from_mixed(salted, by_bits=pointer.by_bits)
        result = np.zeros(pointer.size, pointer.element.dtype)
        if pointer.initial is not None and not pointer.is_zeroed:
            result[:] = pointer.initial
        if 0 not in kernel.grid:
            result[: kernel.count] = written
        results.append(result)
    return results


def same_bits(found: np.ndarray, expected: np.ndarray) -> bool:
    """Whether two arrays have the same type, shape and bits, NaNs included."""
    return (
        found.dtype == expected.dtype
        and found.shape == expected.shape
        and found.tobytes() == expected.tobytes()
    )


def _salt(position: int) -> int:
    return 2 * position + 0x5851F42D4C957F2D


def _read(parameter: Parameter) -> str:
    if isinstance(parameter, Number):
        value = parameter.name
    elif parameter.is_single:
        value = f"tl.load({parameter.name})"
    else:
        value = f"tl.load({parameter.name} + index, live)"
    return parameter.element.to_integer(value, by_bits=parameter.by_bits)


def _read_values(parameter: Parameter, kernel: FuzzKernel) -> np.ndarray:
    if isinstance(parameter, Number):
        array = np.array([parameter.value]).astype(parameter.element.dtype)
    else:
        assert parameter.initial is not None
        is_zeroed = parameter.is_zeroed
        array = np.zeros_like(parameter.initial) if is_zeroed else parameter.initial
        array = array.reshape(1) if parameter.is_single else array[: kernel.count]
    return parameter.element.integers(array, by_bits=parameter.by_bits)


def _random_kernel(rng: random.Random, name: str, without: Sequence[str]) -> FuzzKernel:
    block = rng.choice([16, 32, 64, 128])
    grid = tuple(rng.choice([1, 1, 2, 3, 5]) for _ in range(rng.randint(1, 3)))
    count = _random_count(rng, math.prod(grid) * block)
    numbers = [
        _random_number(rng, f"n{i}", without)
        for i in range(rng.choice([0, 1, 2, 3, 5, 8, MAX_NUMBERS]))
    ]
    pointers = [_random_pointer(rng, "p0", count, without, is_written=True)]
    for i in range(1, rng.randint(1, MAX_POINTERS)):
        is_written = rng.random() < 0.3
        pointers.append(
            _random_pointer(rng, f"p{i}", count, without, is_written=is_written)
        )
    parameters: list[Parameter] = [*numbers, *pointers]
    rng.shuffle(parameters)
    if rng.random() < 0.1 and not any(map(_is_undefined_unless_written, pointers)):
        grid = tuple(rng.sample([0, *grid[1:]], len(grid)))
    leading = next(
        i
        for i, p in enumerate([*parameters, pointers[0]])
        if (isinstance(p, Pointer) and p.initial is None) or i == len(parameters)
    )
    return FuzzKernel(
        name=name,
        parameters=tuple(parameters),
        count=count,
        block=block,
        grid=grid,
        unspecialized=tuple(p.name for p in parameters if rng.random() < 0.15),
        out_order=_random_out_order(rng, parameters),
        positional=rng.randint(0, leading),
        num_warps=rng.choice([1, 2, 4, 8]),
    )


def _is_undefined_unless_written(pointer: Pointer) -> bool:
    return pointer.is_written and pointer.initial is None and not pointer.is_zeroed


def _random_count(rng: random.Random, capacity: int) -> int:
    """Gives a number of elements: all that the grid can write, or a masked tail."""
    return capacity if rng.random() < 0.25 else rng.randint(1, capacity)


def _random_out_order(
    rng: random.Random, parameters: Sequence[Parameter]
) -> tuple[Pointer, ...]:
    """Gives the outputs: fresh ones in the kernel's order, the others anywhere."""
    written = [p for p in parameters if isinstance(p, Pointer) and p.is_written]
    order = [p for p in written if p.initial is None]
    for pointer in written:
        if pointer.initial is not None:
            order.insert(rng.randint(0, len(order)), pointer)
    return tuple(order)


def _random_number(rng: random.Random, name: str, without: Sequence[str]) -> Number:
    by_bits = rng.random() < 0.6
    kind = rng.random()
    if kind < 0.35:
        return _random_python_number(rng, name, by_bits)
    names = [n for n in SCALAR_ELEMENTS if n not in without]
    element = ELEMENTS[rng.choice(names)]
    if kind < 0.5 and element.kind in "iu":
        # A plain number whose type the kernel's author wrote down.
        value = int(element.random(rng, 1, by_bits=by_bits)[0])
        return Number(name, value, element, by_bits, f"tl.{element.triton}")
    value = element.dtype.type(element.random(rng, 1, by_bits=by_bits)[0])
    if value != value:
        # Numbers pass through Python's `float`, as in Triton's own launcher: a NaN
        # arrives as the quiet one, whatever its sign and payload were.
        value = element.dtype.type(math.nan)
    return Number(name, value, element, by_bits)


def _random_python_number(rng: random.Random, name: str, by_bits: bool) -> Number:
    choice = rng.randrange(4)
    if choice == 0:
        return Number(name, rng.random() < 0.5, ELEMENTS["bool"], by_bits)
    if choice == 1:
        element = ELEMENTS["float32"]
        value = float(element.random(rng, 1, by_bits=by_bits)[0])
        # A NaN of Python's has no bits of its own to lose.
        value = 1.5 if math.isnan(value) and by_bits else value
        return Number(name, value, element, by_bits)
    bits = rng.choice([1, 4, 16, 31, 32, 48, 63, 64])
    value = rng.choice([0, 1, 16, -1, rng.getrandbits(bits), -rng.getrandbits(bits)])
    value = max(value, -(2**63))
    if -(2**31) <= value < 2**31:
        return Number(name, value, ELEMENTS["int32"], by_bits)
    if -(2**63) <= value < 2**63:
        return Number(name, value, ELEMENTS["int64"], by_bits)
    return Number(name, value, ELEMENTS["uint64"], by_bits)


def _random_pointer(
    rng: random.Random,
    name: str,
    count: int,
    without: Sequence[str],
    *,
    is_written: bool,
) -> Pointer:
    element = ELEMENTS[rng.choice([n for n in ELEMENTS if n not in without])]
    by_bits = rng.random() < 0.6
    is_single = not is_written and rng.random() < 0.25
    is_fresh = is_written and rng.random() < 0.6
    is_zeroed = is_written and rng.random() < 0.2
    # Memory behind a fresh output has no defined contents unless it starts as zeros.
    may_have_tail = not is_fresh or is_zeroed
    tail = rng.choice([0, 0, 1, 7, 64]) if may_have_tail else 0
    size = 1 if is_single else count + tail
    initial = None if is_fresh else element.random(rng, size, by_bits=by_bits)
    if is_single and initial is not None:
        initial = initial.reshape(())
    return Pointer(
        name, element, initial, size, is_written, by_bits, is_single, is_zeroed
    )
