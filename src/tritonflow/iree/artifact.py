# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Artifact files: an IREE module that stock tools run, sealed with a checksum.

IREE's modules are zip archives as well, and a zip archive may end in a comment, which
IREE does not read. The seal is that comment:

| part | bytes |
|---|---|
| JSON: what the module needs of its device | `note_bytes` |
| `TRITFLOW` | 8 |
| version of this format, `note_bytes` | 4, 4 |
| bytes of the whole file | 8 |
| SHA-256 of everything before it | 32 |
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import mmap
import os
import struct
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ArtifactError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer

FORMAT_VERSION = 1
"""Raised whenever an older tritonflow could not run the file."""

_MAGIC = b"TRITFLOW"
_SEAL = struct.Struct("<8sIIQ32s")
_DIGEST_BYTES = 32
_ZIP_MAGIC = b"PK\x03\x04"
_ZIP_END = b"PK\x05\x06"
_ZIP_END_BYTES = 22
_MAX_COMMENT_BYTES = 0xFFFF


def seal(module: bytes, note: Mapping[str, Any]) -> bytes:
    """Gives the artifact: IREE's `module` with `note` and a checksum at its end.

    Args:
        module: a VM module in IREE's polyglot zip form, not sealed yet.
        note: JSON-able facts that are known only after compilation.

    Raises: ArtifactError: if `module` is not of that form, or `note` is over 65 kB.
    """
    if module[-_ZIP_END_BYTES:][:4] != _ZIP_END:
        raise ArtifactError("a module of IREE: it does not end as a zip archive does.")
    text = json.dumps(note, sort_keys=True, separators=(",", ":")).encode()
    comment_bytes = len(text) + _SEAL.size
    if comment_bytes > _MAX_COMMENT_BYTES:
        raise ArtifactError(f"the note is {len(text)} bytes, expected at most 65,000.")
    total = len(module) + comment_bytes
    head = module[:-2] + comment_bytes.to_bytes(2, "little") + text
    head += _SEAL.pack(_MAGIC, FORMAT_VERSION, len(text), total, b"")[:-_DIGEST_BYTES]
    return head + hashlib.sha256(head).digest()


def unseal(data: bytes | mmap.mmap, subject: str) -> dict[str, Any]:
    """Gives the note of the artifact `data` after checking every byte of it.

    Args:
        subject: what the messages call the artifact, such as its path.

    Raises: ArtifactError: foreign, truncated, altered, or of a later format.
    """
    if len(data) < _SEAL.size or data[-_SEAL.size :][: len(_MAGIC)] != _MAGIC:
        raise ArtifactError(_without_seal(data, subject))
    _, version, note_bytes, total, digest = _SEAL.unpack(data[-_SEAL.size :])
    view = memoryview(data)
    try:
        intact = hashlib.sha256(view[:-_DIGEST_BYTES]).digest() == digest
    finally:
        view.release()
    if not intact or total != len(data):
        raise ArtifactError(
            f"`{subject}`: the file is damaged: its checksum does not fit it.",
            hint="copy it again, or compile it again",
        )
    if version > FORMAT_VERSION:
        raise ArtifactError(
            f"`{subject}`: got an artifact of format {version}, expected at most "
            f"{FORMAT_VERSION}.",
            hint="a later tritonflow wrote it: upgrade, or compile it with this one",
        )
    return json.loads(data[-_SEAL.size - note_bytes : -_SEAL.size])


def _without_seal(data: bytes | mmap.mmap, subject: str) -> str:
    if len(data) == 0:
        return f"`{subject}`: the file is empty, expected an artifact of tritonflow."
    if data[: len(_ZIP_MAGIC)] == _ZIP_MAGIC:
        return (
            f"`{subject}`: the file is cut short or altered, or another tool wrote it: "
            "tritonflow's seal is not at its end."
        )
    return (
        f"`{subject}`: not an artifact of tritonflow: the file begins with "
        f"{bytes(data[:4])!r}, expected {_ZIP_MAGIC!r}."
    )


def read_artifact(path: str | os.PathLike[str]) -> tuple[mmap.mmap, dict[str, Any]]:
    """Gives the bytes of the artifact at `path`, in memory of their own, and its note.

    Raises: ArtifactError: no such file, or not an intact artifact.
    """
    subject = os.fspath(path)
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size == 0:
                raise ArtifactError(_without_seal(b"", subject))
            # A copy: what maps the file itself dies with it, by a signal, when another
            # process cuts it short, and runs what was never checked when one alters it.
            data = mmap.mmap(-1, size)
            file.readinto(data)
    except (OSError, ValueError) as error:
        raise ArtifactError(f"`{subject}`: cannot read the file: {error}") from error
    try:
        return data, unseal(data, subject)
    except ArtifactError:
        data.close()
        raise


def write_file(path: str | os.PathLike[str], chunks: Iterable[Buffer]) -> None:
    """Writes `chunks` so that `path` holds either its old contents or all of the new.

    A link stays a link, to a file of the new contents. What is no file, such as a pipe
    or `/dev/stdout`, stays what it is and is written to.

    Raises: ArtifactError: no such folder, no permission, a full disk.
    """
    if not os.fspath(path):
        raise ArtifactError("the file to write has an empty name.")
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        _write_into(target, chunks)
        return
    try:
        handle, partial = tempfile.mkstemp(
            prefix=f".{target.name}.", suffix=".part", dir=target.parent
        )
    except OSError as error:
        raise _cannot_write(target, error) from error
    try:
        with os.fdopen(handle, "wb") as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(partial, 0o666 & ~_umask())
        os.replace(partial, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(partial)
        if isinstance(error, OSError):
            raise _cannot_write(target, error) from error
        raise


def _write_into(device: Path, chunks: Iterable[Buffer]) -> None:
    try:
        with open(device, "wb") as file:
            file.writelines(chunks)
    except OSError as error:
        raise _cannot_write(device, error) from error


def write_folder(
    path: str | os.PathLike[str], contents: Mapping[str, str | bytes]
) -> None:
    """Writes `contents`, by file name, into the folder at `path`.

    Raises: ArtifactError: as `write_file`.
    """
    folder = Path(path)
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise _cannot_write(folder, error) from error
    for name, text in contents.items():
        write_file(folder / name, [text.encode() if isinstance(text, str) else text])


def _cannot_write(path: Path, error: OSError) -> ArtifactError:
    return ArtifactError(f"`{path}`: cannot write the file: {error.strerror or error}")


def _umask() -> int:
    """The process's file mode mask; reading it means setting it for a moment."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
