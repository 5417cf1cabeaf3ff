# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/architecture.md: one kernel through every stage, with its real IR.

    python docs/make_architecture.py            # writes the page
    python docs/make_architecture.py --check    # fails if the page is out of date

The text stands in architecture.template; each line `{{stage}}` becomes that stage's
IR, as the installed versions make it.
"""

from __future__ import annotations

import difflib
import importlib.metadata
import inspect
import re
import sys
import textwrap
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent / "examples"))

PAGE = DOCS / "architecture.md"
TEMPLATE = DOCS / "architecture.template"
# Named, so that every machine writes the same page.
CPU, CHIPS = "cpu:x86-64-v4", ("cuda:sm_80", "cuda:sm_90")
LINE_WIDTH = 100
LONGEST_LISTING = 60


def main() -> int:
    """Writes or checks the page."""
    page = fill(TEMPLATE.read_text(), stages())
    if "--check" not in sys.argv:
        PAGE.write_text(page)
        return 0
    old, new = PAGE.read_text().splitlines(), page.splitlines()
    difference = list(difflib.unified_diff(old, new, "is", "should be", lineterm=""))
    print("\n".join(difference) or "docs/architecture.md is up to date")
    return bool(difference)


def stages() -> dict[str, str]:
    """Gives the text of each stage of `examples/vector_add.py`, by name."""
    import jax
    import vector_add

    from tritonflow.compiler.compile import compile_kernel
    from tritonflow.jax.export import export_program
    from tritonflow.target import Target

    vector = jax.ShapeDtypeStruct((5000,), jax.numpy.float32)
    exported = export_program(vector_add.vector_add, (vector, vector))
    targets = [Target.parse(text) for text in (CPU, *CHIPS)]
    kernels = {
        key: {target: compile_kernel(spec, target) for target in targets}
        for key, spec in exported.kernels.items()
    }
    by_target = next(iter(kernels.values()))
    cpu, gpu = by_target[targets[0]], by_target[targets[-1]]
    return {
        "versions": versions(),
        "kernel": inspect.getsource(vector_add.add_kernel.fn),
        "stablehlo": exported.text,
        "ttir": gpu.ttir,
        "ptx": _code_of(gpu.ptx),
        "cpu_code": cpu.cpu_code,
        **_passes(exported.text, kernels, tuple(targets[1:]), "cuda"),
        **_passes(exported.text, kernels, (targets[0],), "cpu"),
    }


def versions() -> str:
    """Gives the line that says what made the page."""
    names = ("triton", "jax", "iree-base-compiler")
    return ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)


def _passes(text: str, kernels: dict, targets: tuple, prefix: str) -> dict[str, str]:
    """Gives the program after each pass, by `prefix:pass-name`."""
    from tritonflow.mlir import parse_module
    from tritonflow.passes.base import PassOptions
    from tritonflow.passes.pipelines import program_pipeline
    from tritonflow.passes.registry import create_pass

    options = PassOptions(targets=targets, kernels=kernels)
    module = parse_module(text)
    after = {}
    for name in program_pipeline(targets):
        create_pass(name, options).apply(module)
        after[f"{prefix}:{name}"] = str(module)
    return after


def _code_of(ptx: str) -> str:
    """PTX without comments and blank lines."""
    lines = (line.split("//")[0].rstrip() for line in ptx.splitlines())
    return "\n".join(line for line in lines if line)


def fill(template: str, texts: dict[str, str]) -> str:
    """Gives the template with each `{{stage}}` line replaced by the stage's text."""
    return re.sub(
        r"^\{\{(.+)\}\}$", lambda m: _listing(texts[m[1]]), template, flags=re.M
    )


def _listing(text: str) -> str:
    """Cuts bytes and long listings, says where, and wraps long lines.

    Files are named from the top of the project, as on any machine.
    """
    text = text.replace(f"{DOCS.parent}/", "")
    text = re.sub(r'"0x[0-9A-F]{40,}"', '"0x…"', text.strip())
    text = re.sub(r"dense<\[[^\]]{60,}\]>", "dense<[…]>", text)
    lines = [piece for line in text.splitlines() for piece in _wrap(line)]
    if len(lines) > LONGEST_LISTING:
        left_out = len(lines) - LONGEST_LISTING
        lines = [*lines[:LONGEST_LISTING], f"… {left_out} more lines"]
    return "\n".join(lines)


def _wrap(line: str) -> list[str]:
    """Breaks a long line at its spaces; what follows stands further in."""
    if len(line) <= LINE_WIDTH:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()))
    return textwrap.wrap(
        line.strip(),
        LINE_WIDTH,
        initial_indent=indent,
        subsequent_indent=f"{indent}      ",
        break_long_words=False,
        break_on_hyphens=False,
    )


if __name__ == "__main__":
    sys.exit(main())
