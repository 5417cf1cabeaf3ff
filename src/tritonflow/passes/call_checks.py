# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a call fits the compiled kernel that it calls."""

from __future__ import annotations

from ..compiler.compiled import CompiledKernel, KernelParameter
from ..dialect.call import CallOp
from ..dialect.launch import LaunchParameter, decode_parameters
from ..errors import SignatureError, SourceLocation, UnsupportedError
from ..mlir import arith, ir, source_location
from ..target import Target
from .scalar_folding import resize

GRID_LIMITS = {
    "cpu": (2**31 - 1, 2**31 - 1, 2**16 - 1),
    "cuda": (2**31 - 1, 2**16 - 1, 2**16 - 1),
    "rocm": (2**31 - 1, 2**31 - 1, 2**31 - 1),
}
"""Most workgroups along x, y and z, by kind of device.

Source: CUDA programming guide, table of compute capabilities; HIP's
`hipDeviceProp_t.maxGridSize`; IREE's `iree_hal_executable_workgroup_state_v0_t`, whose
x and y count further than `tl.program_id`, an i32, can.
"""

BINDING_LIMITS = {"cpu": 32, "cuda": 64, "rocm": 64}
"""Most arrays of a dispatch, by kind of device.

Source: IREE's messages, when it loads an executable for a CPU of more than 32, and when
a program dispatches any with more than 64.
"""

_LARGEST_CHECKED = 2**31 - 1
"""Limits below this one are checked at run time too: symbolic sizes do reach them."""

_UNSIGNED_AT_MOST = 7
"""`arith.cmpi` predicate `ule`, which negative sizes do not pass either."""


def check_call(call: CallOp, kernel: CompiledKernel, target: Target) -> None:
    """Raises SignatureError unless `call` may run `kernel` on `target`.

    More arrays than IREE can pass are an UnsupportedError. Checked otherwise are the
    number of parameters, buffers against scalars, element types, the grid, and that
    every buffer the kernel writes is a result. A grid that is known at run time only is
    checked by the program: a CPU would cut the bits off its z.
    """
    parameters = decode_parameters(call.parameters)
    if len(parameters) != len(kernel.parameters):
        raise SignatureError(
            f"kernel `{kernel.name}`: got {len(parameters)} run-time arguments, "
            f"expected {len(kernel.parameters)}: "
            f"{', '.join(p.name for p in kernel.parameters)}.",
            at=source_location(call.operation.location),
        )
    for launched, parameter in zip(parameters, kernel.parameters, strict=True):
        _check_type(call, kernel, launched, parameter)
        if parameter.is_pointer and parameter.is_written and launched.result is None:
            raise _undeclared_write(call, kernel, parameter)
    _check_grid(call, kernel, target)
    _check_bindings(call, kernel, target)


def fit_arguments(call: CallOp, kernel: CompiledKernel) -> list[ir.Value]:
    """Gives the arguments of `call`, its integers in the widths that `kernel` takes."""
    arguments = list(call.arguments)
    parameters = decode_parameters(call.parameters)
    for launched, parameter in zip(parameters, kernel.parameters, strict=True):
        if parameter.is_pointer or launched.operand is None:
            continue
        wanted = ir.Type.parse(parameter.type)
        value = arguments[launched.operand]
        if value.type != wanted:
            arguments[launched.operand] = resize(value, wanted)
    return arguments


def _check_type(
    call: CallOp,
    kernel: CompiledKernel,
    launched: LaunchParameter,
    parameter: KernelParameter,
) -> None:
    if launched.operand is not None:
        given = call.arguments[launched.operand].type
    else:
        assert launched.result is not None
        given = call.results[launched.result].type
    is_tensor = isinstance(given, ir.RankedTensorType)
    if is_tensor != parameter.is_pointer:
        raise SignatureError(
            f"`{parameter.name}` of kernel `{kernel.name}`: got `{given}`, expected "
            f"{'an array' if parameter.is_pointer else 'a scalar'}.",
            at=source_location(call.operation.location),
        )
    wanted = ir.Type.parse(parameter.type)
    found = ir.RankedTensorType(given).element_type if is_tensor else given
    if not _are_compatible(found, wanted, is_scalar=not is_tensor):
        raise SignatureError(
            f"`{parameter.name}` of kernel `{kernel.name}`: got element type "
            f"`{found}`, expected `{wanted}`.",
            at=source_location(call.operation.location),
        )


def _are_compatible(found: ir.Type, wanted: ir.Type, *, is_scalar: bool) -> bool:
    if found == wanted:
        return True
    if not isinstance(found, ir.IntegerType) or not isinstance(wanted, ir.IntegerType):
        return False
    # Triton has no signedness in its types, and scalars are widened as needed.
    return is_scalar or found.width == wanted.width


def _undeclared_write(
    call: CallOp, kernel: CompiledKernel, parameter: KernelParameter
) -> SignatureError:
    written_at = f" at {parameter.written_at}" if parameter.written_at else ""
    return SignatureError(
        f"`{parameter.name}` of kernel `{kernel.name}`: the kernel writes it"
        f"{written_at}, expected an argument that is only read.",
        at=_location(parameter) or source_location(call.operation.location),
        hint=f"name `{parameter.name}` in input_output_aliases, or leave it out of the "
        "arguments so that it becomes an output",
    )


def _location(parameter: KernelParameter) -> SourceLocation | None:
    if parameter.written_at is None:
        return None
    file, _, line = parameter.written_at.rpartition(":")
    return SourceLocation(file, int(line)) if line.isdigit() else None


def _check_grid(call: CallOp, kernel: CompiledKernel, target: Target) -> None:
    limits = GRID_LIMITS[target.backend]
    for axis, size, limit in zip("xyz", call.grid, limits, strict=True):
        known = constant_value(size)
        if known is None and limit < _LARGEST_CHECKED:
            _assert_at_most(size, limit, f"grid of kernel {kernel.name} along {axis}")
        if known is not None and known > limit:
            raise SignatureError(
                f"`grid` of kernel `{kernel.name}`: got {known} programs along {axis}, "
                f"expected at most {limit} on `{target}`.",
                at=source_location(call.operation.location),
                hint="fold the large dimension into x, whose limit is the highest",
            )


def _check_bindings(call: CallOp, kernel: CompiledKernel, target: Target) -> None:
    count = sum(parameter.is_pointer for parameter in kernel.parameters)
    limit = BINDING_LIMITS[target.backend]
    if count > limit:
        raise UnsupportedError(
            f"kernel `{kernel.name}`: got {count} arrays, expected at most {limit} on "
            f"`{target}`.",
            at=source_location(call.operation.location),
            hint="put several arrays into one, at offsets that the kernel is told",
        )


def _assert_at_most(size: ir.Value, limit: int, subject: str) -> None:
    """Makes the program fail if `size` is over `limit`, right where it is computed."""
    message = f"{subject}: more than {limit} programs"
    with _behind(size):
        most = arith.constant(size.type, ir.IntegerAttr.get(size.type, limit))
        ir.Operation.create(
            "cf.assert",
            operands=[arith.cmpi(_UNSIGNED_AT_MOST, size, most)],
            attributes={"msg": ir.StringAttr.get(message)},
        )


def _behind(value: ir.Value) -> ir.InsertionPoint:
    if isinstance(value, ir.BlockArgument):
        return ir.InsertionPoint.at_block_begin(ir.BlockArgument(value).owner)
    return ir.InsertionPoint.after(ir.OpResult(value).owner.operation)


def constant_value(value: ir.Value) -> int | None:
    """Gives the number that `value` always is, or None."""
    if isinstance(value, ir.BlockArgument):
        return None
    operation = ir.OpResult(value).owner.operation
    if operation.name != "arith.constant":
        return None
    attribute = operation.attributes["value"]
    return attribute.value if isinstance(attribute, ir.IntegerAttr) else None
