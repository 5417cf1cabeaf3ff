# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What a `@tritonflow.call` says about itself, read out of its configuration.

    {kernel = "key", name = "softmax_kernel", location = "file.py:12",
     grid = [1823, 1, {operand = 4}],
     arguments = [{kind = "operand", operand = 0}, {kind = "result", result = 0},
                  {kind = "alias", operand = 1, result = 1},
                  {kind = "constant", value = 1.0 : f32},
                  {kind = "value", operand = 3}],
     zeroed = [0]}

`call`, a number, may stand for `location`: an index into a table of the user's lines.
Integers are `i64`. A grid entry or a `value` that names an operand is a 0-d integer
tensor computed from shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import SourceLocation, VerifyError
from ..mlir import ir, source_location

_CONFIGURATION = ("mhlo.backend_config", "backend_config")
_SHAPE_OPERANDS = "indices_of_shape_operands"
_KINDS = {
    "operand": {"operand"},
    "value": {"operand"},
    "result": {"result"},
    "alias": {"operand", "result"},
    "constant": {"value"},
}
"""The entries that an argument of each kind has beside `kind`."""


@dataclass(frozen=True)
class ArgumentSource:
    """Where one kernel parameter, or one dimension of the grid, comes from."""

    kind: str
    operand: int | None = None
    result: int | None = None
    constant: ir.Attribute | None = None


@dataclass(frozen=True)
class CallConfiguration:
    """The configuration of one call, checked against its operands and results."""

    kernel: str
    name: str
    location: SourceLocation | None
    grid: tuple[int | ArgumentSource, ...]
    arguments: tuple[ArgumentSource, ...]
    zeroed: tuple[int, ...]

    @classmethod
    def read(
        cls, call: ir.Operation, sites: Sequence[SourceLocation] = ()
    ) -> CallConfiguration:
        """Gives the configuration of `call`. Raises VerifyError if it is not valid.

        `sites` are the user's lines that calls refer to by number.
        """
        return _Reader(call).read(sites)

    @property
    def run_time_operands(self) -> list[int]:
        """Operands that are scalars of the kernel, computed from shapes."""
        return [
            source.operand
            for source in self.arguments
            if source.kind == "value" and source.operand is not None
        ]

    @property
    def mlir_location(self) -> ir.Location | None:
        """The user's line as an MLIR location. A context must be current."""
        if self.location is None:
            return None
        return ir.Location.file(self.location.file, self.location.line, 0)

    def shape_operand(self, call: ir.Operation, result: int) -> int:
        """Gives the operand that holds the shape of a dynamic result."""
        if _SHAPE_OPERANDS not in call.attributes:
            raise VerifyError(
                f"call of `{self.name}`: result {result} has dynamic dimensions, "
                f"expected their values in `{_SHAPE_OPERANDS}`.",
                at=self.location,
            )
        return int(ir.DenseIntElementsAttr(call.attributes[_SHAPE_OPERANDS])[result])


class _Reader:
    """Reads one call's configuration and says what is wrong with it, entry by entry."""

    def __init__(self, call: ir.Operation) -> None:
        self.call = call
        self.at = source_location(call.location)

    def read(self, sites: Sequence[SourceLocation]) -> CallConfiguration:
        entries = self._entries()
        location = self._location(entries, sites)
        self.at = location or self.at
        grid = [self._grid_entry(entry) for entry in self._list(entries, "grid")]
        if len(grid) > 3:
            raise self._error("grid", f"got {len(grid)} dimensions, expected 1 to 3.")
        grid += [1] * (3 - len(grid))
        return CallConfiguration(
            kernel=self._string(entries, "kernel"),
            name=self._string(entries, "name"),
            location=location,
            grid=tuple(grid),
            arguments=tuple(
                self._argument(index, entry)
                for index, entry in enumerate(self._list(entries, "arguments"))
            ),
            zeroed=tuple(
                self._integer("zeroed", entry)
                for entry in (
                    self._list(entries, "zeroed") if "zeroed" in entries else ()
                )
            ),
        )

    def _location(
        self, entries: ir.DictAttr, sites: Sequence[SourceLocation]
    ) -> SourceLocation | None:
        text = self._optional_string(entries, "location")
        if text is not None:
            return _parse_location(text)
        if "call" not in entries:
            return None
        index = self._integer("call", entries["call"])
        return sites[index] if 0 <= index < len(sites) else None

    def _entries(self) -> ir.DictAttr:
        attributes = self.call.attributes
        for name in _CONFIGURATION:
            found = attributes[name] if name in attributes else None
            if isinstance(found, ir.DictAttr):
                return found
        raise self._error("backend_config", "got none, expected a dictionary.")

    def _grid_entry(self, entry: ir.Attribute) -> int | ArgumentSource:
        if isinstance(entry, ir.IntegerAttr):
            if entry.value < 0:
                raise self._error("grid", f"got {entry.value}, expected 0 or more.")
            return entry.value
        if isinstance(entry, ir.DictAttr) and "operand" in entry:
            return ArgumentSource("value", operand=self._operand("grid", entry))
        raise self._error("grid", f"got `{entry}`, expected an integer or an operand.")

    def _argument(self, index: int, entry: ir.Attribute) -> ArgumentSource:
        field = f"arguments[{index}]"
        if not isinstance(entry, ir.DictAttr) or "kind" not in entry:
            raise self._error(
                field, f"got `{entry}`, expected a dictionary and `kind`."
            )
        kind = self._string(entry, "kind")
        if kind not in _KINDS:
            raise self._error(
                field, f"got kind `{kind}`, expected one of {', '.join(_KINDS)}."
            )
        for name in _KINDS[kind]:
            if name not in entry:
                raise self._error(field, f"kind `{kind}` lacks `{name}`.")
        return ArgumentSource(
            kind,
            operand=self._operand(field, entry) if "operand" in entry else None,
            result=self._result(field, entry) if "result" in entry else None,
            constant=entry["value"] if kind == "constant" else None,
        )

    def _operand(self, field: str, entry: ir.DictAttr) -> int:
        index = self._integer(field, entry["operand"])
        if not 0 <= index < len(self.call.operands):
            raise self._error(
                field,
                f"got operand {index}, expected one of {len(self.call.operands)}.",
            )
        return index

    def _result(self, field: str, entry: ir.DictAttr) -> int:
        index = self._integer(field, entry["result"])
        if not 0 <= index < len(self.call.results):
            raise self._error(
                field, f"got result {index}, expected one of {len(self.call.results)}."
            )
        return index

    def _list(self, entries: ir.DictAttr, name: str) -> Any:
        if name not in entries:
            raise self._error(name, "the entry is missing.")
        value = entries[name]
        if not isinstance(value, ir.ArrayAttr | ir.DenseI64ArrayAttr):
            raise self._error(name, f"got `{value}`, expected a list.")
        return value

    def _string(self, entries: ir.DictAttr, name: str) -> str:
        value = self._optional_string(entries, name)
        if value is None:
            raise self._error(name, "the entry is missing.")
        return value

    def _optional_string(self, entries: ir.DictAttr, name: str) -> str | None:
        if name not in entries:
            return None
        value = entries[name]
        if not isinstance(value, ir.StringAttr):
            raise self._error(name, f"got `{value}`, expected a string.")
        return value.value

    def _integer(self, field: str, value: Any) -> int:
        if isinstance(value, int):
            return value
        if not isinstance(value, ir.IntegerAttr):
            raise self._error(field, f"got `{value}`, expected an integer.")
        return value.value

    def _error(self, field: str, problem: str) -> VerifyError:
        return VerifyError(f"`tritonflow.call`: `{field}`: {problem}", at=self.at)


def _parse_location(text: str) -> SourceLocation:
    file, _, line = text.rpartition(":")
    if not file or not line.isdigit():
        return SourceLocation(text)
    return SourceLocation(file, int(line))
