# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Times side by side: medians of alternating rounds, so that noise hits all alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any


def medians_ms(
    candidates: Mapping[str, Callable[[], Any]], *, rounds: int = 15, repeats: int = 1
) -> dict[str, float]:
    """Gives the median time of one call of each candidate, in milliseconds.

    Args:
        candidates: what to call; a call must not return before its work is done.
        rounds: each calls every candidate once in turn, after one round to warm up.
        repeats: calls in a row of one candidate that make one sample.
    """
    samples: dict[str, list[float]] = {name: [] for name in candidates}
    for round_number in range(rounds + 1):
        for name, call in candidates.items():
            started = time.perf_counter()
            for _ in range(repeats):
                call()
            elapsed = time.perf_counter() - started
            if round_number > 0:
                samples[name].append(elapsed / repeats * 1e3)
    return {name: statistics.median(times) for name, times in samples.items()}
