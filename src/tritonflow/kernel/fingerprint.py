# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Content of kernels and of compile-time values, as text that is the same everywhere.

Triton's own `cache_key` holds line numbers and module names, so the same kernel in two
folders has two of them. Here a function counts by its syntax tree, which has neither
comments nor lines, together with everything that it refers to.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import enum
import hashlib
import inspect
import textwrap
import types
import weakref
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import SignatureError


class Summary:
    """The part of a function's content that its source alone decides.

    Attributes:
        digest: of the syntax tree, without decorators.
        references: names with attributes that it may take from outside.
        length: in lines.
        statements: line of each statement, 1 for the `def`; in an order that
            comments and line breaks do not change.
    """

    def __init__(self, source: str) -> None:
        tree = ast.parse(source)
        definition = tree.body[0]
        if isinstance(definition, ast.FunctionDef | ast.ClassDef):
            definition.decorator_list = []
        self.source = source
        self.digest = hashlib.sha256(ast.dump(tree).encode()).hexdigest()
        self.references = tuple(sorted(_references(tree)))
        self.length = source.count("\n") + 1
        self.statements = tuple(
            node.lineno for node in ast.walk(tree) if isinstance(node, ast.stmt)
        )


def _references(tree: ast.AST) -> set[tuple[str, ...]]:
    """Gives the names that `tree` may take from outside, with their attributes."""
    parameters = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    found: set[tuple[str, ...]] = set()
    for node in ast.walk(tree):
        chain: list[str] = []
        inner: ast.AST = node
        while isinstance(inner, ast.Attribute):
            chain.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and inner.id not in parameters:
            found.add((inner.id, *reversed(chain)))
    return found


_SUMMARIES: dict[int, tuple[weakref.ref[Any], Summary]] = {}


def _summary(owner: Any, source: str) -> Summary:
    """Parses `source`, which `owner` has, once for as long as both stay the same."""
    known = _SUMMARIES.get(id(owner))
    if known is not None and known[0]() is owner and known[1].source == source:
        return known[1]
    summary = Summary(source)
    key = id(owner)
    forget = weakref.ref(owner, lambda _: _SUMMARIES.pop(key, None))
    _SUMMARIES[key] = (forget, summary)
    return summary


def function_content(function: Any) -> str:
    """Gives the digest of a `@triton.jit` function: source, callees and used globals.

    Globals count with the values that they have now. Functions of Triton itself count
    by name: the version of Triton is part of every compiled kernel's key.
    """
    return _Content().function(function)


def functions_of(function: Any) -> list[tuple[Any, Summary]]:
    """Gives `function` and the user's functions that it calls, however far away."""
    content = _Content()
    content.function(function)
    return content.seen


def value_content(value: Any, *, subject: str) -> str:
    """Gives text that is equal for equal compile-time values and only for them.

    Raises: SignatureError: if `value` has no content that is the same in every process.
    """
    text = _Content().value(value)
    if text is None:
        raise SignatureError(
            f"{subject}: a value of type `{type(value).__name__}` can not be a "
            "compile-time constant, expected a number, a string, a Triton type, a "
            "@triton.jit function, or a tuple of these."
        )
    return text


class _Content:
    """One walk from a function or value through everything that it refers to."""

    def __init__(self) -> None:
        self.contents: dict[int, str] = {}
        self.seen: list[tuple[Any, Summary]] = []

    def function(self, function: Any) -> str:
        python = getattr(function, "fn", function)
        if _is_of_triton(python):
            return f"triton:{python.__module__}.{python.__qualname__}"
        key = id(function)
        if key not in self.contents:
            # A function that calls itself meets its own number.
            self.contents[key] = f"recursion:{len(self.contents)}"
            self.contents[key] = self._function(function, python)
        return self.contents[key]

    def _function(self, function: Any, python: Any) -> str:
        source = getattr(function, "src", None) or _source(python)
        summary = _summary(function, source)
        self.seen.append((function, summary))
        is_inlined = not getattr(function, "noinline", False)
        parts = [summary.digest, repr(is_inlined), repr(_defaults(self, python))]
        parts += self.references(summary.references, _scope(python))
        return "function:" + hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def references(
        self, references: Iterable[tuple[str, ...]], scope: Mapping[str, Any]
    ) -> list[str]:
        parts = []
        for name, *attributes in references:
            if name not in scope:
                continue
            value = scope[name]
            for attribute in attributes:
                if _is_jit(value) or not hasattr(value, attribute):
                    break
                value = getattr(value, attribute)
            content = self.reference(value)
            if content is not None:
                parts.append(f"{name}.{'.'.join(attributes)}={content}")
        return parts

    def reference(self, value: Any) -> str | None:
        if isinstance(value, types.ModuleType):
            return None  # What the kernel takes from it has a reference of its own.
        if isinstance(value, types.BuiltinFunctionType):
            return f"builtin:{value.__qualname__}"
        if isinstance(value, type):
            return self.type_(value)
        if inspect.isfunction(value):
            return self.function(value)
        return self.value(value) or f"object:{type(value).__qualname__}"

    def type_(self, value: type) -> str:
        if value.__module__ == builtins.__name__ or _is_of_triton(value):
            return f"type:{value.__module__}.{value.__qualname__}"
        members = [
            f"{name}={self.reference(member)}"
            for name, member in sorted(vars(value).items())
            if _is_jit(member) or inspect.isfunction(member)
        ]
        source = _type_source(value)
        annotations = repr(sorted(inspect.get_annotations(value)))
        return f"type:{value.__qualname__}:{source}:{annotations}:{members}"

    def value(self, value: Any) -> str | None:
        if _is_jit(value):
            return self.function(value)
        if value is None or isinstance(value, bool | int | str | bytes):
            if not isinstance(value, enum.Enum):
                return f"{type(value).__name__}:{value!r}"
        if isinstance(value, float):
            return f"float:{value.hex()}"
        if isinstance(value, enum.Enum):
            return f"enum:{type(value).__qualname__}.{value.name}"
        if isinstance(value, tuple | list):
            fields = getattr(value, "_fields", "")
            return self.sequence(f"{type(value).__name__}{fields}", value)
        if isinstance(value, dict):
            return self.sequence(
                "dict", [part for item in value.items() for part in item]
            )
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            members = [getattr(value, f.name) for f in dataclasses.fields(value)]
            return self.sequence(type(value).__qualname__, members)
        return self.foreign(value)

    def foreign(self, value: Any) -> str | None:
        """Gives the content of values of Triton and NumPy types."""
        kind = type(value)
        if kind.__name__ == "constexpr" and _is_of_triton(kind):
            inner = self.value(value.value)
            return None if inner is None else f"constexpr:{inner}"
        if kind.__name__ == "dtype" or (
            _is_of_triton(kind) and hasattr(value, "to_ir")
        ):
            return f"dtype:{value}"
        if kind.__module__ == "numpy" and getattr(value, "ndim", None) == 0:
            return f"numpy:{kind.__name__}:{value.item()!r}"
        return None

    def sequence(self, name: str, values: Iterable[Any]) -> str | None:
        parts = []
        for value in values:
            content = self.value(value)
            if content is None:
                return None
            parts.append(f"{len(content)}:{content}")
        return f"{name}:[{','.join(parts)}]"


_TYPE_SOURCES: weakref.WeakKeyDictionary[type, str] = weakref.WeakKeyDictionary()


def _type_source(value: type) -> str:
    """Gives the digest of a class's source, which is slow to find, once; or nothing."""
    if value not in _TYPE_SOURCES:
        try:
            _TYPE_SOURCES[value] = Summary(_source(value)).digest
        except (OSError, TypeError, SyntaxError):
            _TYPE_SOURCES[value] = ""
    return _TYPE_SOURCES[value]


def _is_jit(value: Any) -> bool:
    """Whether `value` is a function of Triton's: jit, constexpr function, Gluon."""
    return hasattr(value, "fn") and hasattr(value, "src") and hasattr(value, "parse")


def _is_of_triton(value: Any) -> bool:
    module = getattr(value, "__module__", None)
    if not isinstance(module, str):
        return False
    return module == "triton" or module.startswith("triton.")


def _source(value: Any) -> str:
    return textwrap.dedent(inspect.getsource(value))


def _scope(function: Any) -> dict[str, Any]:
    cells: dict[str, Any] = {}
    for name, cell in zip(
        function.__code__.co_freevars, function.__closure__ or (), strict=False
    ):
        try:
            cells[name] = cell.cell_contents
        except ValueError:  # A name that is not bound yet.
            continue
    return function.__globals__ | cells


def _defaults(content: _Content, function: Any) -> list[str | None]:
    values = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    return [content.value(value) for value in values]
