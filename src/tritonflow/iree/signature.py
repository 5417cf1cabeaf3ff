# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Checks a call's arrays against a program's signature, with its symbolic sizes."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence

import numpy as np

from ..errors import SignatureError
from .elements import DTYPES
from .manifest import Constraint, TensorSpec

Found = tuple[np.dtype, tuple[int, ...]]
"""Element type and shape of one array of a call."""

_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Pow: operator.pow,
}
_FUNCTIONS: dict[str, Callable[[int, int], int]] = {
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "max": max,
    "min": min,
}


def check_call(
    specs: Sequence[TensorSpec],
    found: Sequence[Found],
    constraints: Sequence[Constraint],
) -> None:
    """Checks element types, ranks and sizes of a call; `found` is as long as `specs`.

    Raises: SignatureError: naming the argument, with what it is and what it should be.
    """
    sizes: dict[str, int] = {}
    bound_by: dict[str, str] = {}
    for spec, (dtype, shape) in zip(specs, found, strict=True):
        if dtype != DTYPES[spec.dtype] or len(shape) != len(spec.shape):
            raise _mismatch(spec, dtype, shape)
        for wanted, size in zip(spec.shape, shape, strict=True):
            if isinstance(wanted, int):
                if wanted != size:
                    raise _mismatch(spec, dtype, shape)
            elif isinstance(wanted, str) and wanted.isidentifier():
                if sizes.setdefault(wanted, size) != size:
                    reason = (
                        f"`{wanted}` is {sizes[wanted]} in `{bound_by[wanted]}`, but "
                        f"{size} here"
                    )
                    raise _mismatch(spec, dtype, shape, reason)
                bound_by.setdefault(wanted, spec.name)
    _check_expressions(specs, found, sizes)
    _check_constraints(constraints, sizes)


def _check_expressions(
    specs: Sequence[TensorSpec], found: Sequence[Found], sizes: dict[str, int]
) -> None:
    """Checks sizes such as `2*b`, now that every plain symbol has its value.

    Symbols that stand nowhere alone get theirs here, from the first such size.
    """
    for spec, (dtype, shape) in zip(specs, found, strict=True):
        for wanted, size in zip(spec.shape, shape, strict=True):
            if not isinstance(wanted, str) or wanted.isidentifier():
                continue
            if not _solve(wanted, size, sizes):
                reason = f"no size fits: `{wanted}` is {size} here"
                raise _mismatch(spec, dtype, shape, reason)
            expected = evaluate(wanted, sizes)
            if expected is not None and expected != size:
                reason = f"`{wanted}` is {expected}, but {size} here"
                raise _mismatch(spec, dtype, shape, reason)


def _solve(expression: str, size: int, sizes: dict[str, int]) -> bool:
    """Adds to `sizes` the one symbol that `expression`, linear in it, leaves open.

    Returns: False if no size of 0 or more makes `expression` equal to `size`.
    """
    unknown = _symbols(expression) - sizes.keys()
    if len(unknown) != 1:
        return True
    (symbol,) = unknown
    values = [evaluate(expression, {**sizes, symbol: value}) for value in range(3)]
    at_0, at_1, at_2 = values
    if at_0 is None or at_1 is None or at_2 is None:
        return True
    slope = at_1 - at_0
    if slope == 0 or at_2 - at_1 != slope:
        return True  # JAX derives no symbol from such a size either.
    value, rest = divmod(size - at_0, slope)
    if rest or value < 0:
        return False
    sizes[symbol] = value
    return True


def _check_constraints(
    constraints: Sequence[Constraint], sizes: dict[str, int]
) -> None:
    for constraint in constraints:
        value = evaluate(constraint.expression, sizes)
        if value is None or value == 0 or (value > 0 and not constraint.is_equation):
            continue
        names = sorted(_symbols(constraint.expression))
        got = ", ".join(f"{name} = {sizes[name]}" for name in names)
        raise SignatureError(
            f"symbolic sizes: got {got}, expected {constraint.text}, as the program "
            "was compiled with."
        )


def evaluate(expression: str, sizes: dict[str, int]) -> int | None:
    """Gives the value of a symbolic size such as `2*b + 1`; None if it is not known."""
    try:
        return _evaluate(_parse(expression), sizes)
    except (SyntaxError, KeyError, ZeroDivisionError):
        return None


def _parse(expression: str) -> ast.expr:
    # JAX writes powers as `b^2`.
    return ast.parse(expression.replace("^", "**"), mode="eval").body


def _symbols(expression: str) -> set[str]:
    try:
        names = {n.id for n in ast.walk(_parse(expression)) if isinstance(n, ast.Name)}
    except SyntaxError:
        return set()
    return names - _FUNCTIONS.keys()


def _evaluate(node: ast.expr, sizes: dict[str, int]) -> int:
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.Name(id=name):
            return sizes[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_evaluate(operand, sizes)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_evaluate(left, sizes), _evaluate(right, sizes))
        case ast.Call(func=ast.Name(id=name), args=[left, right]):
            return _FUNCTIONS[name](_evaluate(left, sizes), _evaluate(right, sizes))
    raise KeyError(ast.dump(node))


def _mismatch(
    spec: TensorSpec, dtype: np.dtype, shape: tuple[int, ...], reason: str = ""
) -> SignatureError:
    got = TensorSpec(spec.name, dtype.name, shape)
    because = f" ({reason})" if reason else ""
    differs = dtype != DTYPES[spec.dtype] and len(shape) == len(spec.shape)
    return SignatureError(
        f"argument `{spec.name}`: got {got}, expected {spec}{because}.",
        hint=f"convert it: numpy.asarray(x, {spec.dtype!r})" if differs else None,
    )
