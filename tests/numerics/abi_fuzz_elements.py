# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Element types of random kernels: how a kernel and NumPy turn them into integers."""

from __future__ import annotations

import random
from dataclasses import dataclass

import ml_dtypes
import numpy as np


@dataclass(frozen=True)
class Element:
    """One element type.

    Attributes:
        triton: its name in `triton.language`.
        kind: `b` for bool, `i`, `u`, `f`.
        integers_exact: a float type holds all integers of this many bits.
    """

    name: str
    dtype: np.dtype
    triton: str
    kind: str
    integers_exact: int = 0

    @property
    def bits_type(self) -> str:
        """The signed integer type of the same width."""
        return f"int{8 * self.dtype.itemsize}"

    def to_integer(self, value: str, *, by_bits: bool) -> str:
        """Gives the source of a 64-bit integer made of the kernel's `value`."""
        if self.kind != "f":
            return f"tl.cast({value}, tl.int64)"
        if by_bits:
            bits = f"tl.cast({value}, tl.{self.bits_type}, bitcast=True)"
            return f"tl.cast({bits}, tl.int64)"
        wide = self.triton if self.dtype.itemsize >= 4 else "float32"
        return f"tl.cast(tl.cast({value}, tl.{wide}), tl.int64)"

    def integers(self, array: np.ndarray, *, by_bits: bool) -> np.ndarray:
        """Gives what `to_integer` gives, as NumPy computes it."""
        if self.kind != "f":
            return array.astype(np.int64)
        if by_bits:
            return array.view(self.bits_type).astype(np.int64)
        return array.astype(np.float64).astype(np.int64)

    def from_mixed(self, mixed: str, *, by_bits: bool) -> str:
        """Gives the source of an element made of the 64-bit integers `mixed`."""
        if self.kind == "b":
            return f"(({mixed} >> 7) & 1).to(tl.int1)"
        if self.kind != "f":
            return f"{mixed}.to(tl.{self.triton})"
        if by_bits:
            return f"{mixed}.to(tl.{self.bits_type}).to(tl.{self.triton}, bitcast=True)"
        wide = self.triton if self.dtype.itemsize >= 4 else "float32"
        small = f"(({mixed} >> 11) & {2**self.integers_exact - 1})"
        return f"{small}.to(tl.{wide}).to(tl.{self.triton})"

    def values_from_mixed(self, mixed: np.ndarray, *, by_bits: bool) -> np.ndarray:
        """Gives what `from_mixed` gives, as NumPy computes it."""
        if self.kind == "b":
            return ((mixed >> 7) & 1).astype(np.bool_)
        if self.kind != "f":
            return mixed.astype(self.dtype)
        if by_bits:
            return mixed.astype(self.bits_type).view(self.dtype)
        small = (mixed >> 11) & (2**self.integers_exact - 1)
        return small.astype(np.float64).astype(self.dtype)

    def random(self, rng: random.Random, size: int, *, by_bits: bool) -> np.ndarray:
        """Gives random elements: any bits, or for floats small integers."""
        generator = np.random.default_rng(rng.getrandbits(64))
        if self.kind == "b":
            return generator.integers(0, 2, size).astype(np.bool_)
        if self.kind == "f" and not by_bits:
            limit = 2**self.integers_exact
            whole = generator.integers(-limit + 1, limit, size)
            return whole.astype(np.float64).astype(self.dtype)
        raw = generator.integers(0, 256, size * self.dtype.itemsize, dtype=np.uint8)
        array = raw.view(self.dtype).copy()
        self._place_corners(rng, array)
        return array

    def _place_corners(self, rng: random.Random, array: np.ndarray) -> None:
        """Puts the values at which widths and signs go wrong among random ones."""
        if self.kind == "f":
            kinds = np.array([0.0, -0.0, 1.0, np.inf, -np.inf, np.nan])
            corners = kinds.astype(self.dtype)
        else:
            limits = np.iinfo(self.dtype)
            corners = np.array(
                [0, 1, 16, limits.min, limits.max, limits.max - 15], self.dtype
            )
        for corner in corners:
            if rng.random() < 0.3:
                array[rng.randrange(array.size)] = corner


def _integer(name: str) -> Element:
    return Element(name, np.dtype(name), name, "u" if name.startswith("u") else "i")


ELEMENTS: dict[str, Element] = {
    "bool": Element("bool", np.dtype(np.bool_), "int1", "b"),
    **{
        f"{sign}int{bits}": _integer(f"{sign}int{bits}")
        for sign in ("", "u")
        for bits in (8, 16, 32, 64)
    },
    "float16": Element("float16", np.dtype(np.float16), "float16", "f", 11),
    "bfloat16": Element("bfloat16", np.dtype(ml_dtypes.bfloat16), "bfloat16", "f", 8),
    "float32": Element("float32", np.dtype(np.float32), "float32", "f", 24),
    "float64": Element("float64", np.dtype(np.float64), "float64", "f", 50),
    "float8_e5m2": Element(
        "float8_e5m2", np.dtype(ml_dtypes.float8_e5m2), "float8e5", "f", 3
    ),
    "float8_e4m3fn": Element(
        "float8_e4m3fn", np.dtype(ml_dtypes.float8_e4m3fn), "float8e4nv", "f", 4
    ),
}

SCALAR_ELEMENTS = tuple(name for name in ELEMENTS if not name.startswith("float8"))
"""Types of numbers that a kernel can be passed by value."""
