# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Runs every `.mlir` file of this folder, each of which tests one pass."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tritonflow.passes.registry import PASSES

FOLDER = Path(__file__).parent
LIT = Path(sys.executable).with_name("lit")


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.mlir")), ids=lambda f: f.stem)
def test_file(file: Path) -> None:
    done = subprocess.run([LIT, "-v", str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", PASSES)
def test_every_pass_has_a_file(name: str) -> None:
    assert (FOLDER / f"{name}.mlir").exists()
