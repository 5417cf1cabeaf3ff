# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Programs in forked processes and threads, and writers that are killed."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
from tests.robustness.kernels import copy

import tritonflow
from tritonflow.errors import UnsupportedError

ROOT = Path(__file__).resolve().parents[2]
X = np.random.default_rng(0).standard_normal(3000).astype(np.float32)

WRITER = """
import sys
import numpy as np
import tritonflow
from tests.robustness.kernels import copy
x = np.arange(100, dtype=np.float32)
for block in map(int, sys.argv[2:]):
    def fn(x):
        return copy(x, BLOCK=block, grid=(100 // block + 1,))
    program = tritonflow.compile(fn, x, target="cpu")
    np.testing.assert_array_equal(np.asarray(program(x)), x)
    program.save(sys.argv[1])
    print("done", flush=True)
"""


def writer(path: Path, cache: Path, *blocks: int) -> subprocess.Popen[str]:
    """A process that compiles, runs and saves a program for each size of block."""
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), *map(str, blocks)],
        cwd=ROOT,
        env={**os.environ, "TRITONFLOW_CACHE_DIR": str(cache)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> None:
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors


def in_fork(work: Any) -> None:
    """Runs `work` in a forked child; fails if it fails there or hangs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # JAX warns of every fork.
        process = multiprocessing.get_context("fork").Process(target=work)
        process.start()
    process.join(30)
    if process.exitcode is None:
        process.kill()
        pytest.fail("the forked child hangs")
    assert process.exitcode == 0


@pytest.mark.parametrize("threads", [1, 2])
def test_forked_children_run_programs_of_their_parent(
    tmp_path: Path, threads: int
) -> None:
    path = tmp_path / "p.vmfb"
    tritonflow.compile(lambda x: jnp.tanh(copy(x)), X, target="cpu").save(path)
    program = tritonflow.load(path, threads=threads)
    result = program(X)
    expected = np.asarray(result).copy()

    def child() -> None:
        np.testing.assert_array_equal(np.asarray(program(X)), expected)
        np.testing.assert_array_equal(np.asarray(result), expected)
        program(result)
        other = tritonflow.load(path, threads=threads)
        np.testing.assert_array_equal(np.asarray(other(X)), expected)

    in_fork(child)
    in_fork(child)
    np.testing.assert_array_equal(np.asarray(program(X)), expected)


def test_compiling_after_a_fork_is_refused_and_does_not_hang() -> None:
    tritonflow.compile(lambda x: x + 1, X, target="cpu")

    def child() -> None:
        with pytest.raises(UnsupportedError, match="forked from one that has compiled"):
            tritonflow.compile(lambda x: x + 2, X, target="cpu")

    in_fork(child)


def test_threads_compile_and_run_at_once() -> None:
    failures = []

    def work(index: int) -> None:
        try:
            block = 16 << index
            fn = lambda x: copy(x, BLOCK=block, grid=(3000 // block + 1,))  # noqa: E731
            program = tritonflow.compile(fn, X, target="cpu")
            for shift in range(50):
                x = X + np.float32(shift)
                np.testing.assert_array_equal(np.asarray(program(x)), x)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_two_processes_write_one_artifact_and_one_cache(tmp_path: Path) -> None:
    path, cache = tmp_path / "p.vmfb", tmp_path / "cache"
    both = [writer(path, cache, 16) for _ in range(2)]
    for process in both:
        finish(process)
    x = np.arange(100, dtype=np.float32)
    np.testing.assert_array_equal(np.asarray(tritonflow.load(path)(x)), x)
    assert [p.name for p in tmp_path.iterdir() if p.suffix == ".part"] == []


@pytest.mark.slow
def test_a_compile_that_is_killed_leaves_nothing_half(tmp_path: Path) -> None:
    path, cache = tmp_path / "p.vmfb", tmp_path / "cache"
    chance = random.Random(0)
    x = np.arange(100, dtype=np.float32)
    for _ in range(8):
        process = writer(path, cache, 16, 32, 64, 128)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(chance.random() * 2)
        process.send_signal(signal.SIGKILL)
        process.wait()
        np.testing.assert_array_equal(np.asarray(tritonflow.load(path)(x)), x)
    finish(writer(path, cache, 16, 32, 64, 128))
    np.testing.assert_array_equal(np.asarray(tritonflow.load(path)(x)), x)
