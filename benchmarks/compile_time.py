# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""How long the examples take to compile for this CPU, cold and from a warm cache.

    python benchmarks/compile_time.py [--json]

Each program is compiled in two fresh processes that share a cache folder of their own:
the first finds it empty. A time is that of `tritonflow.compile` alone, with everything
imported and one other program compiled before. The last table shows that neither time
nor bytes follow the size of a block.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from typing import Any

import reporting

BLOCKS = (1024, 4096, 16384)


def main() -> None:
    """Prints the two tables."""
    parser = reporting.options(__doc__, rounds=1)
    parser.add_argument("--child", help="measure this program in this process")
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(_measure(arguments.child)))
        return
    rows = [_cold_and_warm(name) for name in _programs() if "block" not in name]
    blocks = [_cold_and_warm(name) for name in _programs() if "block" in name]
    reporting.show("Compile for this CPU", rows, as_json=arguments.json)
    reporting.show("By size of the block", blocks, as_json=arguments.json)


def _cold_and_warm(name: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="tritonflow-cache-") as cache:
        cold, warm = (_in_child(name, cache) for _ in range(2))
    return {
        "program": name,
        "cold s": cold["seconds"],
        "warm cache s": warm["seconds"],
        "artifact bytes": cold["bytes"],
        "same bytes": cold["sha256"] == warm["sha256"],
    }


def _in_child(name: str, cache: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, __file__, "--child", name],
        env={**os.environ, "TRITONFLOW_CACHE_DIR": cache},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def _programs() -> dict[str, tuple[Any, tuple[tuple[int, ...], ...]]]:
    """Gives for each name a function and the shapes of its float32 arguments."""
    from functools import partial

    import flash_attention
    import layer_norm
    import matmul
    import softmax
    import vector_add
    from elementwise import chain

    heads = (8, 128, 12, 32)
    fused = partial(matmul.matmul, activation="gelu")
    programs: dict[str, Any] = {
        "vector_add": (vector_add.vector_add, ((98_432,),) * 2),
        "softmax": (softmax.softmax, ((1823, 781),)),
        "layer_norm": (layer_norm.layer_norm, ((1151, 1000), (1000,), (1000,))),
        "matmul": (matmul.matmul, ((512, 512), (512, 512))),
        "matmul, bias, gelu": (fused, ((512, 384), (384, 1536), (1536,))),
        "flash_attention": (flash_attention.flash_attention, (heads,) * 3),
    }
    for block in BLOCKS:
        name = f"9 operations, block {block}"
        programs[name] = (partial(chain, block=block), ((1 << 20,),))
        programs[f"softmax, block {block}"] = (softmax.softmax, ((64, block - 24),))
    return programs


def _measure(name: str) -> dict[str, Any]:
    import hashlib
    import time
    from pathlib import Path

    import jax
    import numpy as np
    import vector_add

    import tritonflow

    other = jax.ShapeDtypeStruct((7,), np.dtype(np.int16))
    tritonflow.compile(vector_add.vector_add, other, other, target="cpu")
    function, shapes = _programs()[name]
    inputs = [jax.ShapeDtypeStruct(shape, np.dtype(np.float32)) for shape in shapes]
    started = time.perf_counter()
    program = tritonflow.compile(function, *inputs, target="cpu", name="program")
    seconds = time.perf_counter() - started
    with tempfile.TemporaryDirectory() as folder:
        program.save(Path(folder, "program.vmfb"))
        data = Path(folder, "program.vmfb").read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    return {"seconds": round(seconds, 3), "bytes": len(data), "sha256": digest}


if __name__ == "__main__":
    main()
