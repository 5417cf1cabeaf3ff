# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Options of a launch that a dispatch of an OpenXLA program cannot carry."""

from __future__ import annotations

from ..errors import SourceLocation, UnsupportedError
from ..kernel.options import options_of
from ..kernel.specialization import Specialization
from ..target import Target

_REFUSED = {
    "launch_cooperative_grid": "a dispatch does not promise that all programs are on "
    "the device at once",
    "launch_pdl": "a launch cannot begin before the one in front of it has ended",
    "clc": "a launch cannot be cancelled from inside of the grid",
    "instrumentation_mode": "a dispatch has no place for what it would record",
}
_HARMLESS_ON_CPU = frozenset({"launch_pdl", "clc", "num_ctas"})


def check_options(spec: Specialization, target: Target) -> None:
    """Checks that a dispatch on `target` can do what the options of a launch ask for.

    Raises: UnsupportedError: names the option and why it cannot be served.
    """
    is_cpu = target.backend == "cpu"
    for name, value in spec.options.items():
        if is_cpu and name in _HARMLESS_ON_CPU:
            continue
        if name == "num_ctas" and value > 1:
            raise _refusal(spec, target, name, value, "a dispatch has no clusters")
        if name in _REFUSED and value:
            raise _refusal(spec, target, name, value, _REFUSED[name])
        if name not in options_of(target.backend):
            raise _refusal(spec, target, name, value, "its compiler has no such option")


def _refusal(
    spec: Specialization, target: Target, name: str, value: object, reason: str
) -> UnsupportedError:
    at: SourceLocation = spec.kernel.location
    return UnsupportedError(
        f"kernel `{spec.name}` for {target}: option `{name}={value}`: {reason}.",
        at=at,
        hint=f"leave `{name}` out",
    )
