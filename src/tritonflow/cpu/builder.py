# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Emission of MLIR operations: constants stand at the function's top, integers fold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..mlir import arith, ir, scf, vector
from .analysis import defining

WORKGROUP_LOCAL = "#iree_codegen.workgroup_local"


class Builder:
    """Emits operations at the ambient insertion point of one function.

    Integer constants are remembered, so that index arithmetic on them folds while it
    is emitted: the contiguity of an access is known here, not later in LLVM.

    Args:
        entry: the function's entry block, still empty.
        rounds_to_bf16: whether the CPU has an instruction for it. Where it has none,
            LLVM calls a function that IREE does not link.
    """

    def __init__(self, entry: ir.Block, *, rounds_to_bf16: bool = True) -> None:
        self.rounds_to_bf16 = rounds_to_bf16
        self.index = ir.IndexType.get()
        self.i1 = ir.IntegerType.get_signless(1)
        self.i8 = ir.IntegerType.get_signless(8)
        self.i32 = ir.IntegerType.get_signless(32)
        self.i64 = ir.IntegerType.get_signless(64)
        self.f32 = ir.F32Type.get()
        self.f64 = ir.F64Type.get()
        self._constants: dict[tuple[ir.Type, Any], ir.Value] = {}
        self._known: dict[ir.Value, int] = {}
        self._vectors: dict[tuple[int, ir.Type], ir.VectorType] = {}
        # Two anchors: constants go before the first, the rest before the second.
        with ir.InsertionPoint(entry):
            zero = arith.constant(self.index, 0)
            one = arith.constant(self.index, 1)
        self._constants[(self.index, 0)] = zero
        self._constants[(self.index, 1)] = one
        self._known.update({zero: 0, one: 1})
        self._constant_point = ir.InsertionPoint(zero.owner)
        self.entry_point = ir.InsertionPoint(one.owner)

    # Types.

    def vector_type(self, width: int, element: ir.Type) -> ir.VectorType:
        """Gives `vector<width x element>`."""
        key = (width, element)
        if key not in self._vectors:
            self._vectors[key] = ir.VectorType.get([width], element)
        return self._vectors[key]

    # Constants.

    def constant(self, type_: ir.Type, value: float) -> ir.Value:
        """Gives a scalar constant of an integer, index or float type."""
        is_float = isinstance(type_, ir.FloatType)
        # -0.0 and NaN do not compare as one would like: floats are keyed by their text.
        key = (type_, repr(float(value)) if is_float else int(value))
        if key not in self._constants:
            with self._constant_point:
                if is_float:
                    attribute = ir.FloatAttr.get(type_, float(value))
                    result = arith.constant(type_, attribute)
                else:
                    wrapped = _wrap(int(value), type_)
                    attribute = ir.IntegerAttr.get(type_, wrapped)
                    result = arith.constant(type_, attribute)
                    self._known[result] = wrapped
            self._constants[key] = result
        return self._constants[key]

    def constant_of(self, attribute: ir.Attribute, type_: ir.Type) -> ir.Value:
        """Gives the constant that a typed attribute stands for."""
        key = (type_, attribute)
        if isinstance(attribute, ir.IntegerAttr):
            return self.constant(type_, ir.IntegerAttr(attribute).value)
        if key not in self._constants:
            with self._constant_point:
                self._constants[key] = arith.constant(type_, attribute)
        return self._constants[key]

    def splat(self, type_: ir.VectorType, value: float) -> ir.Value:
        """Gives a vector constant with `value` in every lane."""
        return self.broadcast(self.constant(type_.element_type, value), type_.shape[0])

    def iota(self, width: int, element: ir.Type) -> ir.Value:
        """Gives the vector 0, 1, ..., width - 1 of an integer type."""
        key = (self.vector_type(width, element), "iota")
        if key not in self._constants:
            attributes = [ir.IntegerAttr.get(element, lane) for lane in range(width)]
            dense = ir.DenseElementsAttr.get(attributes, key[0])
            with self._constant_point:
                self._constants[key] = arith.constant(key[0], dense)
        return self._constants[key]

    def known(self, value: ir.Value) -> int | None:
        """Gives the integer that `value` is known to be, else None."""
        return self._known.get(value)

    def idx(self, value: int) -> ir.Value:
        """Gives an index constant."""
        return self.constant(self.index, value)

    def zero_like(self, value: ir.Value) -> ir.Value:
        """Gives the zero of a scalar's or vector's type."""
        if isinstance(value.type, ir.VectorType):
            return self.splat(value.type, 0)
        return self.constant(value.type, 0)

    def one_like(self, value: ir.Value) -> ir.Value:
        """Gives the one of an integer scalar's or vector's type."""
        if isinstance(value.type, ir.VectorType):
            return self.splat(value.type, 1)
        return self.constant(value.type, 1)

    def lowest_like(self, value: ir.Value) -> ir.Value:
        """Gives the smallest signed integer of a scalar's or vector's type."""
        is_vector = isinstance(value.type, ir.VectorType)
        element = value.type.element_type if is_vector else value.type
        lowest = -(1 << (ir.IntegerType(element).width - 1))
        return (
            self.splat(value.type, lowest)
            if is_vector
            else self.constant(element, lowest)
        )

    def like(self, value: ir.Value, element: ir.Type) -> ir.Type:
        """Gives `element`, or a vector of it where `value` is a vector."""
        if isinstance(value.type, ir.VectorType):
            return self.vector_type(value.type.shape[0], element)
        return element

    def constant_attribute(self, value: int) -> ir.Attribute:
        """Gives an i64 attribute, as enumerations of the `llvm` dialect take it."""
        return ir.IntegerAttr.get(self.i64, value)

    # Scalar integer arithmetic, folded.

    def add(self, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
        """Gives lhs + rhs."""
        left, right = self.known(lhs), self.known(rhs)
        if left is not None and right is not None:
            return self.constant(lhs.type, left + right)
        if left == 0:
            return rhs
        return lhs if right == 0 else arith.addi(lhs, rhs)

    def sub(self, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
        """Gives lhs - rhs."""
        left, right = self.known(lhs), self.known(rhs)
        if left is not None and right is not None:
            return self.constant(lhs.type, left - right)
        return lhs if right == 0 else arith.subi(lhs, rhs)

    def mul(self, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
        """Gives lhs * rhs."""
        left, right = self.known(lhs), self.known(rhs)
        if left is not None and right is not None:
            return self.constant(lhs.type, left * right)
        if left == 0 or right == 1:
            return lhs
        if right == 0 or left == 1:
            return rhs
        return arith.muli(lhs, rhs)

    def equals(self, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
        """Gives lhs == rhs, as i1."""
        left, right = self.known(lhs), self.known(rhs)
        if left is not None and right is not None:
            return self.constant(self.i1, int(left == right))
        return arith.cmpi(arith.CmpIPredicate.eq, lhs, rhs)

    def conjunction(self, *conditions: ir.Value) -> ir.Value:
        """Gives the AND of i1 scalars."""
        result = self.constant(self.i1, 1)
        for condition in conditions:
            left, right = self.known(result), self.known(condition)
            if left == 0 or right in (1, -1):
                continue
            if left in (1, -1) or right == 0:
                result = condition
            else:
                result = arith.andi(result, condition)
        return result

    def to_index(self, value: ir.Value) -> ir.Value:
        """Gives an integer as an index, with its sign."""
        return self.cast_integer(value, self.index)

    def cast_integer(self, value: ir.Value, type_: ir.Type) -> ir.Value:
        """Gives a scalar integer or index in another integer type, sign-extended."""
        source = value.type
        if source == type_:
            return value
        known = self.known(value)
        if known is not None:
            return self.constant(type_, known)
        if self.index in (source, type_):
            return arith.index_cast(type_, value)
        if ir.IntegerType(type_).width > ir.IntegerType(source).width:
            return arith.extsi(type_, value)
        return arith.trunci(type_, value)

    # Vectors.

    def broadcast(self, scalar: ir.Value, width: int) -> ir.Value:
        """Gives a vector with `scalar` in every lane."""
        type_ = self.vector_type(width, scalar.type)
        operation = defining(scalar)
        if operation is not None and operation.name == "arith.constant":
            key = (type_, scalar)
            if key not in self._constants:
                with self._constant_point:
                    attribute = operation.attributes["value"]
                    dense = ir.DenseElementsAttr.get_splat(type_, attribute)
                    self._constants[key] = arith.constant(type_, dense)
            return self._constants[key]
        return vector.broadcast(type_, scalar)

    # Control flow.

    def if_(
        self,
        condition: ir.Value,
        results: Sequence[ir.Type],
        then: Callable[[], Sequence[ir.Value]],
        otherwise: Callable[[], Sequence[ir.Value]] | None = None,
    ) -> list[ir.Value]:
        """Emits `scf.if`; the callbacks fill the branches and give what they yield."""
        known = self.known(condition)
        if known is not None:
            branch = then if known else otherwise
            return list(branch()) if branch else []
        operation = scf.IfOp(condition, results, has_else=otherwise is not None)
        with ir.InsertionPoint(operation.then_block):
            scf.YieldOp(list(then()))
        if otherwise is not None:
            with ir.InsertionPoint(operation.regions[1].blocks[0]):
                scf.YieldOp(list(otherwise()))
        return list(operation.results)


def _wrap(value: int, type_: ir.Type) -> int:
    if not isinstance(type_, ir.IntegerType):
        return value
    width = ir.IntegerType(type_).width
    if width == 1:
        return value & 1
    low = value & ((1 << width) - 1)
    return low - (1 << width) if low >> (width - 1) else low
