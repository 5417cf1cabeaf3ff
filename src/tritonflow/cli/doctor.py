# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""`tritonflow doctor`: what this machine has, and whether a small program runs."""

from __future__ import annotations

import ctypes
import importlib.metadata
import json
import platform
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass

import click

from .. import __version__
from ..errors import LaunchError, TritonFlowError

_PACKAGES = {
    "triton": "3.6 to 3.9",
    "jax": "0.10 to 0.12",
    "jaxlib": "as jax",
    "iree-base-compiler": "3.13",
    "iree-base-runtime": "3.13",
    "numpy": "2",
}


@dataclass(frozen=True)
class Check:
    """One line of the report. `state` is `ok`, `absent` (not needed) or `failed`."""

    name: str
    state: str
    detail: str


@click.command(name="doctor")
@click.option("--json", "as_json", is_flag=True, help="Print the checks as JSON.")
def command(as_json: bool) -> None:
    """Check this machine; exits with 1 if something that is needed does not work."""
    checks = [
        Check("tritonflow", "ok", f"{__version__}, Python {platform.python_version()}"),
        *(_package(name, wanted) for name, wanted in _PACKAGES.items()),
        _guarded("CPU", _cpu),
        _guarded("assembler", _assembler),
        _cuda_driver(),
        _guarded("kernel cache", _cache),
        _guarded("cpu program", _program),
    ]
    if as_json:
        click.echo(json.dumps([asdict(check) for check in checks]))
    else:
        _print(checks)
    if any(check.state == "failed" for check in checks):
        sys.exit(1)


def _print(checks: list[Check]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    colors = {"ok": "green", "absent": "yellow", "failed": "red"}
    for check in checks:
        state = f"[{colors[check.state]}]{check.state}[/]"
        table.add_row(check.name, state, check.detail)
    Console().print(table)


def _package(name: str, wanted: str) -> Check:
    try:
        return Check(name, "ok", importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return Check(name, "failed", f"not installed, wanted {wanted}")


def _guarded(name: str, probe: Callable[[], str]) -> Check:
    try:
        return Check(name, "ok", probe())
    except (TritonFlowError, ImportError, OSError) as error:
        return Check(name, "failed", str(error).splitlines()[0])


def _cpu() -> str:
    from ..cpu.features import features_of
    from ..target import Target

    features = features_of(Target.parse("cpu"))
    return f"{platform.machine()}, {features.vector_bits}-bit vectors"


def _assembler() -> str:
    from ..compiler.nvidia import ptxas_version

    return f"ptxas {ptxas_version()} from Triton"


def _cuda_driver() -> Check:
    """Asks the driver itself, since no package of ours needs one."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return Check(
            "CUDA driver", "absent", "programs for cuda compile, but do not run"
        )
    version, count = ctypes.c_int(), ctypes.c_int()
    if cuda.cuInit(0) or cuda.cuDeviceGetCount(ctypes.byref(count)):
        return Check("CUDA driver", "absent", "a driver, but no device")
    cuda.cuDriverGetVersion(ctypes.byref(version))
    major, minor = divmod(version.value // 10, 100)
    return Check("CUDA driver", "ok", f"CUDA {major}.{minor}, {count.value} devices")


def _cache() -> str:
    from ..compiler.cache import KernelCache

    return KernelCache().describe()


def _program() -> str:
    """Compiles and runs one addition, with no kernel in it."""
    import numpy as np

    from ..iree.compile import compile as compile_program

    x = np.arange(5, dtype=np.float32)
    program = compile_program(lambda a: a + a, x, target="cpu")
    result = np.asarray(program(x))
    if not np.array_equal(result, 2 * x):
        raise LaunchError(f"the program gives {result}, expected {2 * x}.")
    return "compiled and ran"
