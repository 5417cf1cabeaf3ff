# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""An artifact's module inside IREE's runtime: its description, and running it."""

from __future__ import annotations

import functools
import mmap
import threading
from collections.abc import Sequence

from iree import runtime as rt

from ..errors import ArtifactError, LaunchError, TargetError
from .devices import STATUS_ERRORS, Device
from .manifest import REFLECTION_KEY, Manifest

ENTRY = "main"


@functools.cache
def _instance() -> rt.VmInstance:
    return rt.VmInstance()


def read_manifest(data: bytes | mmap.mmap, subject: str) -> Manifest:
    """Gives what the sealed module `data` says about itself.

    Raises: ArtifactError: IREE's runtime cannot read it, or it says nothing.
    """
    # The binding's functions do not keep their module alive.
    module = _wrap(data, subject)
    function = module.lookup_function(ENTRY)
    text = function.reflection.get(REFLECTION_KEY) if function is not None else None
    if text is None:
        raise ArtifactError(
            f"`{subject}`: the module has no description from tritonflow.",
        )
    return Manifest.from_json(text, subject)


def _wrap(data: bytes | mmap.mmap, subject: str) -> rt.VmModule:
    try:
        # IREE wants 64-byte alignment: mapped files have it, other memory is copied.
        return rt.VmModule.from_buffer(_instance(), data, warn_if_copy=False)
    except STATUS_ERRORS as error:
        raise ArtifactError(
            f"`{subject}`: IREE's runtime cannot read the module: {_first_line(error)}",
            hint="compile it again with the installed version of IREE",
        ) from error


class LoadedModule:
    """A module on a device, ready to run. Calls from several threads take turns.

    Args:
        providers: of parameters, for a module whose weights live outside.

    Raises: TargetError: the device cannot run the module's code.
    """

    def __init__(
        self,
        data: bytes | mmap.mmap,
        device: Device,
        providers: Sequence[rt.ParameterProvider],
        subject: str,
    ) -> None:
        self.device = device
        self._subject = subject
        instance = _instance()
        module = _wrap(data, subject)
        modules = [rt.create_hal_module(instance, device.hal)]
        if providers:
            modules.append(rt.create_io_parameters_module(instance, *providers))
        try:
            self._context = rt.VmContext(instance, modules=[*modules, module])
        except STATUS_ERRORS as error:
            raise TargetError(
                f"`{subject}`: cannot be loaded on {device.name}: {_first_line(error)}",
            ) from error
        function = module.lookup_function(ENTRY)
        if function is None:
            raise ArtifactError(f"`{subject}`: the module has no function `{ENTRY}`.")
        self._function = function
        # A context keeps the state of one call at a time.
        self._lock = threading.Lock()

    def invoke(self, inputs: rt.VmVariantList, outputs: rt.VmVariantList) -> None:
        """Runs the program and waits for it. Raises LaunchError with IREE's reason."""
        try:
            with self._lock:
                self._context.invoke(self._function, inputs, outputs)
        except STATUS_ERRORS as error:
            raise LaunchError(
                f"`{self._subject}`: the run on {self.device.name} failed: "
                f"{_first_line(error)}"
            ) from error


def _first_line(error: Exception) -> str:
    """IREE's reason without the place in its source and the call stack."""
    text = str(error.args[0]) if error.args else ""  # A KeyError quotes its message.
    line = text.splitlines()[0] if text else type(error).__name__
    _, found, reason = line.partition("Error invoking function: ")
    line = reason if found else line
    status, _, rest = line.partition("; ")
    code = status.rpartition(": ")[2]
    if not rest or not code.isupper():
        return line
    reason = rest.partition("; while ")[0].rstrip("; ")
    return f"{code}: {reason}"
