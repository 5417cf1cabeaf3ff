# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The kernel cache under damage, full disks, rivals and kills."""

from __future__ import annotations

import errno
import os
import random
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from pathlib import Path

import pytest
import triton
import triton.language as tl

import tritonflow.compiler.cache as cache_module
from tritonflow.compiler.cache import KernelCache, default_cache, default_root
from tritonflow.compiler.cache_entry import decode_entry, encode_entry
from tritonflow.compiler.compile import compile_kernel
from tritonflow.compiler.compiled import Abi, CompiledKernel, KernelParameter
from tritonflow.errors import CacheError
from tritonflow.kernel.kernel import Kernel
from tritonflow.kernel.signature import ArrayArgument, specialize
from tritonflow.target import Target


def kernel_of(key: str = "ab" * 32, size: int = 200) -> CompiledKernel:
    return CompiledKernel(
        name="k\N{GREEK SMALL LETTER ALPHA}",
        key=key,
        target=Target.parse("cuda:sm_90"),
        parameters=(
            KernelParameter(name="x", type="f16", is_pointer=True, effect="write"),
            KernelParameter(name="n", type="i64", is_pointer=False),
        ),
        ttir="module \N{SNOWMAN} {}",
        binary=random.Random(key).randbytes(size),
        ptx=".version 8.0",
        abi=Abi(bindings=(0,), has_scratch=True, constants=((1, 0), (1, 1))),
        num_warps=8,
        shared_bytes=1 << 16,
        scratch_bytes=128,
        scratch_alignment=128,
    )


def test_entry_round_trip():
    for kernel in (kernel_of(), CompiledKernel(
        name="k", key="0" * 64, target=Target.parse("cpu"), parameters=(), cpu_code="x"
    )):  # fmt: skip
        assert decode_entry(encode_entry(kernel)) == kernel
    assert encode_entry(kernel_of()) == encode_entry(kernel_of())


def test_every_flipped_bit_is_noticed():
    content = bytearray(encode_entry(kernel_of(size=16)))
    chance = random.Random(0)
    for position in range(len(content)):
        bit = 1 << chance.randrange(8)
        content[position] ^= bit
        with pytest.raises(CacheError):
            decode_entry(bytes(content))
        content[position] ^= bit
    decode_entry(bytes(content))


def test_every_truncation_is_noticed():
    content = encode_entry(kernel_of(size=16))
    for size in range(len(content)):
        with pytest.raises(CacheError):
            decode_entry(content[:size])
    with pytest.raises(CacheError):
        decode_entry(content + b"\0")


def entry_path(cache: KernelCache, kernel: CompiledKernel) -> Path:
    (path,) = cache.root.glob(f"kernels/*/{kernel.key}*")
    return path


def test_put_get_list_clear(tmp_path):
    cache, kernel = KernelCache(tmp_path / "new"), kernel_of()
    assert cache.get(kernel.key) is None
    assert cache.entries() == []
    cache.put(kernel)
    fresh = KernelCache(cache.root)
    assert fresh.get(kernel.key) == kernel
    (entry,) = fresh.entries()
    assert (entry["key"], entry["name"]) == (kernel.key, kernel.name)
    assert entry["target"] == "cuda:sm_90"
    assert entry["bytes"] == entry_path(cache, kernel).stat().st_size
    assert fresh.describe().startswith("1 kernels, ")
    assert fresh.verify() == []
    assert fresh.clear() == 1
    assert fresh.get(kernel.key) is None
    assert list((tmp_path / "new").rglob("*.kernel")) == []


@triton.jit
def double(x, N: tl.constexpr):
    o = tl.arange(0, N)
    tl.store(x + o, tl.load(x + o) * 2)


def double_kernel(cache: KernelCache) -> CompiledKernel:
    array = ArrayArgument("float32", (16,))
    spec = specialize(Kernel.of(double), {"x": array}, {"N": 16}, {})
    return compile_kernel(spec, Target.parse("cuda:sm_80"), cache=cache)


@pytest.mark.parametrize("damage", ["flip", "truncate", "empty", "rename", "folder"])
def test_a_damaged_entry_is_compiled_again_and_replaced(damage, tmp_path):
    kernel = double_kernel(KernelCache(tmp_path))
    path = entry_path(KernelCache(tmp_path), kernel)
    sound = path.read_bytes()
    if damage == "flip":
        path.write_bytes(sound[:-1] + bytes([sound[-1] ^ 1]))
    elif damage == "truncate":
        path.write_bytes(sound[: len(sound) // 2])
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "rename":
        path.write_bytes(encode_entry(kernel_of()))
    else:
        path.unlink()
        path.mkdir()
    damaged = KernelCache(tmp_path)
    if damage != "folder":
        assert damaged.verify() == [path]
    with pytest.warns(RuntimeWarning, match="kernel cache: entry") as caught:
        assert double_kernel(damaged) == kernel
    assert len(caught) == 1
    if damage != "folder":
        assert path.read_bytes() == sound
        assert double_kernel(KernelCache(tmp_path)) == kernel


def test_a_read_only_folder_costs_one_warning(tmp_path, monkeypatch):
    cache = KernelCache(tmp_path)

    def refuse(*_args: object, **_options: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(tmp_path))

    # The superuser writes anywhere, so the refusal is made here.
    monkeypatch.setattr(cache_module.tempfile, "mkstemp", refuse)
    with pytest.warns(RuntimeWarning, match=r"cannot be written.*Permission"):
        first = double_kernel(cache)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert double_kernel(cache) == first
    assert list(tmp_path.rglob("*.kernel")) == []


def test_a_really_read_only_folder(tmp_path):
    """The child gives up the superuser's rights, which would write anywhere."""
    code = """
        import os, warnings
        if os.geteuid() == 0:
            os.setuid(65534)
        warnings.simplefilter("always")
        cache, kernel = t.KernelCache(root), t.kernel_of()
        cache.put(kernel)
        print(cache.get(kernel.key) == kernel, t.KernelCache(root).get(kernel.key))
    """
    tmp_path.chmod(0o500)
    try:
        out, err = run(code, tmp_path).communicate(timeout=60)
    finally:
        tmp_path.chmod(0o700)
    assert out.strip() == "True None", err
    assert "cannot be written" in err
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_place_of_the_folder(tmp_path):
    root = tmp_path / "file"
    root.write_text("no folder")
    with pytest.warns(RuntimeWarning, match="kernel cache"):
        assert double_kernel(KernelCache(root)).binary


def run(code: str, *arguments: object, **options: object) -> subprocess.Popen[str]:
    header = f"""
        import sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from pathlib import Path
        import test_cache as t
        root = Path(sys.argv[1])
    """
    script = textwrap.dedent(header) + textwrap.dedent(code)
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,  # pyright: ignore[reportArgumentType, reportCallIssue]
    )


def test_a_full_disk_costs_one_warning(tmp_path):
    """The limit on a file's size ends a write in its middle, as a full disk does."""
    code = """
        import resource, signal, warnings
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        warnings.simplefilter("always")
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        cache = t.KernelCache(root)
        for key in ("ab" * 32, "ac" * 32):
            cache.put(t.kernel_of(key, size=100_000))
            assert cache.get(key) is not None
        print(len(list(root.rglob("*.*"))))
    """
    process = run(code, tmp_path)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert err.count("RuntimeWarning") == 1
    assert "File too large" in err
    assert out.strip() == "0"
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 4096


@pytest.mark.slow
def test_two_writers_and_a_reader_of_one_entry(tmp_path):
    code = """
        import time
        key = "ab" * 32
        wanted = t.kernel_of(key, size=300_000)
        t.KernelCache(root).put(wanted)
        end = time.time() + 1.0
        import warnings
        warnings.simplefilter("error")
        while time.time() < end:
            cache = t.KernelCache(root)
            cache.put(wanted)
            assert t.KernelCache(root).get(key) == wanted
    """
    writers = [run(code, tmp_path) for _ in range(2)]
    for writer in writers:
        _, err = writer.communicate(timeout=60)
        assert writer.returncode == 0, err
    assert KernelCache(tmp_path).verify() == []
    assert len(list(tmp_path.rglob("*.unfinished"))) == 0


@pytest.mark.slow
def test_a_writer_that_is_killed_leaves_nothing_half(tmp_path):
    """Kills writers at many moments; what a reader finds is whole or absent."""
    code = """
        print("ready", flush=True)
        number = 0
        while True:
            number += 1
            t.KernelCache(root).put(t.kernel_of(f"{number % 7:064x}", size=400_000))
    """
    process = run(code, tmp_path)
    assert process.stdout is not None
    process.stdout.readline()
    pause = random.Random(1).uniform
    for _ in range(8):
        time.sleep(pause(0.01, 0.05))
        os.kill(process.pid, signal.SIGSTOP)
        cache = KernelCache(tmp_path)
        assert cache.verify() == []
        os.kill(process.pid, signal.SIGCONT)
    os.kill(process.pid, signal.SIGKILL)
    process.wait(timeout=60)
    process.stdout.close()
    assert process.stderr is not None
    process.stderr.close()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fresh = KernelCache(tmp_path)
        assert fresh.verify() == []
        for number in range(7):
            key = f"{number:064x}"
            assert fresh.get(key) in (None, kernel_of(key, size=400_000))


def test_a_kill_in_the_middle_of_a_write(tmp_path):
    """The child dies with half of the bytes written, before the file has its name."""
    code = """
        import os, signal
        import tritonflow.compiler.cache as cache_module
        class Half:
            def __init__(self, file): self.file = file
            def __enter__(self): return self
            def __exit__(self, *_): return None
            def write(self, content):
                self.file.write(content[: len(content) // 2])
                self.file.flush()
                os.kill(os.getpid(), signal.SIGKILL)
        cache_module.open = lambda *a, **k: Half(open(*a, **k))
        t.KernelCache(root).put(t.kernel_of())
    """
    process = run(code, tmp_path)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    (leftover,) = tmp_path.rglob("*.unfinished")
    assert leftover.stat().st_size > 0
    cache, kernel = KernelCache(tmp_path), kernel_of()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cache.get(kernel.key) is None
        cache.put(kernel)
    assert KernelCache(tmp_path).get(kernel.key) == kernel
    assert leftover.exists()  # It might be a rival's, still at work.
    os.utime(leftover, (1, 1))
    cache.put(kernel)
    assert not leftover.exists()


def test_memory_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(cache_module, "_KEPT_IN_MEMORY", 3)
    cache = KernelCache(tmp_path)
    for number in range(8):
        cache.put(kernel_of(f"{number:064x}"))
    assert len(cache._memory) == 3
    assert all(cache.get(f"{number:064x}") for number in range(8))


def test_threads_write_and_read(tmp_path):
    cache = KernelCache(tmp_path)
    failures: list[object] = []

    def work(number: int) -> None:
        for turn in range(10):
            kernel = kernel_of(f"{(number + turn) % 4:064x}")
            cache.put(kernel)
            if KernelCache(tmp_path).get(kernel.key) != kernel:
                failures.append(kernel.key)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert KernelCache(tmp_path).verify() == []


def test_the_environment_names_the_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITONFLOW_CACHE_DIR", str(tmp_path / "here"))
    assert default_root() == tmp_path / "here"
    assert default_cache().root == tmp_path / "here"
    assert default_cache() is default_cache()
    monkeypatch.setenv("TRITONFLOW_CACHE_DIR", str(tmp_path / "there"))
    assert default_cache().root == tmp_path / "there"
    monkeypatch.delenv("TRITONFLOW_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert default_root() == tmp_path / "xdg" / "tritonflow"


def test_the_key_holds_target_and_settings(tmp_path, monkeypatch):
    from tritonflow.compiler.toolchain import compiled_key

    array = ArrayArgument("float32", (16,))
    spec = specialize(Kernel.of(double), {"x": array}, {"N": 16}, {})
    targets = ["cpu", "cpu:znver4", "cuda:sm_80", "cuda:sm_90", "rocm:gfx942"]
    keys = [compiled_key(spec, Target.parse(target)) for target in targets]
    assert len(set(keys)) == len(targets)
    monkeypatch.setenv("DISABLE_PTXAS_OPT", "1")
    changed = [compiled_key(spec, Target.parse(target)) for target in targets]
    assert not set(keys) & set(changed)
