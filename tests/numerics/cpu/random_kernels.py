# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Random kernels, each as a Triton function and as the same steps in NumPy.

A kernel works on blocks of 32-bit integers, so that results compare exactly. It mixes
what a lowering could get wrong together: values that several loops read, reductions and
their broadcasts, transposes, loops that carry blocks, branches, and stores that overlap
earlier loads.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

HEADER = """
import numpy as np
import triton
import triton.language as tl

i32 = np.int32

def scatter(target, where, value, mask):
    where, value, mask = np.broadcast_arrays(where, value, mask)
    target[where[mask]] = value[mask]
"""

PLACES = ("r * C + c", "(R * C - 1) - (r * C + c)", "c * R + r")
LOAD_PLACES = (*PLACES, "(r * C + c + 5) % n")
BINARY = ("+", "-", "*", "&", "|", "^", "minimum", "maximum", "where", "<")

MATRIX, ROWS, COLUMNS, SCALAR = "matrix", "rows", "columns", "scalar"


@dataclass
class RandomKernel:
    """The text of one kernel.

    Attributes:
        rows, columns: of its blocks.
        slots: blocks that it stores to `out`.
    """

    seed: int
    rows: int = 0
    columns: int = 0
    slots: int = 0
    _triton: list[str] = field(default_factory=list)
    _numpy: list[str] = field(default_factory=list)
    _kinds: dict[str, str] = field(default_factory=dict)
    _indent: int = 1
    _count: int = 0

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        self.rows = self._random.choice([1, 2, 8, 16, 64])
        self.columns = self._random.choice([1, 4, 16, 32, 128])
        if self._random.random() < 0.35:
            self.rows = self.columns = self._random.choice([4, 16, 32])
        for _ in range(self._random.randint(4, 16)):
            self._step(0)
        for name, kind in list(self._kinds.items())[-3:]:
            if kind == MATRIX:
                self._store_out(name)

    @property
    def text(self) -> str:
        """Both functions, `kernel<seed>` and `expected<seed>`."""
        names = "x, y, out, n, m, q"
        constants = "R: tl.constexpr, C: tl.constexpr"
        return "\n".join(
            [
                "@triton.jit",
                f"def kernel{self.seed}({names}, {constants}):",
                "    r = tl.arange(0, R)[:, None]",
                "    c = tl.arange(0, C)[None, :]",
                *self._triton,
                f"def expected{self.seed}({names}, R, C):",
                "    r = np.arange(R, dtype=i32)[:, None]",
                "    c = np.arange(C, dtype=i32)[None, :]",
                *self._numpy,
                "",
            ]
        )

    def _emit(self, in_triton: str, in_numpy: str | None = None) -> None:
        space = "    " * self._indent
        self._triton.append(space + in_triton)
        self._numpy.append(space + (in_triton if in_numpy is None else in_numpy))

    def _new(self, kind: str) -> str:
        self._count += 1
        name = f"v{self._count}"
        self._kinds[name] = kind
        return name

    def _pick(self, kind: str) -> str | None:
        names = [name for name, each in self._kinds.items() if each == kind]
        return self._random.choice(names[-8:]) if names else None

    def _step(self, depth: int) -> None:
        steps = [
            (18, self._load),
            (27, self._binary),
            (10, self._reduce),
            (10, self._broadcast),
            (4, self._vector),
            (4, self._total),
            (4, self._transpose),
            (4, self._reshape),
            (8, self._store),
            (6, self._dot),
        ]
        if depth < 2:
            steps += [(6, lambda: self._loop(depth)), (5, lambda: self._branch(depth))]
        if self._pick(MATRIX) is None:
            self._load()
            return
        weights = [weight for weight, _ in steps]
        self._random.choices([step for _, step in steps], weights)[0]()

    def _matrix(self) -> str:
        name = self._pick(MATRIX)
        assert name is not None
        return name

    def _load(self) -> None:
        source = self._random.choice("xy")
        place = self._random.choice(LOAD_PLACES)
        plain = f"{source}[({place}) + 0 * c * r]"
        if self._random.random() < 0.4:
            self._emit(
                f"{self._new(MATRIX)} = "
                f"tl.load({source} + {place}, mask=(c < m) & (r < R), other=7)",
                f"v{self._count} = np.where((c < m) & (r < R), {plain}, i32(7))",
            )
        else:
            self._emit(
                f"{self._new(MATRIX)} = tl.load({source} + {place})",
                f"v{self._count} = {plain}",
            )

    def _operation(self, lhs: str, rhs: str, kind: str) -> None:
        operator = self._random.choice(BINARY)
        name = self._new(kind)
        if operator in ("minimum", "maximum"):
            self._emit(
                f"{name} = tl.{operator}({lhs}, {rhs})",
                f"{name} = np.{operator}({lhs}, {rhs})",
            )
        elif operator == "where":
            self._emit(
                f"{name} = tl.where({lhs} < {rhs}, {lhs}, {rhs} + 3)",
                f"{name} = np.where({lhs} < {rhs}, {lhs}, {rhs} + i32(3))",
            )
        elif operator == "<":
            self._emit(
                f"{name} = ({lhs} < {rhs}).to(tl.int32)",
                f"{name} = ({lhs} < {rhs}).astype(i32)",
            )
        else:
            self._emit(f"{name} = {lhs} {operator} {rhs}")

    def _binary(self) -> None:
        self._operation(self._matrix(), self._matrix(), MATRIX)

    def _reduce(self) -> None:
        axis = self._random.choice([0, 1])
        function = self._random.choice(["sum", "max", "min"])
        source = self._matrix()
        name = self._new(COLUMNS if axis == 0 else ROWS)
        self._emit(
            f"{name} = tl.{function}({source}, axis={axis})",
            f"{name} = {source}.{function}(axis={axis}).astype(i32)",
        )

    def _broadcast(self) -> None:
        kind = self._random.choice([ROWS, COLUMNS])
        name = self._pick(kind)
        if name is not None:
            index = "[:, None]" if kind == ROWS else "[None, :]"
            self._operation(self._matrix(), f"{name}{index}", MATRIX)

    def _vector(self) -> None:
        kind = self._random.choice([ROWS, COLUMNS])
        lhs, rhs = self._pick(kind), self._pick(kind)
        if lhs is not None and rhs is not None:
            self._operation(lhs, rhs, kind)

    def _total(self) -> None:
        source = self._pick(self._random.choice([ROWS, COLUMNS]))
        if source is not None:
            name = self._new(SCALAR)
            self._emit(
                f"{name} = tl.sum({source}, axis=0)",
                f"{name} = {source}.sum().astype(i32)",
            )

    def _transpose(self) -> None:
        if self.rows == self.columns:
            source = self._matrix()
            name = self._new(MATRIX)
            self._emit(f"{name} = tl.trans({source})", f"{name} = {source}.T")

    def _dot(self) -> None:
        if self.rows != self.columns or self.rows < 16:
            return
        # Small numbers, so that the sums of products are exact in f32.
        forms = [("{}", "{}"), ("tl.trans({})", "{}.T")]
        factors = [f"({self._matrix()} & 7)" for _ in range(2)]
        left, right = (
            [form.format(factor) for form in forms[self._random.randint(0, 1)]]
            for factor in factors
        )
        start = self._matrix()
        name = self._new(MATRIX)
        total = f"({start} & 1023).to(tl.float32)"
        widened = f"{left[0]}.to(tl.float32), {right[0]}.to(tl.float32)"
        self._emit(
            f"{name} = tl.dot({widened}, {total}, input_precision='ieee').to(tl.int32)",
            f"{name} = {left[1]} @ {right[1]} + ({start} & 1023)",
        )

    def _reshape(self) -> None:
        source = self._matrix()
        name = self._new(MATRIX)
        self._emit(
            f"{name} = tl.reshape(tl.reshape({source}, (C, R)) + 1, (R, C))",
            f"{name} = ({source}.reshape(C, R) + i32(1)).reshape(R, C)",
        )

    def _store(self) -> None:
        target, value = self._random.choice(["out", "out", "x", "y"]), self._matrix()
        if target == "out":
            self._store_out(value)
            return
        place = self._random.choice(PLACES)
        masks = (", mask=(c < m) & (r < R)", "(c < m) & (r < R)")
        if self._random.random() < 0.6:
            masks = ("", "True")
        self._emit(
            f"tl.store({target} + {place}, {value}{masks[0]})",
            f"scatter({target}, {place}, {value}, {masks[1]})",
        )

    def _store_out(self, value: str) -> None:
        place = f"{self.slots} * R * C + r * C + c"
        self.slots += 1
        self._emit(f"tl.store(out + {place}, {value})", f"out[{place}] = {value}")

    def _loop(self, depth: int) -> None:
        starts = {self._matrix() for _ in range(self._random.choice([1, 2]))}
        carried = []
        for start in sorted(starts):
            name = self._new(MATRIX)
            self._emit(f"{name} = {start} + 1", f"{name} = {start} + i32(1)")
            carried.append(name)
        outside = dict(self._kinds)
        trips = self._random.choice(["2", "3", "q"])
        self._emit(f"for _ in range(0, {trips}):")
        self._indent += 1
        for _ in range(self._random.randint(1, 4)):
            self._step(depth + 1)
        following = []
        for name in carried:
            source, new = self._matrix(), self._new(MATRIX)
            with_old = self._random.random() < 0.6
            self._emit(
                f"{new} = {source} ^ {name}" if with_old else f"{new} = {source}"
            )
            following.append(new)
        for name, new in zip(carried, following, strict=True):
            self._emit(f"{name} = {new}")
        self._indent -= 1
        self._kinds = outside

    def _branch(self, depth: int) -> None:
        condition = self._pick(SCALAR)
        if condition is None:
            return
        other = self._matrix()
        self._count += 1
        name = f"v{self._count}"
        outside = dict(self._kinds)
        self._emit(f"if {condition} > {self._random.randint(-50, 50)}:")
        self._indent += 1
        for _ in range(self._random.randint(1, 3)):
            self._step(depth + 1)
        inner = self._matrix()
        self._emit(f"{name} = {inner} + 1", f"{name} = {inner} + i32(1)")
        self._indent -= 1
        self._emit("else:")
        self._indent += 1
        self._emit(f"{name} = {other} - 1", f"{name} = {other} - i32(1)")
        self._indent -= 1
        self._kinds = {**outside, name: MATRIX}
