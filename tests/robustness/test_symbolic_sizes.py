# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Sizes that no value of a symbol gives, and constraints that a call breaks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import jax
import numpy as np
import pytest
from tests.robustness.kernels import copy

import tritonflow
from tritonflow.errors import LaunchError, SignatureError


def compile_for(
    shapes: Sequence[str], constraints: Sequence[str] = ()
) -> tritonflow.Program:
    """The sum of the arguments' sums, each copied by a kernel first."""
    scope = jax.export.SymbolicScope(constraints)
    types = [
        jax.ShapeDtypeStruct(jax.export.symbolic_shape(s, scope=scope), np.float32)
        for s in shapes
    ]
    return tritonflow.compile(
        lambda *xs: sum(copy(x).sum() for x in xs), *types, target="cpu"
    )


def call(program: tritonflow.Program, *shapes: tuple[int, ...]) -> None:
    arrays = [np.random.default_rng(0).random(s).astype(np.float32) for s in shapes]
    expected = sum(a.astype(np.float64).sum() for a in arrays)
    np.testing.assert_allclose(np.asarray(program(*arrays)), expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("sizes", "fits", "wrong"),
    [
        (["2*b"], [(0,), (2,), (10,)], [(1,), (7,)]),
        (["b + 3"], [(3,), (8,)], [(0,), (2,)]),
        (["3*b + 1"], [(1,), (4,)], [(0,), (3,)]),
        (["b", "b + 1"], [(0, 1), (4, 5)], [(4, 4), (0, 0), (4, 6)]),
        (["b + 1", "2*b"], [(1, 0), (4, 6)], [(0, 0), (4, 4)]),
        (["b", "b*b"], [(0, 0), (3, 9)], [(3, 8), (2, 9)]),
        (["b", "c", "b*c + b"], [(2, 3, 8), (0, 3, 0)], [(2, 3, 6)]),
    ],
    ids=str,
)
def test_sizes_that_no_symbol_gives(sizes: list, fits: list, wrong: list) -> None:
    program = compile_for(sizes)
    for one in fits:
        call(program, *((size,) for size in one))
    for one in wrong:
        with pytest.raises(SignatureError, match=r"argument `xs\d`: got float32\["):
            call(program, *((size,) for size in one))


def test_constraints_hold_in_every_call(tmp_path: Path) -> None:
    program = compile_for(["b", "c"], ["b >= c", "mod(b, 4) == 0", "c <= 8"])
    program.save(tmp_path / "p.vmfb")
    for each in (program, tritonflow.load(tmp_path / "p.vmfb")):
        call(each, (4,), (4,))
        call(each, (12,), (8,))
        for b, c, broken in [(4, 5, "b >= c"), (6, 1, r"4|mod"), (12, 9, "c <= 8")]:
            with pytest.raises(
                SignatureError, match=f"= ({b}|{c}).*expected .*{broken}"
            ):
                call(each, (b,), (c,))


def test_grid_over_the_limit_at_run_time() -> None:
    (b,) = jax.export.symbolic_shape("b")
    program = tritonflow.compile(
        lambda x: copy(x, grid=(1, 1, b), n=1, BLOCK=1),
        jax.ShapeDtypeStruct((b,), np.int8),
        target="cpu",
    )
    program(np.zeros(65535, np.int8))
    with pytest.raises(LaunchError, match=r"copy_kernel along z: more than 65535"):
        program(np.zeros(65536, np.int8))
    program(np.zeros(3, np.int8))  # It goes on after a failure.
