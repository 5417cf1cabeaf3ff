# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Imports stay light and go one way."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "tritonflow"

# A layer may import those before it.
LAYERS = [
    {"errors", "target", "config", "mlir"},
    {"kernel"},
    {"cpu"},
    {"compiler"},
    {"dialect"},
    {"passes"},
    {"jax"},
    {"iree"},
    {"cli"},
]
HEAVY = ("jax", "jaxlib", "triton", "iree", "torch", "numpy", "click", "rich")


def import_statements(path: Path) -> list[ast.Import | ast.ImportFrom]:
    nodes = ast.walk(ast.parse(path.read_text()))
    return [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]


def imported_parts(path: Path) -> set[str]:
    """Gives the parts of the package that a file imports, anywhere in it."""
    package = ("tritonflow", *path.relative_to(SOURCE).parent.parts)
    parts: set[str] = set()
    for node in import_statements(path):
        if isinstance(node, ast.Import) or not node.level:
            text = ast.unparse(node)
            assert "tritonflow" not in text, f"{path}: relative imports only: {text}"
            continue
        base = package[: len(package) - node.level + 1]
        full = [part for part in (*base, *(node.module or "").split(".")) if part]
        parts.update([full[1]] if len(full) > 1 else [n.name for n in node.names])
    return parts


@pytest.mark.parametrize(
    "path", sorted(SOURCE.rglob("*.py")), ids=lambda p: str(p.relative_to(SOURCE))
)
def test_imports_go_one_way(path: Path) -> None:
    part = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    if part == "__init__":
        return
    level = next(i for i, layer in enumerate(LAYERS) if part in layer)
    allowed = set().union(*LAYERS[: level + 1], {"__version__"})
    assert imported_parts(path) <= allowed


def test_only_one_file_imports_mlir_bindings() -> None:
    bindings = ("iree.compiler.ir", "iree.compiler.dialects", "jaxlib.mlir")
    for path in SOURCE.rglob("*.py"):
        if path == SOURCE / "mlir.py":
            continue
        for node in import_statements(path):
            text = ast.unparse(node)
            assert not any(name in text for name in bindings), f"{path}: {text}"
            assert text != "from iree.compiler import ir", f"{path}: {text}"


def test_import_loads_nothing_heavy() -> None:
    code = (
        "import sys, tritonflow\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules])\n"
        "assert callable(tritonflow.__getattr__)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_import_changes_no_environment() -> None:
    code = (
        "import os\nbefore = dict(os.environ)\n"
        "import tritonflow, tritonflow.jax.triton_call, tritonflow.iree.compile\n"
        "import tritonflow.iree.session, tritonflow.compiler.compile\n"
        "changed = {k for k in set(before) | set(os.environ)\n"
        "           if before.get(k) != os.environ.get(k)}\n"
        "print(sorted(k for k in changed if k.startswith(('TRITON', 'IREE', 'CUDA'))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
