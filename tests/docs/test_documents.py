# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The Python of the README and of each guide runs, top to bottom, in one process."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if "```python" in page.read_text()
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_runs(page: Path, tmp_path: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S)
    script = tmp_path / "page.py"  # @triton.jit reads the source of a file.
    script.write_text("\n".join(blocks))
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize("page", [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
def test_links_lead_somewhere(page: Path) -> None:
    prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", prose):
        if not link.startswith("http"):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


def test_architecture_shows_what_the_compiler_makes() -> None:
    """The page is compared where the versions that wrote it are installed."""
    script = ROOT / "docs" / "make_architecture.py"
    names = ("triton", "jax", "iree-base-compiler")
    line = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)
    if line not in (ROOT / "docs" / "architecture.md").read_text():
        pytest.skip(f"docs/architecture.md was not made with {line}")
    done = subprocess.run(
        [sys.executable, str(script), "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
