# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Calls that do not fit their kernel or their target, each with its own message."""

from __future__ import annotations

import dataclasses
import re

import pytest
from tests.unit.passes.programs import (
    call,
    cpu_kernel,
    gpu_kernel,
    lower,
    pointer,
    scalar,
)

from tritonflow.errors import (
    PassError,
    SignatureError,
    SourceLocation,
    UnsupportedError,
    VerifyError,
)
from tritonflow.passes.base import ProgramParameter
from tritonflow.passes.registry import create_pass

PARAMETERS = [pointer("x", "read"), scalar("n", "i32"), pointer("y", "write")]
KERNEL = cpu_kernel("copy", PARAMETERS, "")

ARGUMENTS = [
    '{kind = "operand", operand = 0}',
    '{kind = "constant", value = 5 : i32}',
    '{kind = "result", result = 0}',
]


def program(arguments: list[str] = ARGUMENTS, element: str = "f32", **options) -> str:
    tensor = f"tensor<4x{element}>"
    return (
        f"func.func public @main(%x: {tensor}) -> {tensor} {{\n"
        "  %0 = "
        + call("copy", "%x", f"({tensor}) -> {tensor}", arguments, **options)
        + f"\n  return %0 : {tensor}\n}}"
    )


def test_a_kernel_that_writes_an_undeclared_input():
    kernel = dataclasses.replace(
        KERNEL, parameters=(pointer("x", "readwrite"), *PARAMETERS[1:])
    )
    message = "`x` of kernel `copy`: the kernel writes it at kernel.py:7"
    with pytest.raises(SignatureError, match=re.escape(message)) as caught:
        lower(program(), [kernel])
    assert caught.value.at == SourceLocation("kernel.py", 7)
    assert "input_output_aliases" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (ARGUMENTS[::2], "got 2 run-time arguments, expected 3: x, n, y"),
        (
            [ARGUMENTS[1], ARGUMENTS[0], ARGUMENTS[2]],
            "`x` of kernel `copy`: got `i32`, expected an array",
        ),
        (
            [ARGUMENTS[0], '{kind = "constant", value = 5.0 : f32}', ARGUMENTS[2]],
            "`n` of kernel `copy`: got element type `f32`, expected `i32`",
        ),
    ],
)
def test_arguments_that_do_not_fit(arguments: list[str], message: str):
    with pytest.raises(SignatureError, match=message) as caught:
        lower(program(arguments), [KERNEL])
    assert caught.value.at == SourceLocation("user.py", 3)


def test_elements_of_another_type():
    with pytest.raises(SignatureError, match="element type `f64`, expected `f32`"):
        lower(program(element="f64"), [KERNEL])


@pytest.mark.parametrize(
    ("grid", "target", "message"),
    [
        ("1, 65536, 1", "cuda:sm_80", "65536 programs along y, expected at most 65535"),
        ("2147483648, 1, 1", "cuda:sm_80", "along x, expected at most 2147483647"),
        ("1, 1, 65536", "cpu", "along z, expected at most 65535 on `cpu`"),
    ],
)
def test_grids_over_the_limits(grid: str, target: str, message: str):
    kernels = [KERNEL, gpu_kernel("copy", "cuda:sm_80", PARAMETERS)]
    with pytest.raises(SignatureError, match=message):
        lower(program(grid=grid), kernels, [target])


def test_a_grid_at_the_limits():
    kernel = gpu_kernel("copy", "cuda:sm_80", PARAMETERS)
    lower(program(grid="2147483647, 65535, 65535"), [kernel], ["cuda:sm_80"])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('kernel = "copy", ', "", "`kernel`: the entry is missing"),
        ("grid = [1, 1, 1]", "grid = [1, 1, 1, 1]", "`grid`: got 4 dimensions"),
        ("grid = [1, 1, 1]", "grid = [-1]", "`grid`: got -1, expected 0 or more"),
        ("grid = [1, 1, 1]", "grid = [1.5]", "expected an integer or an operand"),
        ("grid = [1, 1, 1]", "grid = 3", "`grid`: got `3 : i64`, expected a list"),
        ("operand = 0", "operand = 7", "got operand 7, expected one of 1"),
        ("result = 0", "result = 2", "got result 2, expected one of 1"),
        ('"constant"', '"constexpr"', "got kind `constexpr`, expected one of"),
        ("value = 5 : i32", "number = 5 : i32", "kind `constant` lacks `value`"),
        ("mhlo.backend_config", "mhlo.other", "`backend_config`: got none"),
    ],
)
def test_configurations_that_are_not_valid(old: str, new: str, message: str):
    text = program()
    assert old in text
    with pytest.raises(VerifyError, match=message):
        lower(text.replace(old, new), [KERNEL])


def test_a_kernel_without_code_for_the_target():
    with pytest.raises(PassError, match="no code for target `cuda:sm_80`"):
        lower(program(), [KERNEL], ["cuda:sm_80"])


def test_a_grid_that_depends_on_data():
    text = (
        "func.func public @main(%x: tensor<4xf32>, %n: tensor<i32>)"
        " -> tensor<4xf32> {\n"
        "  %0 = "
        + call(
            "copy",
            "%x, %n",
            "(tensor<4xf32>, tensor<i32>) -> tensor<4xf32>",
            ARGUMENTS,
            grid="{operand = 1}",
        )
        + "\n  return %0 : tensor<4xf32>\n}"
    )
    with pytest.raises(UnsupportedError, match="depends on an argument of the program"):
        lower(text, [KERNEL])


def test_variants_that_take_different_arguments():
    plain = gpu_kernel("copy", "cuda:sm_80", PARAMETERS)
    assert plain.abi is not None
    scratch = gpu_kernel(
        "copy",
        "cuda:sm_90",
        PARAMETERS,
        abi=dataclasses.replace(plain.abi, has_scratch=True),
        scratch_bytes=128,
    )
    with pytest.raises(UnsupportedError, match="takes different arguments"):
        lower(program(), [plain, scratch], ["cuda:sm_80", "cuda:sm_90"])


def test_several_amd_chips():
    chips = ["rocm:gfx942", "rocm:gfx1100"]
    kernels = [gpu_kernel("copy", chip, PARAMETERS) for chip in chips]
    with pytest.raises(UnsupportedError, match="cannot tell AMD chips apart"):
        lower(program(), kernels, chips)


def test_parameters_that_are_not_arguments():
    with pytest.raises(
        PassError, match="got argument 3, expected one of the program's 1"
    ):
        lower(program(), [KERNEL], parameters=[ProgramParameter(3, "model", "w")])
    twice = [ProgramParameter(0, "model", "w"), ProgramParameter(0, "model", "v")]
    with pytest.raises(PassError, match="expected no repeats"):
        lower(program(), [KERNEL], parameters=twice)


def test_an_unknown_pass():
    with pytest.raises(PassError, match="unknown, expected one of") as caught:
        create_pass("outline-triton-executable")
    assert caught.value.hint == "did you mean outline-triton-executables?"
