# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What holds for every test."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def _kernel_cache_of_the_session(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[None]:
    """Keeps the kernels of all tests, child processes too, out of the user's cache."""
    before = os.environ.get("TRITONFLOW_CACHE_DIR")
    os.environ["TRITONFLOW_CACHE_DIR"] = str(tmp_path_factory.mktemp("kernels"))
    yield
    if before is None:
        del os.environ["TRITONFLOW_CACHE_DIR"]
    else:
        os.environ["TRITONFLOW_CACHE_DIR"] = before
