# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The same kernel has the same key and the same bytes wherever its file lies."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from tritonflow.compiler.cache import KernelCache

KERNELS = """
import triton
import triton.language as tl

SCALE = tl.constexpr(3)

@triton.jit(noinline=True)
def put(p, o, v, n):
    tl.store(p + o, v, o < n)

@triton.jit
def rows(x, y, n, N: tl.constexpr):
    o = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + o, o < n, other=0.0) * SCALE
    tl.store(y + o, v / tl.sum(v, 0), o < n)
    put(y, n, 1.0, n + 1)

@triton.jit
def asserted(x, y, n, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, N))
    tl.device_assert(v > 0, "only positive numbers")
    tl.store(y + tl.arange(0, N), v)
"""

SCRIPT = """
import hashlib, json, sys
from pathlib import Path
import importlib
(file,) = Path(sys.argv[1]).glob("*.py")
sys.path.insert(0, str(file.parent))
kernels = importlib.import_module(file.stem)
from tritonflow.compiler.cache import KernelCache
from tritonflow.compiler.cache_entry import encode_entry
from tritonflow.compiler.compile import compile_kernel
from tritonflow.kernel.kernel import Kernel
from tritonflow.kernel.signature import ArrayArgument, ScalarArgument, specialize
from tritonflow.target import Target

x = ArrayArgument("float32", (100,))
arguments = {"x": x, "y": x, "n": ScalarArgument(100)}
spec = specialize(Kernel.of(kernels.rows), arguments, {"N": 64}, {})
found = {"spec": spec.key}
checked = specialize(
    Kernel.of(kernels.asserted), arguments, {"N": 64}, {"debug": True}
)
cache = KernelCache(Path(sys.argv[2]))
kernel = compile_kernel(checked, Target.parse("cuda:sm_80"), cache=cache)
assert b"only positive numbers" in kernel.binary
for text in ("cuda:sm_80", "cuda:sm_90", "rocm:gfx942", "cpu"):
    cache = KernelCache(Path(sys.argv[2]))
    try:
        kernel = compile_kernel(spec, Target.parse(text), cache=cache)
    except NotImplementedError:
        continue  # The CPU may not know an operation yet.
    found[text] = [kernel.key, kernel.parameters[1].written_at]
print(json.dumps(found))
"""


def build(file: Path, source: str, cache: Path, **environment: str) -> Any:
    folder = file.parent
    folder.mkdir(parents=True)
    file.write_text(source)
    command = [sys.executable, "-c", textwrap.dedent(SCRIPT), str(folder), str(cache)]
    done = subprocess.run(
        command, capture_output=True, text=True, env=os.environ | environment
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def digests(cache: Path) -> dict[str, str]:
    files = sorted(cache.rglob("*.kernel"))
    return {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in files}


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    """One kernel built in two processes, from two folders, one with added comments."""
    root = tmp_path_factory.mktemp("copies")
    commented = KERNELS.replace(
        "@triton.jit\ndef rows", "# Rows.\n@triton.jit\ndef rows"
    )
    commented = commented.replace("    put(y", "    # The end.\n    put(y")
    first = build(
        root / "a/first_name.py", KERNELS, root / "cache_a", PYTHONHASHSEED="1"
    )
    second = build(root / "some/where/b/other_name.py", commented, root / "cache_b")
    return root, first, second


def test_keys_are_equal(copies):
    _, first, second = copies
    assert first["spec"] == second["spec"]
    assert {k: v[0] for k, v in first.items() if k != "spec"} == {
        k: v[0] for k, v in second.items() if k != "spec"
    }


def test_bytes_are_equal(copies):
    root, first, _ = copies
    assert digests(root / "cache_a") == digests(root / "cache_b")
    assert len(digests(root / "cache_a")) == len(first) >= 4


def test_no_path_is_in_an_entry(copies):
    root, _, _ = copies
    for path in root.rglob("*.kernel"):
        content = path.read_bytes()
        for text in (
            str(root),
            "first_name",
            "other_name",
            "/tritonflow-",
            "/tmp",
            "site-packages",
        ):
            assert text.encode() not in content, (path, text)


def test_lines_are_those_of_the_copy_at_hand(copies):
    root, first, _ = copies
    commented = (root / "some/where/b/other_name.py").read_text()
    # The other copy's cache: a hit whose lines are still those of this copy.
    again = build(root / "c/first_name.py", "\n\n" + commented, root / "cache_a")
    for found, folder in ((first, "a"), (again, "c")):
        for target in found.keys() - {"spec"}:
            file, number = found[target][1].rsplit(":", 1)
            assert file == str(root / folder / "first_name.py")
            line = Path(file).read_text().split("\n")[int(number) - 1]
            assert line.startswith(("    tl.store(p + o", "    tl.store(y + o"))
    assert KernelCache(root / "cache_a").verify() == []
