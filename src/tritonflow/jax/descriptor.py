# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Tensor descriptors that the host gives to a kernel (`tl.tensor_descriptor`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import SignatureError, UnsupportedError


@dataclass(frozen=True)
class TensorDescriptor:
    """An array that a kernel reads and writes in blocks of `block_shape`.

    Attributes:
        base: the array.
        shape: of the view; sizes may be symbolic.
        strides: in elements.
        block_shape: of one load or store.
        layout: Gluon's shared layout; not supported, must be None.
        padding: what loads see outside the array, `zero` or `nan`.
        round_f32_to_tf32: not supported, must be False.
    """

    base: Any
    shape: tuple[Any, ...]
    strides: tuple[Any, ...]
    block_shape: tuple[int, ...]
    layout: Any | None = None
    padding: str = "zero"
    round_f32_to_tf32: bool = False

    def __post_init__(self) -> None:
        if self.padding not in ("zero", "nan"):
            raise SignatureError(
                f"`padding` of a descriptor: got {self.padding!r}, "
                "expected zero or nan."
            )
        ranks = len(self.shape), len(self.strides), len(self.block_shape)
        if len(set(ranks)) != 1:
            raise SignatureError(
                "descriptor: shape, strides and block_shape have "
                f"{ranks[0]}, {ranks[1]} and {ranks[2]} dimensions, expected as many."
            )
        if self.layout is not None:
            raise UnsupportedError("`layout` of a descriptor: Gluon is not supported.")
        if self.round_f32_to_tf32:
            raise UnsupportedError(
                "`round_f32_to_tf32` of a descriptor is not supported.",
                hint="round in the kernel, or let `tl.dot` do it: input_precision",
            )

    @classmethod
    def from_array(
        cls, array: Any, block_shape: Sequence[int], **options: Any
    ) -> TensorDescriptor:
        """Gives the descriptor of a whole array in row-major order."""
        shape = tuple(array.shape)
        strides: list[Any] = [1]
        for size in reversed(shape[1:]):
            strides.insert(0, strides[0] * size)
        return cls(array, shape, tuple(strides), tuple(block_shape), **options)


def is_descriptor(value: Any) -> bool:
    """Whether `value` is a descriptor, ours or any class with the same four fields."""
    fields = ("base", "shape", "strides", "block_shape")
    return all(hasattr(value, field) for field in fields)
