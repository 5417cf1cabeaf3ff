# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The part of a compiled kernel's key that is not the kernel: tools and target."""

from __future__ import annotations

import functools
import hashlib
import json
from importlib import metadata
from pathlib import Path

from ..kernel.specialization import Specialization
from ..target import Target

_KEY_SCHEMA = 1
_SOURCES = {
    "cpu": ("mlir.py", "target.py", "kernel", "compiler", "cpu"),
    "cuda": ("mlir.py", "target.py", "kernel", "compiler"),
    "rocm": ("mlir.py", "target.py", "kernel", "compiler"),
}


def compiled_key(spec: Specialization, target: Target) -> str:
    """Gives the key of what compiling `spec` for `target` makes with these tools.

    It is the same on every machine with the same kernel and toolchain; for the host
    CPU, with the same CPU features.
    """
    content = {
        "schema": _KEY_SCHEMA,
        "kernel": spec.key,
        "target": str(target),
        "toolchain": _toolchain(target.backend),
        "settings": _settings(),
        "features": _cpu_features(target) if target.backend == "cpu" else "",
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


@functools.cache
def _toolchain(backend: str) -> dict[str, str]:
    """Gives what compiles for a device kind: versions, and our own source."""
    packages = ["triton", "jaxlib"]
    if backend == "cpu":
        packages.append("iree-base-compiler")
    versions = {package: metadata.version(package) for package in packages}
    return versions | {"tritonflow": _source_digest(_SOURCES[backend])}


def _source_digest(names: tuple[str, ...]) -> str:
    root = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for name in names:
        path = root / name
        files = sorted(path.glob("*.py")) if path.is_dir() else [path]
        for file in files:
            digest.update(f"{name}/{file.name}\n".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _settings() -> dict[str, str]:
    """Gives the environment variables by which Triton compiles differently."""
    from triton._C.libtriton import get_cache_invalidating_env_vars

    return dict(sorted(get_cache_invalidating_env_vars().items()))


def _cpu_features(target: Target) -> str:
    from ..cpu.features import features_of

    features = features_of(target)
    return f"{features.vector_bits} {' '.join(sorted(features.flags))}"
