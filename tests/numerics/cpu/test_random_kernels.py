# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Random kernels give exactly what the same steps give in NumPy."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from .harness import Launch, run
from .random_kernels import HEADER, RandomKernel

BATCH = 20


def _module(kernels: list[RandomKernel], path: Path) -> ModuleType:
    path.write_text(HEADER + "\n".join(kernel.text for kernel in kernels))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _arguments(kernel: RandomKernel) -> list[np.ndarray | int]:
    rng = np.random.default_rng(kernel.seed)
    count = kernel.rows * kernel.columns
    x, y = (rng.integers(-99, 99, count).astype(np.int32) for _ in range(2))
    out = np.zeros((kernel.slots + 1) * count, np.int32)
    return [x, y, out, count, max(1, kernel.columns - 3), 2]


@pytest.mark.parametrize(
    "first",
    [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(BATCH, 200, BATCH))],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_random_kernels(first: int, tmp_path: Path) -> None:
    kernels = [RandomKernel(seed) for seed in range(first, first + BATCH)]
    module = _module(kernels, tmp_path / f"kernels{first}.py")
    launches, expected = [], []
    for kernel in kernels:
        constants = {"R": kernel.rows, "C": kernel.columns}
        function = getattr(module, f"kernel{kernel.seed}")
        launches.append(Launch(function, _arguments(kernel), (1,), constants))
        wanted = _arguments(kernel)
        getattr(module, f"expected{kernel.seed}")(*wanted, *constants.values())
        expected.append(wanted)
    run(*launches)
    for kernel, launch, wanted in zip(kernels, launches, expected, strict=True):
        for name, got, value in zip(("x", "y", "out"), launch.arguments, wanted):  # noqa: B905 (scalars follow)
            message = f"`{name}` of kernel {kernel.seed}:\n{kernel.text}"
            np.testing.assert_array_equal(got, value, message)
