# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Programs: loading artifacts and calling them."""

from __future__ import annotations

import mmap
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from iree import runtime as rt

from ..errors import ParameterError, SignatureError
from ..jax.pytree import flatten, unflatten
from . import after_fork
from .arguments import to_private_view, to_view
from .array import Array, view_of
from .artifact import read_artifact, write_file, write_folder
from .devices import Device, open_device
from .elements import DTYPES
from .fit import check_fit, default_device
from .manifest import Manifest, TensorSpec
from .module import LoadedModule, read_manifest
from .outputs import write_outputs
from .parameters import Source, flatten_arrays, open_parameters
from .safetensors import write_safetensors
from .signature import Found, check_call

_MAX_REMEMBERED_CALLS = 256


class Program:
    """A compiled program: call it, or save it.

    `tritonflow.compile` and `tritonflow.load` make programs. Calling one takes the same
    pytree of arguments as the compiled function, without those that are parameters.

    Args:
        data: the artifact's bytes, checked.
        note: what came with them, from `artifact.unseal`.
        stages: IR texts by file name, written beside the artifact.
    """

    def __init__(
        self,
        data: bytes | mmap.mmap,
        note: Mapping[str, Any],
        manifest: Manifest,
        *,
        subject: str,
        device: str | None = None,
        threads: int | None = None,
        parameters: Source | None = None,
        stages: Mapping[str, str | bytes] | None = None,
    ) -> None:
        self._data = data
        self._note = note
        self._manifest = manifest
        self._subject = subject
        self._device_name = device
        self._threads = threads
        self._source = parameters
        self._stages = stages
        self._module: LoadedModule | None = None
        self._start_lock = threading.Lock()
        self._accepted: set[tuple[Found, ...]] = set()
        self._specs = manifest.inputs
        # What the last call was given; None fits no array.
        self._last_call: tuple[Found | None, ...] = (None,) * len(self._specs)
        # What is known here need not be asked of every result.
        self._result_specs = [
            (DTYPES[spec.dtype], _as_found(spec)) for spec in manifest.outputs
        ]
        consumed = note.get("consumed_inputs", ())
        self._is_consumed = [i in consumed for i in range(len(self._specs))]
        self._takes_leaves = _is_flat(manifest.in_tree)
        self._gives_leaf = manifest.out_tree["kind"] == "leaf"
        after_fork.register(self)

    @property
    def name(self) -> str:
        """Name of the compiled function."""
        return self._manifest.name

    @property
    def targets(self) -> tuple[str, ...]:
        """What it was compiled for, such as `("cuda:sm_80", "cuda:sm_90")`."""
        return self._manifest.targets

    @property
    def inputs(self) -> list[dict[str, Any]]:
        """`name`, `dtype` and `shape` of every array that a call takes, flat."""
        return [asdict(spec) for spec in self._manifest.inputs]

    @property
    def outputs(self) -> list[dict[str, Any]]:
        """`name`, `dtype` and `shape` of every array that a call gives, flat."""
        return [asdict(spec) for spec in self._manifest.outputs]

    @property
    def parameters(self) -> list[dict[str, Any]]:
        """`name`, `dtype` and `shape` of every weight that lives outside."""
        return [asdict(spec) for spec in self._manifest.parameters]

    @property
    def kernels(self) -> list[dict[str, Any]]:
        """Name, key and, by target, launch numbers and ABI of every kernel."""
        return list(self._manifest.kernels)

    @property
    def toolchain(self) -> dict[str, str]:
        """Versions of the packages that compiled it."""
        return dict(self._manifest.toolchain)

    def __repr__(self) -> str:
        inputs, outputs = (
            ", ".join(f"{spec.name}: {spec}" for spec in specs)
            for specs in (self._manifest.inputs, self._manifest.outputs)
        )
        return (
            f"Program({self.name} for {', '.join(self.targets)}: {inputs} -> {outputs})"
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the artifact to `path`, all or nothing.

        A program compiled with `keep_ir` also writes its stages to `<path>.ir/`.

        Raises: ArtifactError: the file cannot be written.
        """
        write_file(path, [self._data])
        if self._stages is None:
            return
        write_folder(f"{os.fspath(path)}.ir", self._stages)

    def save_parameters(self, path: str | os.PathLike[str]) -> None:
        """Writes the weights that the program was compiled with, as safetensors.

        Raises: ParameterError: it has none, or was compiled with shapes alone.
        """
        if not isinstance(self._source, Mapping):
            raise ParameterError(
                f"`{self._subject}`: the values of its parameters are not here.",
                hint="compile with arrays for the arguments in `param_argnums`",
            )
        arrays = {k: np.asarray(v) for k, v in flatten_arrays(self._source).items()}
        write_safetensors(path, arrays)

    def __call__(self, *args: Any, out: Any = None) -> Any:
        """Runs the program and gives its result as the compiled function would.

        Args:
            args: the arguments' pytree, or all its leaves in order. NumPy, JAX and
                DLPack arrays and earlier results. Memory is shared where it is on the
                device already (on a CPU: contiguous and aligned to 64 bytes), else
                copied. Inputs are never written to.
            out: arrays for the results, in the result's pytree: NumPy arrays, tensors
                that share their memory with NumPy, or earlier results. Each receives
                a copy, and `out` is returned. The copy is one more pass over memory,
                0.8 ms for 16 MiB on a CPU: it saves the caller an allocation, no time.

        Returns: the result's pytree with `Array` leaves, complete when it returns.

        Raises: SignatureError: an array does not fit; LaunchError: the run failed.
        """
        if self._takes_leaves and len(args) == len(self._specs):
            leaves: Sequence[Any] = args
        else:
            leaves = self._flatten(args)
        results = self.call_flat(leaves)
        if out is not None:
            return write_outputs(out, results, self._manifest)
        if self._gives_leaf:
            return results[0]
        return unflatten(self._manifest.out_tree, results)

    def call_flat(self, leaves: Sequence[Any]) -> list[Array]:
        """Runs the program on the flat list of its inputs; gives the flat results.

        Raises: SignatureError: an array does not fit; LaunchError: the run failed.
        """
        if len(leaves) != len(self._specs):
            raise self._wrong_count(len(leaves))
        module = self._module or self._start()
        device = module.device
        if device.cuda is not None:
            device.cuda.enter()
        inputs = rt.VmVariantList(len(leaves))
        owners: list[Any] = []
        # Of calls in a row with results on the device nothing has to be looked up.
        for value, spec in zip(leaves, self._last_call):  # noqa: B905
            if (
                type(value) is not Array
                or value.spec is not spec
                or value._device is not device
            ):
                inputs = self._bind(leaves, device, owners)
                break
            inputs.push_ref(value._ref)  # pyright: ignore[reportArgumentType]
        outputs = rt.VmVariantList(len(self._result_specs))
        module.invoke(inputs, outputs)
        results = []
        for index, (dtype, spec) in enumerate(self._result_specs):
            ref = outputs.get_as_ref(index)
            if spec is None:
                spec = dtype, tuple(view_of(ref).shape)
            results.append(Array(ref, device, spec))
        return results

    def _bind(
        self, leaves: Sequence[Any], device: Device, owners: list[Any]
    ) -> rt.VmVariantList:
        """Puts every leaf on the device and checks what it is.

        Memory that is shared with an owner has to live until the call is over.
        """
        inputs = rt.VmVariantList(len(leaves))
        found = []
        for value, spec, consumed in zip(leaves, self._specs, self._is_consumed):  # noqa: B905
            if type(value) is Array and value._device is device and not consumed:
                inputs.push_ref(value._ref)  # pyright: ignore[reportArgumentType]
                found.append(value.spec)
                continue
            share = to_private_view if consumed else to_view
            view, seen, owner = share(value, spec, device)
            inputs.push_ref(view)  # pyright: ignore[reportArgumentType]
            found.append(seen)
            owners.append(owner)
        call = tuple(found)
        if call not in self._accepted:
            self._check(call)
        self._last_call = (None,) * len(call) if any(self._is_consumed) else call
        return inputs

    def _check(self, call: tuple[Found, ...]) -> None:
        check_call(self._specs, call, self._manifest.constraints)
        if len(self._accepted) < _MAX_REMEMBERED_CALLS:
            self._accepted.add(call)

    def _flatten(self, args: tuple[Any, ...]) -> Sequence[Any]:
        """Leaves of the arguments' pytree; or the arguments, if they are all leaves."""
        tree = self._manifest.in_tree
        flat = all(hasattr(a, "shape") for a in args)
        if flat and len(args) == len(self._specs):
            return args
        expected = len(tree["children"])
        if len(args) != expected:
            raise self._wrong_count(len(args))
        names = _argument_names(self._manifest)
        return [
            leaf
            for child, value, name in zip(tree["children"], args, names, strict=True)
            for leaf in flatten(child, value, name)
        ]

    def _wrong_count(self, count: int) -> SignatureError:
        expected = ", ".join(f"{spec.name}: {spec}" for spec in self._specs)
        return SignatureError(
            f"`{self._subject}`: got {count} arguments, expected "
            f"{len(self._manifest.in_tree['children'])} ({expected or 'none'})."
        )

    def _start(self) -> LoadedModule:
        """Puts the module on its device, once."""
        with self._start_lock:
            if self._module is None:
                self._module = self._load()
            return self._module

    def forget_device(self) -> None:
        """In a forked child: the next call loads the program there."""
        after_fork.keep_for_ever(self._module)
        self._module = None
        self._start_lock = threading.Lock()

    def _load(self) -> LoadedModule:
        name = self._device_name
        if name is None:
            name = default_device(self.targets)
        device = open_device(
            name,
            threads=self._threads,
            local_memory_bytes=self._note.get("local_memory_bytes", 0),
        )
        check_fit(self._manifest, self._note, device, self._subject)
        if device.cuda is not None:
            device.cuda.enter()
        providers = []
        if self._manifest.parameters or self._source is not None:
            providers.append(self._open_parameters())
        return LoadedModule(self._data, device, providers, self._subject)

    def _open_parameters(self) -> rt.ParameterProvider:
        specs = self._manifest.parameters
        if self._source is None:
            raise ParameterError(
                f"`{self._subject}`: needs {len(specs)} parameters, `{specs[0].name}` "
                "the first, and got none.",
                hint="load(..., parameters='model.safetensors'); on the command line "
                "--parameters model.safetensors",
            )
        return open_parameters(self._source, specs, self._subject)


def load(
    path: str | os.PathLike[str],
    device: str | None = None,
    parameters: Source | None = None,
    *,
    threads: int | None = None,
) -> Program:
    """Gives the program in the artifact at `path`, on a device and ready to run.

    Args:
        device: cpu, cuda, cuda:1 or hip; None for the kind that it was compiled for.
        parameters: `.safetensors` or `.irpa` files, mapped into memory, or arrays in
            the pytree that was compiled or in a dictionary by dotted key.
        threads: of a CPU; None for as many as this process may run on. With one, the
            program runs on the caller's thread.

    Raises:
        ArtifactError: no such file, or truncated, altered, foreign, or of a later
            version; nothing in it is used before its checksum is right.
        TargetError: no such device here, or it cannot run the artifact's code.
        ParameterError: a weight is missing, superfluous, or of another type or shape.
    """
    subject = os.fspath(path)
    data, note = read_artifact(path)
    manifest = read_manifest(data, subject)
    program = Program(
        data,
        note,
        manifest,
        subject=subject,
        device=device,
        threads=threads,
        parameters=parameters,
    )
    program._start()
    return program


def _as_found(spec: TensorSpec) -> Found | None:
    """What an array of `spec` is found to be; None if calls alone know its sizes."""
    sizes = [size for size in spec.shape if isinstance(size, int)]
    if len(sizes) < len(spec.shape):
        return None
    return DTYPES[spec.dtype], tuple(sizes)


def _is_flat(in_tree: Mapping[str, Any]) -> bool:
    return all(child["kind"] == "leaf" for child in in_tree["children"])


def _argument_names(manifest: Manifest) -> list[str]:
    """The name of each argument, which begins the names of its leaves."""
    names = []
    position = 0
    for index, child in enumerate(manifest.in_tree["children"]):
        count = _leaf_count(child)
        first = manifest.inputs[position].name if count else f"argument {index}"
        names.append(first.partition(".")[0])
        position += count
    return names


def _leaf_count(tree: Mapping[str, Any]) -> int:
    if tree["kind"] == "leaf":
        return 1
    return sum(_leaf_count(child) for child in tree.get("children", ()))
