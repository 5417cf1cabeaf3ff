# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""The passes by the names that `tritonflow opt` takes."""

from __future__ import annotations

import difflib
import importlib

from ..errors import PassError
from .base import ModulePass, PassOptions

PASSES = {
    "inline-shape-functions": "InlineShapeFunctionsPass",
    "legalize-dynamic-shapes": "LegalizeDynamicShapesPass",
    "legalize-triton-calls": "LegalizeTritonCallsPass",
    "strip-foreign-attributes": "StripForeignAttributesPass",
    "outline-triton-executables": "OutlineTritonExecutablesPass",
    "refine-triton-abi": "RefineTritonAbiPass",
    "lower-triton-to-hal": "LowerTritonToHalPass",
    "lower-triton-to-stream": "LowerTritonToStreamPass",
    "form-parameter-globals": "FormParameterGlobalsPass",
    "isolate-results": "IsolateResultsPass",
    "attach-reflection": "AttachReflectionPass",
    "assign-device": "AssignDevicePass",
}
"""Class of each pass; its module has the pass's name, with underscores."""


def create_pass(name: str, options: PassOptions | None = None) -> ModulePass:
    """Gives the pass called `name`. Raises PassError on any other name."""
    if name not in PASSES:
        close = difflib.get_close_matches(name, PASSES, n=1)
        raise PassError(
            f"pass `{name}`: unknown, expected one of {', '.join(PASSES)}.",
            hint=f"did you mean {close[0]}?" if close else None,
        )
    package = __package__
    module = importlib.import_module(f".{name.replace('-', '_')}", package)
    return getattr(module, PASSES[name])(options)
