# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Keys: equal for equal content wherever it lies, different for any other."""

from __future__ import annotations

import importlib.util
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import triton.language as tl

from tritonflow.errors import SignatureError, SourceLocation
from tritonflow.kernel.fingerprint import function_content, value_content
from tritonflow.kernel.kernel import Kernel
from tritonflow.kernel.source_lines import portable_line, present_line

SOURCE = """
import enum, math
import triton, triton.language as tl

WIDTH = tl.constexpr(16)
SCALE = 2.0

class Mode(enum.Enum):
    FAST = 1

class Settings:
    block = 8

@triton.jit
def leaf(x):
    return x + WIDTH

@triton.jit
def middle(x):
    return leaf(x) * 2

@triton.jit
def kernel(x, y, N: tl.constexpr = 4):
    o = tl.arange(0, N)
    if Settings.block == 8:
        tl.store(y + o, middle(tl.load(x + o)))
"""


def load(folder: Path, source: str, name: str = "kernels") -> Any:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.py"
    path.write_text(textwrap.dedent(source))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def content(tmp_path):
    number = iter(range(100))

    def content_of(source: str) -> str:
        folder = tmp_path / str(next(number))
        return function_content(load(folder, source).kernel)

    return content_of


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n@triton.jit\ndef kernel", "\n# A comment.\n\n@triton.jit\ndef kernel"),
        ("    o = tl.arange", "    # A comment inside.\n    o = tl.arange"),
        ("tl.arange(0, N)", "tl.arange(\n        0, N\n    )"),
        ("SCALE = 2.0", "SCALE = 3.0"),  # Nobody reads it.
        ("def leaf(x):", "def leaf(x):  # add"),
    ],
)
def test_what_does_not_change_the_function_keeps_the_key(content, old, new):
    assert old in SOURCE
    assert content(SOURCE) == content(SOURCE.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("constexpr(16)", "constexpr(32)"),
        ("return x + WIDTH", "return x - WIDTH"),
        ("leaf(x) * 2", "leaf(x) * 3"),
        ("N: tl.constexpr = 4", "N: tl.constexpr = 8"),
        ("block = 8", "block = 9"),
        ("@triton.jit\ndef leaf", "@triton.jit(noinline=True)\ndef leaf"),
        ("tl.arange(0, N)", "tl.arange(0, N) + 0"),
    ],
)
def test_what_changes_the_function_changes_the_key(content, old, new):
    assert old in SOURCE
    assert content(SOURCE) != content(SOURCE.replace(old, new))


def test_globals_count_with_their_present_value(tmp_path):
    module = load(tmp_path, SOURCE)
    before = function_content(module.kernel)
    module.WIDTH = tl.constexpr(64)
    changed = function_content(module.kernel)
    module.WIDTH = tl.constexpr(16)
    assert changed != before
    assert function_content(module.kernel) == before


def test_functions_that_call_each_other_have_a_content(content):
    recursive = SOURCE.replace("return x + WIDTH", "return middle(x)")
    assert content(recursive) == content(recursive)
    assert content(recursive) != content(SOURCE)


VALUES = [
    None, True, False, 0, 1, -1, 1.0, 0.0, -0.0, float("inf"), "1", "", b"1", (), (1,),
    (1, 2), ((1,), 2), (1, (2,)), ("1, 2",), [1], tl.float32, tl.float16, np.int32(1),
    np.int64(1), np.float32(1), tl.constexpr(1), {"a": 1},
]  # fmt: skip


def test_values_that_differ_have_different_content():
    texts = [value_content(value, subject="it") for value in VALUES]
    assert len(set(texts)) == len(VALUES)
    assert texts == [value_content(value, subject="it") for value in VALUES]


@pytest.mark.parametrize("value", [object(), np.zeros(2), lambda: 0, (1, object())])
def test_values_without_content_are_refused(value):
    with pytest.raises(SignatureError, match="parameter `N`: a value of type"):
        value_content(value, subject="parameter `N`")


def test_a_line_is_found_again_in_another_copy(tmp_path):
    here = load(tmp_path / "a", SOURCE)
    moved = SOURCE.replace("    o = tl", "    # One.\n    # Two.\n    o = tl")
    there = load(tmp_path / "b", "# Above.\n" + moved)
    rows = SOURCE.split("\n")
    for text, shift in (("    return x + WIDTH", 1), ("        tl.store", 3)):
        line = next(i for i, row in enumerate(rows, 1) if row.startswith(text))
        location = SourceLocation(str(tmp_path / "a" / "kernels.py"), line)
        portable = portable_line(Kernel.of(here.kernel), location)
        assert str(tmp_path) not in portable
        found = present_line(Kernel.of(there.kernel), portable)
        assert found == f"{tmp_path}/b/kernels.py:{line + shift}"
