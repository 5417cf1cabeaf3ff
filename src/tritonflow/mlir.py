# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The one door to MLIR bindings: everything else imports them from here.

IREE's bindings hold every module of ours. jaxlib's are used for one thing, to read
Triton's pretty TTIR and print it in the generic form that IREE's bindings can read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from iree.compiler import ir
from iree.compiler.dialects import arith as arith
from iree.compiler.dialects import func as func
from iree.compiler.dialects import llvm as llvm
from iree.compiler.dialects import math as math
from iree.compiler.dialects import memref as memref
from iree.compiler.dialects import scf as scf
from iree.compiler.dialects import vector as vector
from iree.compiler.passmanager import PassManager as PassManager

from .errors import PassError, SourceLocation, UnsupportedError

_processes: set[int] = set()
"""The process whose threads IREE's compiler has started, once it has."""


def new_context() -> ir.Context:
    """Gives a fresh context in which operations of `triton.*` and `tt.*` may stand.

    Raises: UnsupportedError: in a child by `fork` of a process that has compiled: the
        compiler would wait for ever for threads that only the parent has.
    """
    _processes.add(os.getpid())
    if len(_processes) > 1:
        raise UnsupportedError(
            "compiling in a process that was forked from one that has compiled: the "
            "compiler's threads stay behind in the parent.",
            hint='start workers by multiprocessing.get_context("spawn"), or compile '
            "in the workers alone",
        )
    context = ir.Context()
    context.allow_unregistered_dialects = True
    return context


def parse_module(text: str, context: ir.Context | None = None) -> ir.Module:
    """Parses MLIR text or bytecode. Raises PassError with the parser's diagnostics."""
    try:
        return ir.Module.parse(text, context or new_context())
    except ir.MLIRError as error:
        raise PassError(f"MLIR text does not parse: {error}") from error


def walk(operation: ir.Operation) -> Iterator[ir.Operation]:
    """Gives `operation` and everything in its regions, in order, parents first.

    The walk may not be resumed after an operation that it has yet to give was erased,
    and does not see operations that are made meanwhile.
    """
    found: list[ir.Operation] = []

    # Collected first: the library walks far faster than its objects do in Python.
    def collect(each: ir.Operation) -> ir.WalkResult:
        found.append(each.operation)
        return ir.WalkResult.ADVANCE

    operation.operation.walk(collect, ir.WalkOrder.PRE_ORDER)
    yield from found


_FILE_LINE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):\d+')


def source_location(location: ir.Location) -> SourceLocation | None:
    """Gives the file and line of the user's code that `location` stands for.

    Of a call-site location the outermost caller counts: the user's kernel, not the
    library function that it calls. The bindings cannot take a location apart, but its
    text can be read: the outermost caller comes last.
    """
    found = _FILE_LINE.findall(str(location))
    if not found:
        return None
    file, line = found[-1]
    return SourceLocation(file, int(line))


def ttir_to_generic(text: str, *, locations: bool = True) -> str:
    """Gives Triton's TTIR text in the generic form, which any MLIR parser reads.

    Raises: PassError: if jaxlib's `tt` dialect does not read the text.
    """
    from jaxlib.mlir import ir as jaxlib_ir
    from jaxlib.triton import dialect as tt_dialect

    context = jaxlib_ir.Context()
    tt_dialect.register_dialect(context)
    context.load_all_available_dialects()
    # For `foreign`: a dialect's own name does not stand for what it does not know.
    context.allow_unregistered_dialects = True
    try:
        with context:
            module = jaxlib_ir.Module.parse(text)
    except jaxlib_ir.MLIRError as error:
        raise PassError(f"TTIR text does not parse: {error}") from error
    generic = module.operation.get_asm(
        print_generic_op_form=True, enable_debug_info=locations
    )
    return str(generic).replace('"foreign.', '"')
