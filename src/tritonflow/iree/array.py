# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The arrays that a program returns: device memory behind two protocols."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from iree import runtime as rt

from .devices import STATUS_ERRORS, Device
from .dlpack import address_of, export_view
from .elements import RAW_DTYPES

_STAGING_TYPE = int(rt.MemoryType.HOST_LOCAL) | int(rt.MemoryType.DEVICE_VISIBLE)
_STAGING_USAGE = int(rt.BufferUsage.TRANSFER_TARGET) | int(
    rt.BufferUsage.MAPPING_SCOPED
)


def view_of(ref: rt.VmRef) -> rt.HalBufferView:
    """Gives the buffer view that `ref` refers to."""
    view = ref.deref(rt.HalBufferView)
    assert view is not None
    return view


class Array:
    """An array in a device's memory, finished and ready to be read.

    `numpy.asarray(array)` gives its values: on a CPU the same memory, else a copy.
    `jax.dlpack.from_dlpack(array)`, `torch.from_dlpack(array)` and the like share its
    memory. Passed to a program on the same device it costs nothing.

    Args:
        ref: the runtime's reference to a buffer view.
        spec: element type and shape, as in `dtype` and `shape`.
    """

    __slots__ = ("_device", "_ref", "spec")

    def __init__(
        self,
        ref: rt.VmRef,
        device: Device,
        spec: tuple[np.dtype, tuple[int, ...]],
    ) -> None:
        self._ref = ref
        self._device = device
        self.spec = spec

    @property
    def _view(self) -> rt.HalBufferView:
        return view_of(self._ref)

    @property
    def dtype(self) -> np.dtype:
        """NumPy's element type, from `ml_dtypes` for bfloat16 and the 8-bit floats."""
        return self.spec[0]

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the dimensions."""
        return self.spec[1]

    @property
    def device(self) -> str:
        """Name of the device whose memory it is in, such as `cuda:1`."""
        return self._device.name

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of all elements together."""
        return self.size * self.dtype.itemsize

    def block_until_ready(self) -> Array:
        """Gives the array itself: a program returns when its results are there."""
        return self

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False and not self._device.is_host:
            raise ValueError(f"an array on {self.device} cannot be read without a copy")
        array = self._to_host()
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        return array.copy() if copy and self._device.is_host else array

    def __jax_array__(self) -> Any:
        """Gives a JAX array on the same memory: what `jax.numpy.asarray` asks for."""
        import jax

        return jax.dlpack.from_dlpack(self)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device.dlpack

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        # The values are complete, so that no stream of the consumer has to wait.
        if copy or (dl_device is not None and tuple(dl_device) != self._device.dlpack):
            raise BufferError(
                f"an array on {self.device} is exported as it is, not copied to "
                f"{dl_device or 'new memory'}"
            )
        try:
            return export_view(
                self._device.hal, self._view, self.dtype, self._device.dlpack
            )
        except STATUS_ERRORS as error:
            raise BufferError(f"{self!r} cannot be exported: {error}") from error

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without dimensions")
        return self.shape[0]

    def __repr__(self) -> str:
        sizes = ",".join(map(str, self.shape))
        return f"Array({self.dtype.name}[{sizes}] on {self.device})"

    def __str__(self) -> str:
        return str(np.asarray(self))

    def _to_host(self) -> np.ndarray:
        if self.size == 0:
            return np.empty(self.shape, self.dtype)
        raw = RAW_DTYPES[self.dtype]
        if self._device.is_host:
            host = _owning_array(self._view.map(), self.shape, raw)
        else:
            host = _copy_to_host(self._device, self._view, self.shape, raw)
        return host if raw == self.dtype else host.view(self.dtype)


class _Mapping:
    """Owner of an array over mapped memory.

    IREE ties the memory's life to the one array object that it gives; NumPy's views of
    that array skip it when they note their base. They do not skip this object.
    """

    __slots__ = ("__array_interface__", "_array", "_memory")

    def __init__(
        self, memory: rt.MappedMemory, shape: tuple[int, ...], dtype: np.dtype
    ) -> None:
        self._memory = memory
        self._array = memory.asarray(shape, dtype)
        self.__array_interface__ = self._array.__array_interface__


def _owning_array(
    memory: rt.MappedMemory, shape: tuple[int, ...], dtype: np.dtype
) -> np.ndarray:
    """Gives an array over `memory`, which lives as long as any view of the array."""
    return np.asarray(_Mapping(memory, shape, dtype))


def _copy_to_host(
    device: Device, view: rt.HalBufferView, shape: tuple[int, ...], dtype: np.dtype
) -> np.ndarray:
    """Gives a copy of `view`'s values in the host's memory."""
    source = view.get_buffer()
    if device.cuda is not None:
        host = np.empty(shape, dtype)
        device.cuda.enter()
        address = address_of(device.hal, source, device.dlpack)
        target = host.__array_interface__["data"][0]
        device.cuda.to_host(target, address, host.nbytes)
        return host
    staging = device.hal.allocator.allocate_buffer(
        _STAGING_TYPE, _STAGING_USAGE, source.byte_length()
    )
    copy_buffer(device.hal, source, staging)
    return _owning_array(staging.map(), shape, dtype)


def copy_buffer(
    device: rt.HalDevice, source: rt.HalBuffer, target: rt.HalBuffer
) -> None:
    """Copies all of `source` to `target` and waits until it is done."""
    semaphore = device.create_semaphore(0)
    device.queue_copy(
        source,
        target,
        rt.HalFence.create_at(semaphore, 0),
        rt.HalFence.create_at(semaphore, 1),
    )
    semaphore.wait(1)


def duplicate(view: rt.HalBufferView, device: rt.HalDevice) -> rt.HalBufferView:
    """Gives a view of a copy, in the same device's own memory."""
    source = view.get_buffer()
    target = device.allocator.allocate_buffer(
        int(rt.MemoryType.DEVICE_LOCAL),
        int(rt.BufferUsage.DEFAULT),
        source.byte_length(),
    )
    copy_buffer(device, source, target)
    return rt.HalBufferView(target, view.shape, view.element_type)
