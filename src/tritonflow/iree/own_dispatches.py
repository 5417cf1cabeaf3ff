# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Machine code for the dispatches that IREE itself makes for NVIDIA GPUs.

IREE writes PTX, which the driver would assemble at every load. Here the PTX is taken
out of the compiler, assembled for every chip of the program, and put back as a binary:

    hal.executable private @program_linked {
      hal.executable.variant public @cuda_nvptx_fb target(...) {
        hal.executable.export public @dispatch_0 ... <workgroup_size = [64, 1, 1]>
        builtin.module { llvm.func @dispatch_0 ... }
      }
    }

becomes the same without the inner module, and with `objects([fatbin])`.

Dispatches of nothing are made harmless on the way: IREE skips a launch only if all
sizes of its grid are 0, and CUDA refuses it if one of them is.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..errors import ToolError
from ..mlir import (  # the stubs that pyright reads have no pass manager
    PassManager,  # pyright: ignore[reportAttributeAccessIssue]
    arith,
    ir,
    parse_module,
)
from ..target import Target
from .fatbin import Image, pack_fatbin
from .invocation import Compilation

TRANSLATED = "executable-targets"
"""The phase after which IREE's dispatches are LLVM IR, not yet PTX."""

# One executable for all dispatches: the driver loads one module instead of many.
_LINK = "builtin.module(iree-llvmgpu-link-executables{target=cuda})"

_EQUAL = 0
"""`arith.cmpi` predicate `eq`."""

Assemble = Callable[[str, Target], bytes]
"""Gives the cubin of a PTX text for a chip."""


def assemble_own_dispatches(
    text: str, flags: Sequence[str], targets: Sequence[Target], assemble: Assemble
) -> str:
    """Gives the module `text`, of phase `TRANSLATED`, with machine code in it.

    Args:
        targets: the chips; the oldest also gets PTX, for chips later than all of them.

    Raises: ToolError: IREE does not make PTX of a dispatch, or it does not assemble.
    """
    module = parse_module(text)
    variants = list(_open_variants(module))
    if not variants:
        return text
    _link(module)
    variants = list(_open_variants(module))
    ptx = _write_ptx(str(module), flags)
    for executable, variant in variants:
        source = _ptx_of(executable, ptx)
        _substitute(variant, _fatbin(source, targets, assemble))
        for operation in variant.regions[0].blocks[0].operations:
            if operation.name == "hal.executable.export":
                _empty_all_or_nothing(operation.operation)
    return str(module)


def _link(module: ir.Module) -> None:
    """Puts IREE's dispatches into one executable. Raises ToolError if that fails."""
    try:
        with module.context:
            PassManager.parse(_LINK).run(module.operation)
    except ir.MLIRError as error:
        raise ToolError(
            f"IREE's compiler cannot link its dispatches: {error}"
        ) from error


def _open_variants(module: ir.Module) -> Iterator[tuple[str, ir.Operation]]:
    """Gives the name and the variant of each executable that is IREE's own."""
    for executable in module.body.operations:
        if executable.operation.name != "hal.executable":
            continue
        name = ir.StringAttr(executable.attributes["sym_name"]).value
        for variant in executable.regions[0].blocks[0].operations:
            if _inner_module(variant.operation) is not None:
                yield name, variant.operation


def _inner_module(variant: ir.Operation) -> ir.Operation | None:
    if variant.name != "hal.executable.variant":
        return None
    operations = variant.regions[0].blocks[0].operations
    return next((o.operation for o in operations if o.name == "builtin.module"), None)


def _write_ptx(text: str, flags: Sequence[str]) -> dict[str, bytes]:
    """Gives the code of every executable in `text`, by the name of its file.

    Files of executables that are binaries already are called PTX too.
    """
    with tempfile.TemporaryDirectory(prefix="tritonflow-") as folder:
        dump = f"--iree-hal-dump-executable-binaries-to={folder}"
        with Compilation(text, [*flags, dump], start=TRANSLATED) as compilation:
            compilation.run_to("hal")
        return {p.stem: p.read_bytes() for p in sorted(Path(folder).glob("*.ptx"))}


def _ptx_of(executable: str, ptx: Mapping[str, bytes]) -> str:
    """Gives the PTX of one executable: files are `<module>_<executable>_<variant>`."""
    found = [text for name, text in ptx.items() if f"_{executable}_" in name]
    if len(found) != 1:
        raise ToolError(
            f"IREE's compiler wrote {len(found)} PTX files for `{executable}`, "
            f"expected one, among {', '.join(ptx)}."
        )
    return found[0].decode()


def _fatbin(source: str, targets: Sequence[Target], assemble: Assemble) -> bytes:
    with ThreadPoolExecutor() as pool:
        cubins = list(pool.map(lambda target: assemble(source, target), targets))
    images = [
        Image(cubin, target.capability)
        for cubin, target in zip(cubins, targets, strict=True)
    ]
    oldest = min(target.capability for target in targets)
    return pack_fatbin([*images, Image(source.encode(), oldest, is_ptx=True)])


def _substitute(variant: ir.Operation, code: bytes) -> None:
    inner = _inner_module(variant)
    assert inner is not None  # The caller chose variants by it.
    inner.erase()
    with variant.context:
        variant.attributes["objects"] = ir.Attribute.parse(
            '[#hal.executable.object<{path = "dispatches.fatbin", data = '
            f'dense<"0x{code.hex()}"> : vector<{len(code)}xi8>}}>]'
        )


def _empty_all_or_nothing(export: ir.Operation) -> None:
    """Makes all sizes of a grid 0 where one is, in the region that computes them."""
    block = export.regions[0].blocks[0]
    old = list(block.operations)[-1].operation
    sizes = list(old.operands)
    with ir.InsertionPoint(old), old.location:
        zero = arith.constant(ir.IndexType.get(), 0)
        is_empty = arith.cmpi(_EQUAL, sizes[0], zero)
        for size in sizes[1:]:
            is_empty = arith.ori(is_empty, arith.cmpi(_EQUAL, size, zero))
        chosen = [arith.select(is_empty, zero, size) for size in sizes]
        ir.Operation.create("hal.return", operands=chosen)
    old.erase()
