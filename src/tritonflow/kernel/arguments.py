# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What a caller supplies for one parameter of a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from ..errors import SignatureError


@dataclass(frozen=True)
class ArrayArgument:
    """A buffer.

    Attributes:
        dtype: NumPy's name of the element type, or ml_dtypes' (`bfloat16`).
        shape: numbers, or names of sizes that only the run knows.
        aligned: the address is a multiple of 16 at every call.
    """

    dtype: str
    shape: tuple[Any, ...]
    aligned: bool = True


@dataclass(frozen=True)
class ScalarArgument:
    """A number that the caller knows when it compiles.

    Attributes:
        dtype: NumPy's name of its type; None for a Python number, whose type follows
            from its value as in Triton's launcher: i32, i64 or u64, fp32, u1.
    """

    value: bool | int | float
    dtype: str | None = None


@dataclass(frozen=True)
class SymbolArgument:
    """An integer that only the run knows.

    Attributes:
        dtype: `i32` or `i64`.
        divisor: the value is a multiple of it at every call.
    """

    dtype: str = "i32"
    divisor: int = 1


@dataclass(frozen=True)
class DescriptorArgument:
    """A tensor descriptor that Triton's host code would make (TMA).

    It reaches the kernel as a pointer, the shape as i32 and the strides as i64, and the
    descriptor is made on the device.

    Attributes:
        array: the buffer that it describes.
        shape: as many numbers or SymbolArguments as the block has dimensions.
        strides: in elements; the last one is 1.
        block_shape: powers of two; None where an autotune configuration sets it.
        padding: what a load reads outside of the shape.
    """

    array: ArrayArgument
    shape: tuple[int | SymbolArgument, ...]
    strides: tuple[int | SymbolArgument, ...]
    block_shape: tuple[int, ...] | None
    padding: Literal["zero", "nan"] = "zero"

    def check(self, subject: str) -> None:
        """Raises SignatureError unless the hardware can describe such a tensor."""
        rank = len(self.shape)
        block = self.block_shape or ()
        if not 1 <= rank <= 5 or len(self.strides) != rank or len(block) != rank:
            raise SignatureError(
                f"{subject}: got shape of {rank}, strides of {len(self.strides)} and "
                f"block of {len(block)} dimensions, expected the same number, 1 to 5."
            )
        if self.strides[-1] != 1:
            raise SignatureError(
                f"{subject}: got {self.strides[-1]} as the last stride, expected 1."
            )
        if not self.array.aligned:
            raise SignatureError(f"{subject}: its buffer must be 16-byte aligned.")
        if bad := [size for size in block if size <= 0 or size & (size - 1)]:
            raise SignatureError(
                f"{subject}: got a block size of {bad[0]}, expected powers of two."
            )
        if self.padding not in ("zero", "nan"):
            raise SignatureError(
                f"{subject}: got padding `{self.padding}`, expected zero or nan."
            )


Argument = (
    ArrayArgument
    | ScalarArgument
    | SymbolArgument
    | DescriptorArgument
    | None
    | tuple[Any, ...]
)
"""One parameter's argument; tuples, named ones too, hold arguments again."""
