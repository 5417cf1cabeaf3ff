# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Loading and calling programs on an NVIDIA GPU."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from tests.gpu.device import NEEDS_GPU, chip

import tritonflow
from tritonflow.errors import SignatureError, TargetError
from tritonflow.iree.cuda_driver import CudaDriver

pytestmark = NEEDS_GPU

DTYPES = ["bool", "int8", "int32", "uint32", "float16", "bfloat16", "float32"]
DTYPES += ["complex64", "float8_e4m3fn"]


def _random(
    shape: tuple[int, ...], dtype: str = "float32", seed: int = 0
) -> np.ndarray:
    values = np.random.default_rng(seed).normal(size=shape) * 10
    return np.abs(values).astype(getattr(ml_dtypes, dtype, dtype))


@pytest.fixture(scope="module")
def program() -> tritonflow.Program:
    """`(tanh(x @ w), x + y)` for any number of rows; IREE's own dispatches alone."""
    (n,) = jax.export.symbolic_shape("n")
    x = jax.ShapeDtypeStruct((n, 64), jnp.float32)
    w = jax.ShapeDtypeStruct((64, 32), jnp.float32)
    return tritonflow.compile(
        lambda x, w, y: (jnp.tanh(x @ w), x + y), x, w, x, target=chip()
    )


def _expected(x: Any, w: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    return np.tanh(np.asarray(x) @ np.asarray(w)), np.asarray(x) + np.asarray(y)


@pytest.mark.parametrize("n", [0, 1, 3, 128])
@pytest.mark.parametrize("source", ["numpy", "jax", "host"])
def test_arrays_from_anywhere(program: tritonflow.Program, n: int, source: str) -> None:
    cpu = jax.devices("cpu")[0]
    place = {
        "numpy": lambda a: a,
        "jax": jnp.asarray,
        "host": lambda a: jax.device_put(a, cpu),
    }[source]
    x, y = _random((n, 64)) / 50, _random((n, 64), seed=1)
    w = _random((64, 32), seed=2) / 50
    results = program(place(x), place(w), place(y))
    for result, expected in zip(results, _expected(x, w, y), strict=True):
        assert result.__dlpack_device__() == (2, 0)
        np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-3, atol=1e-3)


def test_every_element_type_goes_in_and_out() -> None:
    values = {name: _random((2, 5), name) for name in DTYPES}

    def swap(tree: dict[str, Any]) -> dict[str, Any]:
        return {k: jnp.concatenate([x[1:], x[:1]]) for k, x in tree.items()}

    program = tritonflow.compile(swap, values, target=chip())
    for place in (np.asarray, jnp.asarray):
        results = program({name: place(x) for name, x in values.items()})
        again = program(results)
        for name, x in values.items():
            np.testing.assert_array_equal(np.asarray(results[name]), x[::-1])
            np.testing.assert_array_equal(np.asarray(again[name]), x)


def test_jax_shares_memory_both_ways(program: tritonflow.Program) -> None:
    x, w = jnp.asarray(_random((8, 64))), jnp.asarray(_random((64, 32)))
    result = program(x, w, x)[1]
    shared = jax.dlpack.from_dlpack(result)
    assert next(iter(shared.devices())).platform in ("gpu", "cuda")
    second = jax.dlpack.from_dlpack(result)
    assert shared.unsafe_buffer_pointer() == second.unsafe_buffer_pointer()
    again = program(shared, w, shared * 2)[1]
    np.testing.assert_array_equal(np.asarray(again), np.asarray(x) * 6)
    del result
    gc.collect()
    np.testing.assert_array_equal(np.asarray(shared), np.asarray(x) * 2)


def test_pending_values_are_waited_for(program: tritonflow.Program) -> None:
    w = jnp.asarray(_random((64, 32)))
    slow = jax.jit(lambda a: jax.lax.fori_loop(0, 2000, lambda _, v: v + 1.0, a))
    x = slow(jnp.zeros((4096, 64)))
    result = program(x, w, x)[1]
    np.testing.assert_array_equal(np.asarray(result), np.full((4096, 64), 4000.0))


def test_callers_array_is_never_written_to() -> None:
    x = jnp.asarray(_random((8, 8)))
    before = np.array(x)
    program = tritonflow.compile(
        lambda x: (x, x.at[0].set(1.0)), np.asarray(x), target=chip()
    )
    same, changed = program(x)
    np.testing.assert_array_equal(np.asarray(x), before)
    np.testing.assert_array_equal(np.asarray(same), before)
    assert (np.asarray(changed)[0] == 1).all()
    last = program(changed)[1]
    np.testing.assert_array_equal(np.asarray(last), np.asarray(changed))


def test_out_receives_results(program: tritonflow.Program) -> None:
    x, w = _random((8, 64)) / 50, _random((64, 32)) / 50
    expected = _expected(x, w, x)
    host = (np.zeros((8, 32), np.float32), np.zeros((8, 64), np.float32))
    program(x, w, x, out=host)
    mine = program(np.zeros_like(x), w, x)
    assert program(x, w, x, out=mine) is mine
    for outs in (host, mine):
        for out, wanted in zip(outs, expected, strict=True):
            np.testing.assert_allclose(np.asarray(out), wanted, rtol=1e-3, atol=1e-3)


def test_weights_from_a_file(tmp_path: Path) -> None:
    weights = {"w": _random((64, 32)) / 50, "odd": _random((3,), "bfloat16")}

    def model(p: dict[str, Any], x: Any) -> Any:
        return (x @ p["w"]).sum() + p["odd"].astype(jnp.float32).sum()

    x = _random((8, 64)) / 50
    program = tritonflow.compile(
        model, weights, x, target=chip(), param_argnums=0, name="m"
    )
    program.save(tmp_path / "m.vmfb")
    program.save_parameters(tmp_path / "m.safetensors")
    expected = (x @ weights["w"]).sum() + weights["odd"].astype(np.float32).sum()
    for source in (tmp_path / "m.safetensors", weights):
        loaded = tritonflow.load(tmp_path / "m.vmfb", parameters=source)
        np.testing.assert_allclose(np.asarray(loaded(x)), expected, rtol=1e-3)


def test_threads_share_a_program(program: tritonflow.Program) -> None:
    w, failures = _random((64, 32)), []

    def work(seed: int) -> None:
        x = _random((16, 64), seed=seed)
        for _ in range(50):
            if not np.array_equal(np.asarray(program(x, w, x)[1]), x + x):
                failures.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_device_and_chip_must_fit(program: tritonflow.Program, tmp_path: Path) -> None:
    path = tmp_path / "p.vmfb"
    program.save(path)
    with pytest.raises(TargetError, match="this machine has"):
        tritonflow.load(path, device="cuda:99")
    with pytest.raises(TargetError, match="cannot run on cpu"):
        tritonflow.load(path, device="cpu")
    x = np.ones(4, np.float32)
    other = "cuda:sm_120" if CudaDriver(0).compute_capability < 120 else "cuda:sm_90"
    tritonflow.compile(lambda x: x * 2, x, target=other).save(path)
    with pytest.raises(TargetError, match="the chip of this device"):
        tritonflow.load(path, device="cuda")
    with pytest.raises(SignatureError):
        program(x, x, x)


_RUN_WITHOUT_DRIVER_COMPILER = """
import sys, numpy as np, tritonflow
program = tritonflow.load(sys.argv[1], device="cuda")
print(float(np.asarray(program(np.full(4, 3, np.float32))).sum()))
"""


@pytest.mark.parametrize(
    ("chips", "runs"),
    [([0], True), ([-1, 0], True), ([-1], False)],
    ids=["own", "older and own", "older"],
)
def test_loading_compiles_nothing(tmp_path: Path, chips: list[int], runs: bool) -> None:
    """With the driver's compiler forbidden, only machine code for the chip runs."""
    own = CudaDriver(0).compute_capability
    if own < 90:
        pytest.skip("needs a chip of a later generation than sm_80")
    targets = [chip() if age == 0 else "cuda:sm_80" for age in chips]
    x = np.ones(4, np.float32)
    program = tritonflow.compile(lambda x: jnp.sin(x) + x, x, target=targets)
    program.save(tmp_path / "p.vmfb")
    for forbid, expected in (("1", runs), ("0", True)):
        done = subprocess.run(
            [sys.executable, "-c", _RUN_WITHOUT_DRIVER_COMPILER, tmp_path / "p.vmfb"],
            env={
                **os.environ,
                "CUDA_DISABLE_PTX_JIT": forbid,
                "CUDA_CACHE_DISABLE": "1",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode == 0) == expected, done.stderr
        if expected:
            total = 4 * (np.sin(np.float32(3)) + 3)
            assert abs(float(done.stdout) - total) < 1e-3
