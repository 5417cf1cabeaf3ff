# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels written in the module itself, for passes run from the command line.

    module attributes {triton.kernels = {key = [{target = "cpu", name = "copy",
        parameters = [{name = "x", type = f32, effect = "read"}], code = "..."}]}}

`code` is MLIR text for a CPU; a GPU has `binary` (`dense<...> : vector<Nxi8>`), `ptx`,
`bindings`, `constants` and `has_scratch`. Numbers left out are `CompiledKernel`'s own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compiler.compiled import Abi, CompiledKernel
from ..dialect.executable import decode_parameter
from ..errors import VerifyError
from ..mlir import ir
from ..target import Target
from .base import Kernels

_ATTRIBUTE = "triton.kernels"
_NUMBERS = (
    "num_warps",
    "warp_size",
    "shared_bytes",
    "scratch_bytes",
    "scratch_alignment",
)


def kernels_of(
    module: ir.Module, given: Kernels
) -> dict[str, dict[Target, CompiledKernel]]:
    """Gives the kernels of `given` and those in `module`, whose attribute is removed.

    Raises: VerifyError: if the attribute is not as described above.
    """
    kernels = {key: dict(by_target) for key, by_target in given.items()}
    attributes = module.operation.attributes
    if _ATTRIBUTE not in attributes:
        return kernels
    for named in ir.DictAttr(attributes[_ATTRIBUTE]):
        entries = map(ir.DictAttr, ir.ArrayAttr(named.attr))
        decoded = [_decode(named.name, entry) for entry in entries]
        kernels[named.name] = {kernel.target: kernel for kernel in decoded}
    del attributes[_ATTRIBUTE]
    return kernels


def _decode(key: str, entry: ir.DictAttr) -> CompiledKernel:
    for name in ("target", "name", "parameters"):
        if name not in entry:
            raise VerifyError(f"`{_ATTRIBUTE}`: kernel `{key}` lacks `{name}`.")
    fields: dict[str, Any] = {
        name: ir.IntegerAttr(entry[name]).value for name in _NUMBERS if name in entry
    }
    if "code" in entry:
        fields["cpu_code"] = _text(entry, "code")
    if "binary" in entry:
        fields["binary"] = np.array(entry["binary"]).astype(np.uint8).tobytes()
        words = _integers(entry, "constants") if "constants" in entry else []
        fields["abi"] = Abi(
            bindings=tuple(_integers(entry, "bindings")),
            has_scratch="has_scratch" in entry
            and ir.BoolAttr(entry["has_scratch"]).value,
            constants=tuple(zip(words[::2], words[1::2], strict=True)),
        )
    if "ptx" in entry:
        fields["ptx"] = _text(entry, "ptx")
    parameters = ir.ArrayAttr(entry["parameters"])
    return CompiledKernel(
        name=_text(entry, "name"),
        key=key,
        target=Target.parse(_text(entry, "target")),
        parameters=tuple(decode_parameter(ir.DictAttr(p)) for p in parameters),
        **fields,
    )


def _text(entry: ir.DictAttr, name: str) -> str:
    return ir.StringAttr(entry[name]).value


def _integers(entry: ir.DictAttr, name: str) -> list[int]:
    return list(ir.DenseI64ArrayAttr(entry[name]))
