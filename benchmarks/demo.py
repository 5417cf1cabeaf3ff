# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The sentence encoder of the examples beside plain `jax.jit`, on one and all CPUs.

    python benchmarks/demo.py [--json] [--rounds 15]

Weights are made up: times do not depend on them. Each number of CPUs has a process of
its own; there the two take turns, and a time is the median of the rounds.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import reporting

BATCHES = (1, 8)
LENGTH = 128


def main() -> None:
    """Prints one row for each batch size and number of CPUs."""
    parser = reporting.options(__doc__, rounds=15)
    parser.add_argument("--cpus", type=int, help="measure on so many, in this process")
    arguments = parser.parse_args()
    if arguments.cpus:
        rows = _measure(arguments.cpus, arguments.rounds)
    else:
        counts = sorted({1, len(os.sched_getaffinity(0))})
        rows = [row for n in counts for row in _in_child(n, arguments.rounds)]
    title = f"Sentence encoder, {LENGTH} tokens a sentence, f32"
    reporting.show(title, rows, as_json=arguments.json)


def _in_child(cpus: int, rounds: int) -> list[dict[str, Any]]:
    command = [sys.executable, __file__, "--json"]
    command += ["--cpus", str(cpus), "--rounds", str(rounds)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)["rows"]


def _measure(cpus: int, rounds: int) -> list[dict[str, Any]]:
    reporting.use_cpus(cpus)
    import time
    from functools import partial

    import jax
    import numpy as np
    from minilm import weights
    from minilm.encoder import Config, encode, tiles_for
    from minilm.reference import encode_plainly
    from timing import medians_ms

    import tritonflow

    config, rng = Config(), np.random.default_rng(0)
    params = weights.random(config)
    plain = jax.jit(partial(encode_plainly, config=config))
    device_params = jax.device_put(params)
    fn = partial(encode, config=config, tiles=tiles_for("cpu"))
    rows = []
    for batch in BATCHES:
        tokens = rng.integers(0, config.vocabulary, (batch, LENGTH), np.int32)
        inputs = jax.device_put((tokens, np.ones_like(tokens)))
        started = time.perf_counter()
        program = tritonflow.compile(
            fn, params, *inputs, target="cpu", param_argnums=(0,), name="encode"
        )
        compile_s = time.perf_counter() - started
        found, expected = program(*inputs), plain(device_params, *inputs)
        times = medians_ms(
            {
                "ours": lambda program=program, inputs=inputs: program(*inputs),
                "plain": lambda inputs=inputs: jax.block_until_ready(
                    plain(device_params, *inputs)
                ),
            },
            rounds=rounds,
        )
        rows.append(
            {
                "sentences": batch,
                "CPUs": cpus,
                "compile s": round(compile_s, 2),
                "tritonflow ms": round(times["ours"], 2),
                "jax.jit ms": round(times["plain"], 2),
                "ratio": round(times["ours"] / times["plain"], 3),
                "difference": float(np.max(np.abs(np.asarray(found) - expected))),
            }
        )
    return rows


if __name__ == "__main__":
    main()
