# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Shape arithmetic out of StableHLO: 0-d integer tensors become plain scalars.

JAX computes with symbolic dimensions in tensors of rank 0 and 1. A grid or a kernel
argument that is read out of such a tensor would wait for the device; the same value as
`arith` on what `tensor.dim` gives is known to the host before anything runs.
"""

from __future__ import annotations

from collections.abc import Callable

from ..errors import UnsupportedError
from ..mlir import arith, ir, source_location
from .signless import signless

Scalars = list[ir.Value]
"""The elements of a folded tensor of rank 0 or 1."""

_BINARY: dict[str, tuple[Callable[..., ir.Value], Callable[..., ir.Value]]] = {
    "stablehlo.add": (arith.addi, arith.addi),
    "stablehlo.subtract": (arith.subi, arith.subi),
    "stablehlo.multiply": (arith.muli, arith.muli),
    "stablehlo.divide": (arith.divsi, arith.divui),
    "stablehlo.remainder": (arith.remsi, arith.remui),
    "stablehlo.maximum": (arith.maxsi, arith.maxui),
    "stablehlo.minimum": (arith.minsi, arith.minui),
    "stablehlo.and": (arith.andi, arith.andi),
    "stablehlo.or": (arith.ori, arith.ori),
    "stablehlo.xor": (arith.xori, arith.xori),
    "stablehlo.shift_left": (arith.shli, arith.shli),
    "stablehlo.shift_right_arithmetic": (arith.shrsi, arith.shrsi),
    "stablehlo.shift_right_logical": (arith.shrui, arith.shrui),
}
"""Operations of two operands: their form for signed and for unsigned elements."""

_PREDICATES = {"EQ": 0, "NE": 1, "LT": 2, "LE": 3, "GT": 4, "GE": 5}
_UNSIGNED_PREDICATES = {"EQ": 0, "NE": 1, "LT": 6, "LE": 7, "GT": 8, "GE": 9}
"""`arith.cmpi` predicates by StableHLO's comparison direction."""


class ScalarFolder:
    """Folds integer tensors into scalars, each tensor once.

    A scalar is made right behind the operation that makes the tensor, so it may be used
    wherever the tensor may.
    """

    def __init__(self) -> None:
        self._folded: dict[ir.Value, Scalars] = {}
        self._indices: dict[ir.Value, ir.Value] = {}

    def scalar(self, tensor: ir.Value) -> ir.Value:
        """Gives the value of a 0-d integer tensor, of its element type, signless.

        Raises: UnsupportedError: if the tensor does not come from shapes alone.
        """
        return self.elements(tensor)[0]

    def index(self, tensor: ir.Value, element: int = 0) -> ir.Value:
        """Gives an element of a rank 0 or 1 integer tensor as an `index`.

        A dimension is given as `tensor.dim` gave it, so that equal ones look equal.
        """
        value = self.elements(tensor)[element]
        if value not in self._indices:
            self._indices[value] = _dimension_of(value) or _index_cast(value)
        return self._indices[value]

    def elements(self, tensor: ir.Value) -> Scalars:
        """Gives the elements of an integer tensor of rank 0 or 1, static in shape."""
        stack = [tensor]
        # A stack of our own: chains of shape arithmetic may be longer than Python's.
        while stack:
            value = stack[-1]
            if value in self._folded:
                stack.pop()
                continue
            missing = [s for s in _sources(value) if s not in self._folded]
            if missing:
                stack += missing
                continue
            self._folded[value] = self._fold(value)
            stack.pop()
        return self._folded[tensor]

    def _fold(self, tensor: ir.Value) -> Scalars:
        sources = [self._folded[source] for source in _sources(tensor)]
        if isinstance(tensor, ir.BlockArgument):
            return sources[0]  # A loop carries it unchanged.
        operation = ir.OpResult(tensor).owner.operation
        with ir.InsertionPoint.after(operation), operation.location:
            return _FOLDS[operation.name](operation, sources)


def _sources(tensor: ir.Value) -> list[ir.Value]:
    """The tensors that `tensor` is computed from. Raises UnsupportedError."""
    if isinstance(tensor, ir.BlockArgument):
        return [_loop_invariant(tensor)]
    operation = ir.OpResult(tensor).owner.operation
    if operation.name not in _FOLDS:
        raise UnsupportedError(
            f"`{operation.name}`: a grid or a kernel's integer is computed with it, "
            "expected arithmetic on dimensions of shapes.",
            at=source_location(operation.location),
            hint="pass the number as an array and load it in the kernel",
        )
    if operation.name in _LEAVES:
        return []
    return list(operation.operands)


def _loop_invariant(argument: ir.Value) -> ir.Value:
    """What a loop's block argument starts as, if every iteration keeps it."""
    block = ir.BlockArgument(argument).owner
    number = ir.BlockArgument(argument).arg_number
    loop = block.owner.operation
    if loop.name == "stablehlo.while":
        body = loop.regions[1].blocks[0]
        last = list(body.operations)[-1]
        if last.operands[number] == body.arguments[number]:
            return loop.operands[number]
    raise UnsupportedError(
        "a grid or a kernel's integer depends on an argument of the program or on a "
        "loop's counter, expected arithmetic on dimensions of shapes.",
        at=source_location(loop.location),
        hint="pass the number as an array and load it in the kernel",
    )


def _dimension_of(value: ir.Value) -> ir.Value | None:
    """The `index` that `value` was cast from, if it is a dimension."""
    operation = ir.OpResult(value).owner.operation
    if operation.name != "arith.index_cast":
        return None
    source = operation.operands[0]
    return source if isinstance(source.type, ir.IndexType) else None


def _index_cast(value: ir.Value) -> ir.Value:
    operation = ir.OpResult(value).owner.operation
    with ir.InsertionPoint.after(operation), operation.location:
        return arith.index_cast(ir.IndexType.get(), value)


def _signless(element_type: ir.Type) -> ir.IntegerType:
    return ir.IntegerType.get_signless(ir.IntegerType(element_type).width)


def _element_type(tensor: ir.Value) -> ir.IntegerType:
    return ir.IntegerType(ir.RankedTensorType(tensor.type).element_type)


def _is_unsigned(tensor: ir.Value) -> bool:
    element_type = _element_type(tensor)
    return element_type.is_unsigned or element_type.width == 1


def _integer(value: int, element_type: ir.Type) -> ir.Value:
    return arith.constant(element_type, ir.IntegerAttr.get(element_type, value))


def _fold_constant(operation: ir.Operation, _: list[Scalars]) -> Scalars:
    values = ir.DenseIntElementsAttr(operation.attributes["value"])
    element_type = _signless(_element_type(operation.results[0]))
    return [_integer(int(value), element_type) for value in values]


def _fold_dimension_size(operation: ir.Operation, _: list[Scalars]) -> Scalars:
    dimension = ir.IntegerAttr(operation.attributes["dimension"]).value
    source = operation.operands[0]
    element_type = _signless(_element_type(operation.results[0]))
    return [arith.index_cast(element_type, tensor_dim(source, dimension))]


def _fold_same(_: ir.Operation, sources: list[Scalars]) -> Scalars:
    return sources[0]


def _fold_concatenate(_: ir.Operation, sources: list[Scalars]) -> Scalars:
    return [element for source in sources for element in source]


def _fold_slice(operation: ir.Operation, sources: list[Scalars]) -> Scalars:
    start, limit, stride = (
        ir.DenseI64ArrayAttr(operation.attributes[name])[0]
        for name in ("start_indices", "limit_indices", "strides")
    )
    return sources[0][start:limit:stride]


def _fold_broadcast(operation: ir.Operation, sources: list[Scalars]) -> Scalars:
    result_type = ir.RankedTensorType(operation.results[0].type)
    count = result_type.get_dim_size(0) if result_type.rank else 1
    return sources[0] if len(sources[0]) == count else sources[0] * count


def _fold_binary(operation: ir.Operation, sources: list[Scalars]) -> Scalars:
    signed, unsigned = _BINARY[operation.name]
    combine = unsigned if _is_unsigned(operation.results[0]) else signed
    return [combine(lhs, rhs) for lhs, rhs in zip(*sources, strict=True)]


def _fold_convert(operation: ir.Operation, sources: list[Scalars]) -> Scalars:
    is_unsigned = _is_unsigned(operation.operands[0])
    target = _signless(_element_type(operation.results[0]))
    return [resize(value, target, is_unsigned=is_unsigned) for value in sources[0]]


def _fold_compare(operation: ir.Operation, sources: list[Scalars]) -> Scalars:
    direction = str(operation.attributes["comparison_direction"])
    direction = direction.rsplit(" ", 1)[-1].rstrip(">")
    is_unsigned = _is_unsigned(operation.operands[0])
    table = _UNSIGNED_PREDICATES if is_unsigned else _PREDICATES
    predicate = table[direction]
    return [arith.cmpi(predicate, lhs, rhs) for lhs, rhs in zip(*sources, strict=True)]


def _fold_select(_: ir.Operation, sources: list[Scalars]) -> Scalars:
    conditions, on_true, on_false = sources
    if len(conditions) == 1:
        conditions = conditions * len(on_true)
    return [
        arith.select(*choice)
        for choice in zip(conditions, on_true, on_false, strict=True)
    ]


def _fold_clamp(operation: ir.Operation, sources: list[Scalars]) -> Scalars:
    least, values, most = sources
    count = len(values)
    least = least if len(least) == count else least * count
    most = most if len(most) == count else most * count
    is_unsigned = _is_unsigned(operation.results[0])
    maximum, minimum = (
        (arith.maxui, arith.minui) if is_unsigned else (arith.maxsi, arith.minsi)
    )
    return [
        minimum(maximum(low, value), high)
        for low, value, high in zip(least, values, most, strict=True)
    ]


def _fold_sign(_: ir.Operation, sources: list[Scalars]) -> Scalars:
    def sign(value: ir.Value) -> ir.Value:
        one, minus_one = _integer(1, value.type), _integer(-1, value.type)
        return arith.minsi(arith.maxsi(value, minus_one), one)

    return [sign(value) for value in sources[0]]


def _fold_negate(_: ir.Operation, sources: list[Scalars]) -> Scalars:
    return [arith.subi(_integer(0, value.type), value) for value in sources[0]]


def _fold_abs(_: ir.Operation, sources: list[Scalars]) -> Scalars:
    return [
        arith.maxsi(value, arith.subi(_integer(0, value.type), value))
        for value in sources[0]
    ]


def _fold_not(_: ir.Operation, sources: list[Scalars]) -> Scalars:
    return [arith.xori(value, _integer(-1, value.type)) for value in sources[0]]


def resize(value: ir.Value, target: ir.Type, *, is_unsigned: bool = False) -> ir.Value:
    """Gives the integer `value` in the integer type `target`."""
    width = ir.IntegerType(value.type).width
    target_width = ir.IntegerType(target).width
    if width == target_width:
        return value
    if width > target_width and target_width > 1:
        return arith.trunci(target, value)
    if target_width == 1:
        return arith.cmpi(_PREDICATES["NE"], value, _integer(0, value.type))
    extend = arith.extui if is_unsigned or width == 1 else arith.extsi
    return extend(target, value)


def tensor_dim(tensor: ir.Value, dimension: int) -> ir.Value:
    """Gives a dimension of `tensor` as an `index`: a constant where it is static."""
    index = ir.IndexType.get()
    tensor_type = ir.RankedTensorType(tensor.type)
    if not tensor_type.is_dynamic_dim(dimension):
        size = tensor_type.get_dim_size(dimension)
        return arith.constant(index, ir.IntegerAttr.get(index, size))
    position = arith.constant(index, ir.IntegerAttr.get(index, dimension))
    operation = ir.Operation.create(
        "tensor.dim", results=[index], operands=[signless(tensor), position]
    )
    return operation.results[0]


_LEAVES = {
    "stablehlo.constant": _fold_constant,
    "stablehlo.get_dimension_size": _fold_dimension_size,
}

_FOLDS: dict[str, Callable[[ir.Operation, list[Scalars]], Scalars]] = {
    **_LEAVES,
    **dict.fromkeys(_BINARY, _fold_binary),
    "stablehlo.abs": _fold_abs,
    "stablehlo.broadcast_in_dim": _fold_broadcast,
    "stablehlo.clamp": _fold_clamp,
    "stablehlo.compare": _fold_compare,
    "stablehlo.concatenate": _fold_concatenate,
    "stablehlo.convert": _fold_convert,
    "stablehlo.negate": _fold_negate,
    "stablehlo.not": _fold_not,
    "stablehlo.reshape": _fold_same,
    "stablehlo.select": _fold_select,
    "stablehlo.sign": _fold_sign,
    "stablehlo.slice": _fold_slice,
}
