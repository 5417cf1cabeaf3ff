# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Random kernels on a GPU, each compared with NumPy bit by bit.

    python tests/gpu/abi_fuzz.py --count 100 --target cuda:sm_90 --device cuda

The last lines are a table of what ran; the exit status is 1 if anything differed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tests.numerics.abi_fuzz import (  # noqa: E402  (needs the path above)
    FuzzKernel,
    Number,
    random_kernels,
)
from tests.numerics.abi_fuzz_run import find_mismatches  # noqa: E402

OLDEST_WITH_FLOAT8_E4M3 = 89


def main() -> int:
    """Runs the kernels that the command line asks for and prints what happened."""
    options = _options()
    without = () if _has_float8_e4m3(options.target) else ("float8_e4m3fn",)
    kernels = random_kernels(options.seed, options.count, without=without)
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        mismatches = find_mismatches(
            kernels, Path(folder), target=options.target, device=options.device
        )
    seconds = time.perf_counter() - start
    for mismatch in mismatches:
        print(f"mismatch: {mismatch}")
    print(_table(kernels, mismatches, seconds, options))
    return int(bool(mismatches))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--target", default="cuda:sm_90")
    parser.add_argument("--device", default="cuda")
    return parser.parse_args()


def _has_float8_e4m3(target: str) -> bool:
    backend, _, chip = target.partition(":")
    return backend == "cpu" or (
        backend == "cuda" and int(chip.removeprefix("sm_")) >= OLDEST_WITH_FLOAT8_E4M3
    )


def _table(
    kernels: Sequence[FuzzKernel],
    mismatches: Sequence[str],
    seconds: float,
    options: argparse.Namespace,
) -> str:
    parameters = [p for kernel in kernels for p in kernel.parameters]
    numbers = [p for p in parameters if isinstance(p, Number)]
    rows = [
        ("kernels", len(kernels)),
        ("numbers passed by value", len(numbers)),
        ("buffers", len(parameters) - len(numbers)),
        ("outputs", sum(len(kernel.out_order) for kernel in kernels)),
        ("outputs that differ", len(mismatches)),
        ("seconds, compilation included", f"{seconds:.1f}"),
    ]
    title = f"ABI fuzz, {options.target} on {options.device}, seed {options.seed}"
    lines = [f"| {title} | |", "|---|---|"]
    return "\n".join(lines + [f"| {name} | {value} |" for name, value in rows])


if __name__ == "__main__":
    sys.exit(main())
