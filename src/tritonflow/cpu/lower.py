# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""TTIR to CPU code: the entry point, and what all families of operations share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module

from ..errors import PassError, UnsupportedError
from ..mlir import func, ir, new_context, parse_module, source_location
from ..target import Target
from .analysis import Uses, block_of, captured
from .branches import lower_region
from .builder import Builder
from .features import CpuFeatures, features_of
from .materialize import Environment
from .memory_access import Buffers
from .pointers import absolute, is_pointer, is_pointer_like, pointee, target_of
from .values import Binding, Block, Pointer, Value

BINDING = "!stream.binding"

Rule = Callable[["Lowering", ir.Operation], None]
"""Lowers one TTIR operation, defining its results."""

FAMILIES = (
    "base",
    "arith",
    "maths",
    "libdevice",
    "casts",
    "pointers",
    "memory",
    "atomics",
    "reduce",
    "scan",
    "reshape",
    "rearrange",
    "control",
    "while_loop",
    "dot",
)


def lower_kernel(ttir: str, target: Target) -> str:
    """Gives MLIR for the inside of a `stream.executable` from generic TTIR text.

    Args:
        ttir: a module in generic form. Its locations, where there are some, appear in
            errors only.
        target: a CPU; strips are as wide as its registers ask for.

    Returns: a module with one `func.func` that has the kernel's name. Its arguments are
        the kernel's parameters in order, `!stream.binding` for pointers.

    Raises:
        UnsupportedError: an operation has no lowering yet; names it, the kernel and the
            user's line.
        PassError: the text does not parse.
    """
    features = features_of(target)
    context = new_context()
    with context, ir.Location.unknown():
        source = parse_module(ttir, context)
        functions = {
            ir.StringAttr(each.attributes["sym_name"]).value: each.operation
            for each in source.body.operations
            if each.operation.name == "tt.func"
        }
        kernel = next(each for each in functions.values() if _is_public(each))
        result = ir.Module.create()
        with ir.InsertionPoint(result.body):
            _lower_function(source.operation, kernel, functions, features)
        _verify(result, kernel)
        return str(result)


def _verify(module: ir.Module, kernel: ir.Operation) -> None:
    try:
        module.operation.verify()
    except ir.MLIRError as error:
        name = ir.StringAttr(kernel.attributes["sym_name"]).value
        raise PassError(
            f"kernel `{name}`: the CPU code made for it is not valid: {error}",
            at=source_location(kernel.location),
            hint="this is a bug of tritonflow; please report the kernel",
        ) from error


def _is_public(function: ir.Operation) -> bool:
    attributes = function.attributes
    if "sym_visibility" not in attributes:
        return True
    return ir.StringAttr(attributes["sym_visibility"]).value == "public"


def _lower_function(
    module: ir.Operation,
    kernel: ir.Operation,
    functions: Mapping[str, ir.Operation],
    features: CpuFeatures,
) -> None:
    name = ir.StringAttr(kernel.attributes["sym_name"]).value
    arguments = list(kernel.regions[0].blocks[0].arguments)
    types = [
        ir.Type.parse(BINDING) if is_pointer(argument.type) else argument.type
        for argument in arguments
    ]
    function = func.FuncOp(name, ir.FunctionType.get(types, []))
    entry = function.add_entry_block()
    builder = Builder(entry, rounds_to_bf16=features.has("avx512bf16"))
    lowering = Lowering(name, module, functions, builder, features)
    values: list[Value] = []
    for number, argument in enumerate(arguments):
        if is_pointer(argument.type):
            lowering.buffers.bind(number, entry.arguments[number])
            zero = builder.constant(builder.i64, 0)
            values.append(Pointer(Binding(number), pointee(argument.type), zero))
        else:
            values.append(entry.arguments[number])
    with ir.InsertionPoint(entry):
        lowering.lower_body(kernel, values)
        func.ReturnOp([])


@cache
def _rules() -> dict[str, Rule]:
    rules: dict[str, Rule] = {}
    for family in FAMILIES:
        rules.update(import_module(f".{family}", __package__).RULES)
    return rules


class Lowering:
    """One kernel while it is lowered.

    Attributes:
        name: of the kernel.
        builder: emits into the new function.
        environment: meaning of the TTIR values, and scratch.
        buffers: memory behind the pointer parameters.
        uses: who evaluates which value of the TTIR.
        features: of the CPU.
    """

    def __init__(
        self,
        name: str,
        module: ir.Operation,
        functions: Mapping[str, ir.Operation],
        builder: Builder,
        features: CpuFeatures,
    ) -> None:
        self.name = name
        self.functions = functions
        self.builder = builder
        self.features = features
        self.uses = Uses(module)
        self.environment = Environment(builder, self.uses, features.strip_lanes)
        self.buffers = Buffers(builder)

    # Values of TTIR operands.

    def value(self, operand: ir.Value) -> Value:
        """Gives the meaning of a TTIR value."""
        return self.environment[operand]

    def block(self, operand: ir.Value) -> Block:
        """Gives the meaning of a TTIR value that is a block of numbers."""
        value = self.environment[operand]
        assert isinstance(value, Block)
        return value

    def scalar(self, operand: ir.Value) -> ir.Value:
        """Gives the meaning of a TTIR value that is a scalar number."""
        value = self.environment[operand]
        assert isinstance(value, ir.Value)
        return value

    def pointer(self, operand: ir.Value) -> Pointer:
        """Gives the meaning of a TTIR value that is a pointer or a block of them."""
        value = self.environment[operand]
        assert isinstance(value, Pointer)
        return value

    def number(self, operand: ir.Value) -> ir.Value | Block:
        """Gives the meaning of a TTIR value that is no pointer."""
        value = self.environment[operand]
        assert not isinstance(value, Pointer)
        return value

    def stored(self, operand: ir.Value) -> ir.Value | Block:
        """Gives a TTIR value as it stands in memory: pointers as addresses."""
        value = self.environment[operand]
        if isinstance(value, Pointer):
            return absolute(self, value).offset
        return value

    def loaded(self, result: ir.Value, value: ir.Value | Block) -> Value:
        """Gives the meaning of what was read from memory as `result`."""
        if is_pointer_like(result.type):
            return Pointer(None, target_of(result.type), value)
        return value

    def define(self, result: ir.Value, value: Value) -> None:
        """Gives a result of a TTIR operation its meaning."""
        self.environment.define(result, value)

    # Operations.

    def lower_body(self, function: ir.Operation, arguments: Sequence[Value]) -> None:
        """Emits the body of a function without results."""
        lower_region(self, function.regions[0], arguments)

    def lower_operations(self, operations: Sequence[ir.Operation]) -> None:
        """Emits operations in their order; none of them is a terminator."""
        for operation in operations:
            with self.environment.operation():
                self._lower_operation(operation)
            self.release_operands(operation)

    def release_operands(self, operation: ir.Operation) -> None:
        """Notes that an operation has been lowered.

        Values of enclosing blocks are released with the operation that encloses.
        """
        used = [*operation.operands, *captured(operation)]
        here = operation.block
        self.environment.release([v for v in used if block_of(v) == here])

    def _lower_operation(self, operation: ir.Operation) -> None:
        rule = _rules().get(operation.name)
        if rule is None:
            raise self.unsupported(operation)
        try:
            rule(self, operation)
        except AssertionError as error:
            # An operand has a form that no rule expects, as a pointer among numbers.
            raise self.unsupported(operation, "of these operands") from error

    def unsupported(
        self, operation: ir.Operation, what: str | None = None
    ) -> UnsupportedError:
        """Gives the error for an operation, or a form of it, without a lowering."""
        subject = f"`{operation.name}`" + (f" {what}" if what else "")
        return UnsupportedError(
            f"kernel `{self.name}`: {subject} is not supported on the CPU yet.",
            at=source_location(operation.location),
            hint="run this kernel on a GPU target, or write it without this operation",
        )
