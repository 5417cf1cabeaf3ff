# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The few calls of NVIDIA's driver that IREE's bindings lack or make slow.

IREE and JAX use the device's primary context, and so do these calls. Everything that a
program computes is complete when its call returns, so that plain copies see it.
"""

from __future__ import annotations

import ctypes
import functools
import threading

from ..errors import LaunchError, TargetError

_CAPABILITY_MAJOR, _CAPABILITY_MINOR = 75, 76  # CUdevice_attribute


@functools.cache
def _library() -> ctypes.CDLL:
    try:
        library = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise TargetError(f"device `cuda`: no CUDA driver: {error}") from error
    pointer, size = ctypes.c_uint64, ctypes.c_size_t
    library.cuMemcpyDtoH_v2.argtypes = [ctypes.c_void_p, pointer, size]
    library.cuMemcpyHtoD_v2.argtypes = [pointer, ctypes.c_void_p, size]
    library.cuCtxSetCurrent.argtypes = [ctypes.c_void_p]
    library.cuStreamSynchronize.argtypes = [ctypes.c_void_p]
    return library


class CudaDriver:
    """One device of the driver. Methods raise LaunchError with the driver's number.

    Args:
        index: of the device, as the driver counts.
    """

    def __init__(self, index: int) -> None:
        self._index = index
        self._context: ctypes.c_void_p | None = None
        self._threads = threading.local()

    @property
    def compute_capability(self) -> int:
        """Major * 10 + minor. Raises TargetError if the driver does not say."""
        library, device = _library(), ctypes.c_int()
        failed = library.cuInit(0) or library.cuDeviceGet(
            ctypes.byref(device), self._index
        )
        values = []
        for attribute in (_CAPABILITY_MAJOR, _CAPABILITY_MINOR):
            value = ctypes.c_int()
            failed = failed or library.cuDeviceGetAttribute(
                ctypes.byref(value), attribute, device
            )
            values.append(value.value)
        if failed:
            raise TargetError(
                f"device `cuda:{self._index}`: the driver answers error {failed}."
            )
        return values[0] * 10 + values[1]

    def enter(self) -> None:
        """Makes the device the calling thread's own, which IREE takes for given.

        Where there is but one device, that holds until the thread ends. Elsewhere
        others may have chosen another one since the last call.
        """
        if getattr(self._threads, "is_here_for_good", False):
            return
        if self._context is None:
            device, context = ctypes.c_int(), ctypes.c_void_p()
            self._check(_library().cuDeviceGet(ctypes.byref(device), self._index))
            # Retained for good: the device itself is shared by the whole process.
            self._check(
                _library().cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
            )
            self._context = context
        self._check(_library().cuCtxSetCurrent(self._context))
        count = ctypes.c_int()
        self._check(_library().cuDeviceGetCount(ctypes.byref(count)))
        self._threads.is_here_for_good = count.value == 1

    def to_host(self, target: int, source: int, nbytes: int) -> None:
        """Copies `nbytes` from the device's address `source` to the host's `target`."""
        self._check(_library().cuMemcpyDtoH_v2(target, source, nbytes))

    def to_device(self, target: int, source: int, nbytes: int) -> None:
        """Copies `nbytes` from the host's address `source` to the device's `target`."""
        self._check(_library().cuMemcpyHtoD_v2(target, source, nbytes))
        # The copy's last step may still be under way.
        self.wait()

    def wait(self) -> None:
        """Waits for the default stream, for which IREE's own stream does not wait."""
        self._check(_library().cuStreamSynchronize(None))

    def _check(self, result: int) -> None:
        if result:
            raise LaunchError(f"device `cuda:{self._index}`: CUDA error {result}.")
