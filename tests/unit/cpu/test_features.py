# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What the lowering knows of CPUs."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from tritonflow.cpu.features import features_of, host_features
from tritonflow.target import Target


@pytest.mark.parametrize(
    ("name", "bits", "registers", "lanes"),
    [
        ("x86-64", 128, 16, 16),
        ("x86-64-v3", 256, 16, 32),
        ("znver5", 512, 32, 64),
        ("some-cpu-of-the-future", 128, 16, 16),
    ],
)
def test_named_cpus(name: str, bits: int, registers: int, lanes: int) -> None:
    features = features_of(Target.parse(f"cpu:{name}"))
    assert features.vector_bits == bits
    assert features.vector_registers == registers
    assert features.strip_lanes == lanes


def test_features_have_the_names_of_llvm() -> None:
    assert features_of(Target.parse("cpu:znver4")).has("avx512bf16")
    assert not features_of(Target.parse("cpu:skylake-avx512")).has("avx512bf16")


@pytest.mark.skipif(platform.machine() != "x86_64", reason="reads x86 flags")
def test_host() -> None:
    flags = Path("/proc/cpuinfo").read_text()
    assert features_of(Target.parse("cpu")) == host_features()
    assert host_features().has("avx2") == (" avx2 " in flags)
    assert host_features().has("avx512bf16") == (" avx512_bf16 " in flags)
