# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels on disk, found by content, shared by processes.

An entry is one file that appears under its name at once and whole. Nothing waits for
anything: two writers of one key write the same bytes, and the last one stays.
"""

from __future__ import annotations

import contextlib
import functools
import os
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import CacheError
from .cache_entry import decode_entry, encode_entry, entry_header
from .compiled import CompiledKernel

_SUFFIX = ".kernel"
_UNFINISHED = ".unfinished"
_ABANDONED_AFTER_S = 3600.0
_KEPT_IN_MEMORY = 256
_UNREADABLE = (OSError, CacheError, ValueError, TypeError, KeyError)
"""What reading an entry raises that is damaged or of another version."""


class KernelCache:
    """Compiled kernels by key, in memory and below `root`.

    A disk that is full, read-only or absent costs one warning, never the work: what
    cannot be kept on disk is kept in memory. A damaged entry counts as absent.

    Args:
        root: default: `TRITONFLOW_CACHE_DIR`, else the user's cache folder.
    """

    def __init__(self, root: Path | None = None) -> None:
        self.root = Path(root) if root is not None else default_root()
        self._memory: dict[str, CompiledKernel] = {}
        self._has_warned = False

    def get(self, key: str) -> CompiledKernel | None:
        """Gives the kernel of `key`, or None if there is none or it is damaged."""
        if key in self._memory:
            return self._memory[key]
        try:
            kernel = decode_entry(self._path(key).read_bytes())
        except FileNotFoundError:
            return None
        except _UNREADABLE as error:
            self._warn(f"entry {self._path(key)} cannot be used: {error}")
            return None
        if kernel.key != key:
            self._warn(f"entry {self._path(key)} is of another kernel.")
            return None
        self._remember(kernel)
        return kernel

    def put(self, kernel: CompiledKernel) -> None:
        """Keeps `kernel` under its key, over whatever was there."""
        self._remember(kernel)
        try:
            self._write(self._path(kernel.key), encode_entry(kernel))
        except OSError as error:
            self._warn(f"{self.root} cannot be written, so nothing is kept: {error}")

    def entries(self) -> list[dict[str, Any]]:
        """Gives `key`, `name`, `target` and `bytes` of every sound entry."""
        found = []
        for path in self._files():
            with contextlib.suppress(*_UNREADABLE):
                content = path.read_bytes()
                header = entry_header(content)
                entry = {name: header[name] for name in ("key", "name", "target")}
                found.append(entry | {"bytes": len(content)})
        return found

    def verify(self) -> list[Path]:
        """Gives the files whose content is damaged or of another version."""
        damaged = []
        for path in self._files():
            try:
                kernel = decode_entry(path.read_bytes())
                is_sound = kernel.key == path.stem
            except _UNREADABLE:
                is_sound = False
            if not is_sound:
                damaged.append(path)
        return damaged

    def clear(self) -> int:
        """Removes every entry and gives how many there were."""
        self._memory.clear()
        removed = 0
        for path in [*self._files(), *self._files(_UNFINISHED)]:
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
                removed += path.suffix == _SUFFIX
        return removed

    def describe(self) -> str:
        """Gives one line: where it is and how much it holds, or why it is of no use."""
        sizes = [path.stat().st_size for path in self._files()]
        line = f"{len(sizes)} kernels, {sum(sizes):,} bytes in {self.root}"
        nearest = next(p for p in (self.root, *self.root.parents) if p.exists())
        if not os.access(nearest, os.W_OK):
            line += ", not writable"
        return line

    def _remember(self, kernel: CompiledKernel) -> None:
        self._memory[kernel.key] = kernel
        while len(self._memory) > _KEPT_IN_MEMORY:
            # The oldest; another thread may have taken it out already.
            self._memory.pop(next(iter(self._memory)), None)

    def _path(self, key: str) -> Path:
        return self.root / "kernels" / key[:2] / f"{key}{_SUFFIX}"

    def _files(self, suffix: str = _SUFFIX) -> Iterator[Path]:
        yield from sorted((self.root / "kernels").glob(f"*/*{suffix}"))

    def _write(self, path: Path, content: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._sweep(path.parent)
        descriptor, unfinished = tempfile.mkstemp(suffix=_UNFINISHED, dir=path.parent)
        try:
            with open(descriptor, "wb") as file:
                file.write(content)
            os.replace(unfinished, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(unfinished)
            raise

    @staticmethod
    def _sweep(folder: Path) -> None:
        """Removes what writers that were killed long ago have left."""
        for path in folder.glob(f"*{_UNFINISHED}"):
            with contextlib.suppress(OSError):
                if time.time() - path.stat().st_mtime > _ABANDONED_AFTER_S:
                    path.unlink()

    def _warn(self, message: str) -> None:
        if not self._has_warned:
            self._has_warned = True
            warnings.warn(f"kernel cache: {message}", RuntimeWarning, stacklevel=3)


def default_root() -> Path:
    """Gives the cache folder of this user: `TRITONFLOW_CACHE_DIR` where that is set."""
    configured = os.environ.get("TRITONFLOW_CACHE_DIR")
    if configured:
        return Path(configured)
    import platformdirs

    return Path(platformdirs.user_cache_dir("tritonflow"))


def default_cache() -> KernelCache:
    """Gives the process's cache at `default_root`."""
    return _cache_at(default_root())


@functools.cache
def _cache_at(root: Path) -> KernelCache:
    return KernelCache(root)
