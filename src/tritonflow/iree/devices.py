# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Devices that programs run on, each made once in a process and shared by programs.

IREE reads a driver's settings from process-wide flags at the moment the driver is made.
So drivers are made here alone, one at a time, with the flags set for that moment.
"""

from __future__ import annotations

import functools
import os
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from iree import runtime as rt

from ..errors import TargetError
from . import after_fork
from .cuda_driver import CudaDriver

if TYPE_CHECKING:
    from ..target import Backend

# Not among the public names of `iree.runtime`: its own `get_driver` keeps the first
# driver of a kind for ever, with the flags of that moment.
from iree.runtime._binding import create_hal_driver  # isort: skip  # pyright: ignore

STATUS_ERRORS = (RuntimeError, ValueError, LookupError, MemoryError)
"""What IREE's bindings raise: a status' code chooses among Python's own classes."""

_MAX_WORKERS = 64
# Freed memory is kept for the next call: the driver's own plain allocation makes a call
# of a small program half as long again, and one of a large program twice as long.
_ALLOCATORS: Any = ["caching"]
_DEVICE_NAME = re.compile(r"(cpu|cuda|hip)(?::(\d+))?")
_BACKENDS: dict[str, Backend] = {"cpu": "cpu", "cuda": "cuda", "hip": "rocm"}
_DLPACK_TYPES = {"cpu": 1, "cuda": 2, "hip": 10}

_lock = threading.Lock()


@dataclass(frozen=True, eq=False)
class Device:
    """One device of this machine.

    Attributes:
        name: `cpu`, `cuda`, `cuda:1` or `hip`.
        kind: the name without its number.
        hal: IREE's device.
        dlpack: type and number as DLPack spells them.
        cuda: the driver, on an NVIDIA GPU.
    """

    name: str
    kind: str
    hal: rt.HalDevice
    dlpack: tuple[int, int]
    cuda: CudaDriver | None = None

    @property
    def is_host(self) -> bool:
        """Whether its memory is the host's own."""
        return self.kind == "cpu"

    @property
    def backend(self) -> Backend:
        """The kind of target whose code it runs."""
        return _BACKENDS[self.kind]

    def forget_device(self) -> None:
        """In a forked child: later requests open a device of this process."""
        global _lock
        after_fork.keep_for_ever(self.hal)
        _open_cpu.cache_clear()
        _open_gpu.cache_clear()
        _lock = threading.Lock()


def parse_device(name: str) -> tuple[str, int]:
    """Gives kind and number of a device's name. Raises TargetError if it is none."""
    match = _DEVICE_NAME.fullmatch(name) if isinstance(name, str) else None
    if match is None or (match[1] == "cpu" and match[2]):
        raise TargetError(
            f"device `{name}`: unknown, expected cpu, cuda, cuda:1 or hip."
        )
    return match[1], int(match[2] or 0)


def open_device(
    name: str, *, threads: int | None = None, local_memory_bytes: int = 0
) -> Device:
    """Gives the device called `name`; equal requests give the same one.

    Args:
        threads: of a CPU; None for as many as this process may run on. One thread runs
            kernels on the caller's own, without a worker.
        local_memory_bytes: scratch that a workgroup needs on a CPU.

    Raises: TargetError: unknown, or the machine has no such device or no driver.
    """
    kind, index = parse_device(name)
    if kind != "cpu":
        if threads is not None:
            raise TargetError(f"`threads`: device `{name}` has none, only cpu has.")
        return _open_gpu(kind, index)
    count = _available_cpus() if threads is None else threads
    if not isinstance(count, int) or count < 1:
        raise TargetError(f"`threads`: got {threads!r}, expected at least 1.")
    if count == 1:
        return _open_cpu(1, 0)
    return _open_cpu(min(count, _MAX_WORKERS), _local_memory(local_memory_bytes))


def _available_cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _local_memory(needed_bytes: int) -> int:
    """Worker memory to ask for: 0 is IREE's own choice, the size of the L2 cache."""
    if needed_bytes <= 1 << 17:
        return 0
    # Powers of two, so that few different devices are made.
    return 1 << max(20, (needed_bytes - 1).bit_length())


@functools.cache
def _open_cpu(threads: int, local_memory_bytes: int) -> Device:
    if threads == 1:
        driver = _create_driver("local-sync", ())
    else:
        driver = _create_driver(
            "local-task",
            (
                ("task_topology_group_count", str(threads), "0"),
                ("task_worker_local_memory", str(local_memory_bytes), "0"),
            ),
        )
    return _opened(Device("cpu", "cpu", driver.create_default_device(), (1, 0)))


@functools.cache
def _open_gpu(kind: str, index: int) -> Device:
    # Memory of stream-ordered pools cannot be handed to others: buffers that DLPack
    # exports must come from plain allocations.
    driver = _create_driver(kind, ((f"{kind}_async_allocations", "false", "true"),))
    name = f"{kind}:{index}" if index else kind
    devices = driver.query_available_devices()
    if index >= len(devices):
        raise TargetError(
            f"device `{name}`: this machine has {len(devices)} of that kind."
        )
    try:
        hal = driver.create_device(devices[index]["device_id"], None, _ALLOCATORS)
    except STATUS_ERRORS as error:
        raise TargetError(f"device `{name}`: cannot be opened: {error}") from error
    cuda = CudaDriver(index) if kind == "cuda" else None
    return _opened(Device(name, kind, hal, (_DLPACK_TYPES[kind], index), cuda))


def _opened(device: Device) -> Device:
    """Keeps the device for as long as the process lives.

    Buffers do not hold the device that they return their memory to, and at exit Python
    frees what is left in no order.
    """
    _retain_for_ever(device.hal)
    after_fork.register(device)
    return device


def _retain_for_ever(hal: rt.HalDevice) -> None:
    """Adds a reference to the device that outlives Python's object of it.

    A list of IREE's that holds itself is never freed, nor is what else it holds. The
    device gets into it as what IREE's own module answers when asked for its devices.
    """
    module = rt.create_hal_module(instance := rt.VmInstance(), hal)
    context = rt.VmContext(instance, modules=[module])
    arguments, answer = rt.VmVariantList(1), rt.VmVariantList(1)
    arguments.push_int(0)
    devices_get = module.lookup_function("devices.get")
    assert devices_get is not None
    context.invoke(devices_get, arguments, answer)
    endless = rt.VmVariantList(2)
    endless.push_ref(answer.get_as_ref(0))
    endless.push_list(endless)


def _create_driver(name: str, flags: Sequence[tuple[str, str, str]]) -> Any:
    try:
        with _lock, _flags(flags):
            return create_hal_driver(name)
    except STATUS_ERRORS as error:
        first = str(error).splitlines()[0]
        raise TargetError(
            f"device `{name}`: no driver on this machine: {first}",
            hint="`tritonflow doctor` shows what this machine has",
        ) from error


@contextmanager
def _flags(flags: Sequence[tuple[str, str, str]]) -> Iterator[None]:
    """Sets process-wide flags, and IREE's defaults again afterwards."""
    if flags:
        rt.flags.parse_flags(*(f"--{name}={value}" for name, value, _ in flags))
    try:
        yield
    finally:
        if flags:
            rt.flags.parse_flags(*(f"--{name}={value}" for name, _, value in flags))
