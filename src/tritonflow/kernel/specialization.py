# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""A kernel with the types, constants and hints that a compilation takes for granted."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .element_types import mlir_type
from .fingerprint import function_content, value_content
from .kernel import Kernel

_KEY_SCHEMA = 1


@dataclass(frozen=True)
class SpecializedParameter:
    """A parameter that is left at run time.

    Attributes:
        name: as the user wrote it; `pair.0`, `desc.shape.1` for parts of one.
        type: in Triton's spelling: `*fp32`, `i64`.
        divisible_by_16: the address or the value is, at every call.
        source: where its value comes from: the parameter's name, then the way into
            its argument: `("x",)`, `("pair", 0)`, `("desc", "shape", 1)`.
    """

    name: str
    type: str
    divisible_by_16: bool
    source: tuple[str | int, ...]

    @property
    def element_type(self) -> str:
        """MLIR type of the scalar, or of what the pointer points to."""
        return mlir_type(self.type)[0]

    @property
    def is_pointer(self) -> bool:
        """Whether it is a buffer."""
        return self.type.startswith("*")


@dataclass(frozen=True)
class DescriptorLayout:
    """A host-made tensor descriptor among a kernel's parameters.

    Attributes:
        path: where it stands in the kernel's signature: its index, then tuple indices.
        type: of the elements, in Triton's spelling.
        is_nan_padded: a load outside of the shape reads NaN, not zero.
    """

    path: tuple[int, ...]
    type: str
    block_shape: tuple[int, ...]
    is_nan_padded: bool


@dataclass(frozen=True, eq=False)
class Specialization:
    """A kernel ready to be compiled for any target.

    Two are equal if they have the same content, wherever their files are.

    Attributes:
        parameters: what is left at run time, in the kernel's order, flattened.
        signature: a type for each parameter of the kernel in Triton's spelling, nested
            as its tuples are; `constexpr` for what is folded away.
        folded: path into `signature` and value of every compile-time constant.
        divisible: paths of what is divisible by 16.
        options: name and value of Triton's compile options that the call gives.
    """

    kernel: Kernel
    parameters: tuple[SpecializedParameter, ...]
    signature: tuple[Any, ...]
    folded: tuple[tuple[tuple[int, ...], Any], ...]
    divisible: tuple[tuple[int, ...], ...]
    descriptors: tuple[DescriptorLayout, ...]
    options: Mapping[str, Any]
    scalars: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self.kernel.name

    @cached_property
    def constants(self) -> dict[str, Any]:
        """Everything folded into the kernel, by name; `pair.0` for parts of tuples."""
        return {self.path_name(path): value for path, value in self.folded}

    @cached_property
    def meta(self) -> dict[str, Any]:
        """What `grid(meta)` sees: known scalars, constants and options, by name."""
        constants = {
            self.kernel.parameters[path[0]].name: value
            for path, value in self.folded
            if len(path) == 1
        }
        return {**self.options, **self.scalars, **constants}

    @cached_property
    def key(self) -> str:
        """SHA-256 of the content: source, callees, globals, types, constants, options.

        It holds no path, no line number, and nothing of Triton's version or the target.
        """
        content = {
            "schema": _KEY_SCHEMA,
            "name": self.name,
            "kernel": self._kernel_content(),
            "signature": _nested(self.signature),
            "folded": [[list(p), self._content(p, v)] for p, v in self.folded],
            "divisible": [list(path) for path in self.divisible],
            "descriptors": [
                [list(d.path), d.type, list(d.block_shape), d.is_nan_padded]
                for d in self.descriptors
            ],
            "options": [
                [name, value_content(value, subject=f"option `{name}`")]
                for name, value in sorted(self.options.items())
            ],
        }
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    def path_name(self, path: tuple[int, ...]) -> str:
        """Gives the name of a part of the signature: `pair.0` for `(2, 0)`."""
        first, *rest = path
        return ".".join([self.kernel.parameters[first].name, *map(str, rest)])

    def _kernel_content(self) -> str:
        if self.kernel.ttir is not None:
            return hashlib.sha256(self.kernel.ttir.text.encode()).hexdigest()
        return function_content(self.kernel.function)

    def _content(self, path: tuple[int, ...], value: Any) -> str:
        subject = f"parameter `{self.path_name(path)}` of kernel `{self.name}`"
        return value_content(value, subject=subject)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Specialization):
            return NotImplemented
        return self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


def _nested(signature: Any) -> Any:
    if isinstance(signature, tuple):
        fields = list(getattr(signature, "_fields", ()))
        return {"fields": fields, "items": [_nested(item) for item in signature]}
    return signature
