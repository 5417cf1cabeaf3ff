# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The base of our operations: fields declared in the class body, checked by `verify`.

IREE's bindings cannot register a dialect, so an operation of ours is an unregistered
one, and its class is a typed view of it:

    class CallOp(TritonOp, name="triton.call"):
        callee = Attribute(ir.FlatSymbolRefAttr)
        grid = Operands(ir.IndexType, count=3)

Operand fields take the operands in the order in which they are declared; how many each
one takes is in `operandSegmentSizes`, as in MLIR's own operations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Generic, Self, TypeVar, overload

from ..errors import VerifyError
from ..mlir import ir, source_location, walk

AttributeT = TypeVar("AttributeT", bound=ir.Attribute)
OpT = TypeVar("OpT", bound="TritonOp")

_SEGMENTS = "operandSegmentSizes"


class Attribute(Generic[AttributeT]):
    """An attribute of the bindings' class `kind`; reading an absent one gives None."""

    def __init__(self, kind: type[AttributeT], *, optional: bool = False) -> None:
        self.kind = kind
        self.is_optional = optional
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, op: None, owner: type) -> Self: ...
    @overload
    def __get__(self, op: TritonOp, owner: type) -> AttributeT: ...
    def __get__(self, op: TritonOp | None, owner: type) -> Any:
        if op is None:
            return self
        attributes = op.operation.attributes
        return attributes[self.name] if self.name in attributes else None

    def __set__(self, op: TritonOp, value: AttributeT) -> None:
        op.operation.attributes[self.name] = value

    def verify(self, op: TritonOp) -> None:
        """Raises VerifyError if the attribute is absent or of another class."""
        value = self.__get__(op, type(op))
        if value is None and not self.is_optional:
            raise op.error(self.name, "the attribute is missing.")
        if value is not None and not isinstance(value, self.kind):
            raise op.error(
                self.name, f"got `{value}`, expected a {self.kind.__name__}."
            )


class Operands:
    """A run of operands, each of type `kind`; `count` None takes any number of them."""

    def __init__(self, kind: type | None = None, *, count: int | None = None) -> None:
        self.kind = kind
        self.count = count
        self.name = ""
        self.position = 0

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, op: None, owner: type) -> Self: ...
    @overload
    def __get__(self, op: TritonOp, owner: type) -> list[ir.Value]: ...
    def __get__(self, op: TritonOp | None, owner: type) -> Any:
        if op is None:
            return self
        sizes = op.segment_sizes()
        start = sum(sizes[: self.position])
        operands = op.operation.operands
        return [operands[start + i] for i in range(sizes[self.position])]

    def verify(self, op: TritonOp) -> None:
        """Raises VerifyError if the number or a type of the operands is wrong."""
        values = self.__get__(op, type(op))
        if self.count is not None and len(values) != self.count:
            raise op.error(
                self.name, f"got {len(values)} operands, expected {self.count}."
            )
        for index, value in enumerate(values):
            if self.kind is not None and not isinstance(value.type, self.kind):
                raise op.error(
                    self.name,
                    f"operand {index} is of type `{value.type}`, "
                    f"expected {self.kind.__name__}.",
                )


class TritonOp:
    """A typed view of one operation. Subclasses declare fields and `verify_op`."""

    op_name: ClassVar[str] = ""
    attribute_fields: ClassVar[dict[str, Attribute[Any]]] = {}
    operand_fields: ClassVar[dict[str, Operands]] = {}
    region_count: ClassVar[int] = 0

    def __init_subclass__(cls, *, name: str, regions: int = 0) -> None:
        cls.op_name = name
        cls.region_count = regions
        fields = vars(cls)
        cls.attribute_fields = {
            key: field for key, field in fields.items() if isinstance(field, Attribute)
        }
        cls.operand_fields = {
            key: field for key, field in fields.items() if isinstance(field, Operands)
        }
        for position, field in enumerate(cls.operand_fields.values()):
            field.position = position

    def __init__(self, operation: ir.Operation) -> None:
        self.operation = operation

    @classmethod
    def create(
        cls,
        *,
        results: Sequence[ir.Type] = (),
        location: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
        **fields: Any,
    ) -> Self:
        """Gives a new operation at `ip`, its regions with one empty block each.

        `fields` holds a value for each field; absent or None leaves an attribute out
        and an operand field empty. `ip` and `location` are the current ones if None.
        """
        unknown = (
            fields.keys() - cls.attribute_fields.keys() - cls.operand_fields.keys()
        )
        if unknown:
            raise TypeError(f"{cls.op_name} has no field {sorted(unknown)[0]}")
        operands: list[ir.Value] = []
        sizes: list[int] = []
        for name in cls.operand_fields:
            values = list(fields.get(name) or ())
            operands += values
            sizes.append(len(values))
        attributes = {
            name: fields[name]
            for name in cls.attribute_fields
            if fields.get(name) is not None
        }
        if len(sizes) > 1:
            attributes[_SEGMENTS] = ir.DenseI32ArrayAttr.get(sizes)
        operation = ir.Operation.create(
            cls.op_name,
            results=list(results),
            operands=operands,
            attributes=attributes,
            regions=cls.region_count,
            loc=location,
            ip=ip,
        )
        for region in operation.regions:
            region.blocks.append()
        return cls(operation)

    @classmethod
    def match(cls, operation: ir.Operation) -> Self | None:
        """Gives the view of `operation` if it is one of this class, else None."""
        return cls(operation) if operation.name == cls.op_name else None

    @property
    def results(self) -> list[ir.Value]:
        """The results of the operation."""
        return list(self.operation.results)

    @property
    def body(self) -> list[ir.Operation]:
        """What is in the block of the first region; none in an empty region."""
        blocks = self.operation.regions[0].blocks
        return [child.operation for block in blocks for child in block.operations]

    def segment_sizes(self) -> list[int]:
        """Gives how many operands each operand field takes."""
        attributes = self.operation.attributes
        if _SEGMENTS in attributes:
            return list(ir.DenseI32ArrayAttr(attributes[_SEGMENTS]))
        sizes = [0] * len(self.operand_fields)
        if sizes:
            sizes[0] = len(self.operation.operands)
        return sizes

    def error(self, field: str, problem: str) -> VerifyError:
        """Gives an error that names the operation, the field and the user's line."""
        return VerifyError(
            f"`{self.op_name}`: `{field}`: {problem}",
            at=source_location(self.operation.location),
        )

    def verify(self) -> None:
        """Raises VerifyError unless every field and every rule of the op holds."""
        self._verify_segments()
        for field in self.attribute_fields.values():
            field.verify(self)
        for field in self.operand_fields.values():
            field.verify(self)
        if len(self.operation.regions) != self.region_count:
            raise self.error(
                "regions",
                f"got {len(self.operation.regions)}, expected {self.region_count}.",
            )
        self.verify_op()

    def verify_op(self) -> None:
        """Checks what the fields alone do not say."""

    def _verify_segments(self) -> None:
        sizes = self.segment_sizes()
        expected = len(self.operand_fields)
        if len(sizes) != expected or any(size < 0 for size in sizes):
            raise self.error(
                _SEGMENTS, f"got {sizes}, expected {expected} sizes of 0 or more."
            )
        if sum(sizes) != len(self.operation.operands):
            raise self.error(
                _SEGMENTS,
                f"got {sizes}, which add up to {sum(sizes)}, "
                f"expected the {len(self.operation.operands)} operands.",
            )


def find_ops(root: ir.Operation, kind: type[OpT]) -> Iterator[OpT]:
    """Gives the operations of class `kind` in `root`, in order."""
    for operation in walk(root):
        op = kind.match(operation)
        if op is not None:
            yield op
