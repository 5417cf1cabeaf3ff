# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What an artifact says about itself: signature, kernels, parameters, toolchain.

It is a JSON text in the reflection of the module's entry function, under one key, so
that a plain `.vmfb` knows its own signature and `iree-dump-module` shows it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from ..errors import ArtifactError

REFLECTION_KEY = "tritonflow"


@dataclass(frozen=True)
class TensorSpec:
    """One array that a program takes or gives.

    Attributes:
        name: dotted path from the argument's name, such as `params.layers.0.w`; of a
            weight, its key in the weights file.
        dtype: NumPy's name of the element type, such as `float32` or `bfloat16`.
        shape: sizes; words are symbols, the same in all arrays, and `None` is a size
            that the results alone know.
    """

    name: str
    dtype: str
    shape: tuple[int | str | None, ...]

    def __str__(self) -> str:
        sizes = ",".join("?" if size is None else str(size) for size in self.shape)
        return f"{self.dtype}[{sizes}]"


@dataclass(frozen=True)
class Constraint:
    """What the symbolic sizes of every call must fulfil.

    Attributes:
        text: as the user wrote it, such as `mod(b, 4) == 0`.
        expression: of the symbols: 0 if `is_equation`, else 0 or more.
    """

    text: str
    expression: str
    is_equation: bool


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """Everything that calling an artifact needs to know.

    Attributes:
        in_tree: structure of the arguments, those that are parameters left out.
        out_tree: structure of the result.
        kernels: one dictionary for each specialisation: `name`, `key`, and under
            `targets` what its binaries need (warps, shared bytes, scratch bytes, ABI).
        toolchain: versions of the packages that made the artifact.
    """

    name: str
    targets: tuple[str, ...]
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    in_tree: dict[str, Any]
    out_tree: dict[str, Any]
    kernels: tuple[dict[str, Any], ...] = ()
    parameters: tuple[TensorSpec, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    toolchain: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> str:
        """The text that goes into the module; the same manifest gives the same text."""
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str, subject: str) -> Manifest:
        """Reads `to_json`'s text. Raises ArtifactError if that is not what it is."""
        try:
            fields: dict[str, Any] = json.loads(text)
            return cls(
                name=fields["name"],
                targets=tuple(fields["targets"]),
                inputs=_specs(fields["inputs"]),
                outputs=_specs(fields["outputs"]),
                in_tree=fields["in_tree"],
                out_tree=fields["out_tree"],
                kernels=tuple(fields["kernels"]),
                parameters=_specs(fields["parameters"]),
                constraints=tuple(
                    Constraint(**item) for item in fields.get("constraints", ())
                ),
                toolchain=fields["toolchain"],
            )
        except (ValueError, KeyError, TypeError) as error:
            raise ArtifactError(
                f"`{subject}`: the description in the module is unreadable: {error!r}"
            ) from error


def _specs(items: list[Mapping[str, Any]]) -> tuple[TensorSpec, ...]:
    return tuple(TensorSpec(**{**i, "shape": tuple(i["shape"])}) for i in items)
