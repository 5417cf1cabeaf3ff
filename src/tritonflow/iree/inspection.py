# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What an artifact holds, without a device to run it on."""

from __future__ import annotations

import io
import os
import zipfile
from dataclasses import asdict
from typing import Any

from .artifact import FORMAT_VERSION, read_artifact
from .module import read_manifest

_MODULE = "module.fb"  # IREE's own name for the program inside its archive.


def describe(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Gives a JSON-able description of the artifact at `path`.

    Returns: the manifest's fields (`name`, `targets`, `inputs`, `outputs`,
        `parameters`, `kernels`, `toolchain`), and `artifact`, `bytes`, `format`,
        `device_needs`, `program_bytes` and `executables`: name and bytes of each piece
        of machine code.

    Raises: ArtifactError: not an intact artifact of ours.
    """
    subject = os.fspath(path)
    data, note = read_artifact(path)
    manifest = asdict(read_manifest(data, subject))
    sizes = _archive_sizes(data)
    return {
        "artifact": subject,
        "bytes": len(data),
        "format": FORMAT_VERSION,
        **{key: manifest[key] for key in ("name", "targets", "inputs", "outputs")},
        "parameters": manifest["parameters"],
        "kernels": list(manifest["kernels"]),
        "program_bytes": sizes.pop(_MODULE, 0),
        "executables": [
            {"name": name, "bytes": size} for name, size in sorted(sizes.items())
        ],
        "device_needs": note,
        "toolchain": manifest["toolchain"],
    }


def _archive_sizes(data: Any) -> dict[str, int]:
    """Bytes of every file in the module's archive, by name."""
    with zipfile.ZipFile(io.BytesIO(bytes(data))) as archive:
        return {entry.filename: entry.file_size for entry in archive.infolist()}
