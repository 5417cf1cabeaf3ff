# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What the tests on a GPU need of this machine."""

from __future__ import annotations

import ctypes

import pytest

from tritonflow.iree.cuda_driver import CudaDriver


def _has_gpu() -> bool:
    try:
        return ctypes.CDLL("libcuda.so.1").cuInit(0) == 0
    except OSError:
        return False


NEEDS_GPU = [
    pytest.mark.gpu,
    pytest.mark.skipif(not _has_gpu(), reason="no NVIDIA GPU on this machine"),
]


def chip() -> str:
    """Gives the target of the first GPU, such as `cuda:sm_90`."""
    return f"cuda:sm_{CudaDriver(0).compute_capability}"
