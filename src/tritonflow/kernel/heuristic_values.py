# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Arguments as the functions of `@triton.heuristics` see them: without contents."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NoReturn

import ml_dtypes
import numpy as np

from ..errors import UnsupportedError
from .arguments import (
    Argument,
    ArrayArgument,
    DescriptorArgument,
    ScalarArgument,
    SymbolArgument,
)


def heuristic_view(argument: Argument, name: str) -> Any:
    """Gives what stands for `argument` in the dictionary that a heuristic gets."""
    if isinstance(argument, ScalarArgument):
        return argument.value
    if isinstance(argument, SymbolArgument):
        return UnknownInteger(name, argument.divisor)
    if isinstance(argument, ArrayArgument):
        return ArrayView(argument, name)
    if isinstance(argument, DescriptorArgument):
        return DescriptorView(argument, name)
    if isinstance(argument, tuple):
        parts = [heuristic_view(part, name) for part in argument]
        return type(argument)(*parts) if hasattr(argument, "_fields") else tuple(parts)
    return argument


class ArrayView:
    """An array's type and shape, under the names that NumPy and PyTorch give them."""

    def __init__(self, argument: ArrayArgument, name: str) -> None:
        self._name = name
        self._aligned = argument.aligned
        self.dtype = _dtype(argument.dtype)
        self.shape = tuple(
            size if isinstance(size, int) else UnknownInteger(f"a size of {name}", 1)
            for size in argument.shape
        )
        self.ndim = len(self.shape)
        self.itemsize = self.dtype.itemsize

    @property
    def size(self) -> Any:
        """Number of elements."""
        return math.prod(self.shape)

    def numel(self) -> Any:
        """Gives the number of elements."""
        return self.size

    def element_size(self) -> int:
        """Gives the bytes of an element."""
        return self.itemsize

    def stride(self, dimension: int | None = None) -> Any:
        """Gives the strides of a dense row-major array, in elements."""
        strides = tuple(math.prod(self.shape[i + 1 :]) for i in range(self.ndim))
        return strides if dimension is None else strides[dimension]

    def is_contiguous(self) -> bool:
        """Arrays of an XLA program are dense and row-major."""
        return True

    def data_ptr(self) -> int:
        """Gives an address with the alignment of the real one, and nothing else."""
        return 0 if self._aligned else self.itemsize

    def __getattr__(self, attribute: str) -> NoReturn:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        raise UnsupportedError(
            f"it asks for `{attribute}` of array `{self._name}`, of which only type "
            "and shape are known when a program is compiled."
        )


class DescriptorView:
    """A tensor descriptor whose block shape may be set."""

    def __init__(self, argument: DescriptorArgument, name: str) -> None:
        self._argument = argument
        self.base = ArrayView(argument.array, name)
        self.shape = [_size_view(size, name) for size in argument.shape]
        self.strides = [_size_view(stride, name) for stride in argument.strides]
        self.block_shape = list(argument.block_shape or ())
        self.padding = argument.padding

    def argument(self) -> DescriptorArgument:
        """Gives the argument with the block shape as it is now."""
        block = tuple(int(size) for size in self.block_shape)
        return replace(self._argument, block_shape=block)


class UnknownInteger:
    """An integer that only the run knows; whoever needs its value gets an error."""

    def __init__(self, name: str, divisor: int) -> None:
        self._name = name
        self._divisor = divisor

    def __mod__(self, divisor: Any) -> int:
        if isinstance(divisor, int) and divisor and self._divisor % divisor == 0:
            return 0
        self._refuse()

    def _refuse(self, *_: Any) -> NoReturn:
        raise UnsupportedError(
            f"it needs the value of `{self._name}`, which only the run knows.",
            hint="compile for a fixed shape, or give it as a compile-time constant",
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __floordiv__ = __rfloordiv__ = __truediv__ = __rtruediv__ = __rmod__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __neg__ = __abs__ = _refuse
    __and__ = __rand__ = __or__ = __ror__ = __lshift__ = __rshift__ = _refuse
    __bool__ = __int__ = __index__ = __float__ = __hash__ = _refuse

    def __eq__(self, other: object) -> bool:
        self._refuse()

    def __ne__(self, other: object) -> bool:
        self._refuse()


def _size_view(size: int | SymbolArgument, name: str) -> Any:
    return size if isinstance(size, int) else heuristic_view(size, name)


def _dtype(name: str) -> np.dtype[Any]:
    if hasattr(ml_dtypes, name):
        return np.dtype(getattr(ml_dtypes, name))
    return np.dtype(name)
