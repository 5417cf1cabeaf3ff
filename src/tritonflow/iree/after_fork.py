# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What a child made by `fork` must forget: the parent's devices.

Their worker threads stay behind in the parent, so that a run in the child would wait
for them for ever, and so would their destructors. The child never destroys what it has
inherited, and opens its own devices when it needs them.
"""

from __future__ import annotations

import ctypes
import os
import weakref
from typing import Protocol


class Forgetful(Protocol):
    """Something that holds on to a device."""

    def forget_device(self) -> None:
        """Makes the state that of an object that has not opened its device yet."""
        ...


_holders: weakref.WeakSet[Forgetful] = weakref.WeakSet()


def register(holder: Forgetful) -> None:
    """Has `holder` forget its device in every child that is forked from now on."""
    _holders.add(holder)


def keep_for_ever(value: object) -> None:
    """Sees to it that `value` is never destroyed, not even when the process ends."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(value))


def _forget_all() -> None:
    for holder in list(_holders):
        holder.forget_device()


os.register_at_fork(after_in_child=_forget_all)
