# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""A kernel is compiled once: by threads of a process and by processes in turn."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
import time
from typing import Any

from tests.unit.compiler.kernels import XY, constant_memory

from tritonflow.compiler.cache import KernelCache
from tritonflow.compiler.compile import compile_kernel
from tritonflow.kernel.kernel import Kernel
from tritonflow.kernel.signature import specialize
from tritonflow.target import Target

WARM = """
    import sys
    import time
    from pathlib import Path

    import triton
    import triton.language as tl

    from tritonflow.compiler.cache import KernelCache
    from tritonflow.compiler.compile import compile_kernel
    from tritonflow.kernel.kernel import Kernel
    from tritonflow.kernel.signature import ArrayArgument, specialize
    from tritonflow.target import Target


    @triton.jit
    def kernel(x, y, N: tl.constexpr):
        o = tl.arange(0, N)
        tl.store(y + o, tl.load(x + o) + tl.sum(tl.load(x + o), 0))


    def compiled():
        array = ArrayArgument("float32", (16,))
        spec = specialize(Kernel.of(kernel), {"x": array, "y": array}, {"N": 16}, {})
        cache = KernelCache(Path(sys.argv[1]))
        return compile_kernel(spec, Target.parse("cpu"), cache=cache)


    compiled()
    heavy = ["jaxlib", "iree.compiler.ir", "tritonflow.compiler.build"]
    loaded = [name for name in heavy if name in sys.modules]
    times = []
    for _ in range(5):
        start = time.perf_counter()
        compiled()
        times.append(time.perf_counter() - start)
    print(",".join(loaded) or "nothing", min(times))
"""


def test_warm_compile_is_fast_and_loads_no_compiler(tmp_path):
    source = tmp_path / "warm.py"
    source.write_text(textwrap.dedent(WARM))
    command = [sys.executable, str(source), str(tmp_path / "cache")]
    cold = subprocess.run(command, capture_output=True, text=True)
    assert "tritonflow.compiler.build" in cold.stdout, cold.stderr
    warm = subprocess.run(command, capture_output=True, text=True)
    loaded, seconds = warm.stdout.split()
    assert loaded == "nothing", warm.stderr
    assert float(seconds) < 0.005


def test_threads_share_one_compilation(tmp_path, monkeypatch):
    import tritonflow.compiler.build as build

    built: list[str] = []
    original = build.build_kernel

    def counting(spec: Any, target: Any, *, key: str) -> Any:
        built.append(key)
        time.sleep(0.05)
        return original(spec, target, key=key)

    monkeypatch.setattr(build, "build_kernel", counting)
    cache = KernelCache(tmp_path)
    results: list[Any] = []

    def work(n: int, target: str) -> None:
        spec = specialize(Kernel.of(constant_memory), XY, {"N": n}, {})
        results.append(compile_kernel(spec, Target.parse(target), cache=cache))

    jobs = [(n, t) for n in (32, 64) for t in ("cuda:sm_80", "cuda:sm_90")] * 3
    threads = [threading.Thread(target=work, args=job) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == len(jobs)
    assert sorted(built) == sorted({kernel.key for kernel in results})
    assert len(built) == 4
