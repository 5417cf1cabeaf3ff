# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""What a program's symbolic sizes must fulfil: `constraints=` of `symbolic_shape`.

JAX uses them while it traces, as do kernels: a size that is known to be a multiple of
16 is compiled as one. So every call has to be checked. JAX's scopes have no public
attribute for them, but every exported module tests them, each by an assertion with the
constraint in its message. IREE has no use for those assertions: the module's own text
is where constraints are read from.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_ASSERTION = re.compile(
    r'error_message = "Input shapes do not match the symbolic shape constraint '
    r"(?P<text>[^\"]+?)\. Expected '(?P<expression>[^']+)' "
    r"to be (?P<relation>equal to|greater or equal to) 0"
)


class SizeConstraint(NamedTuple):
    """`expression` of the symbols is 0 if `is_equation`, else 0 or more.

    `text` is the same as the user wrote it, such as `mod(b, 4) == 0`.
    """

    text: str
    expression: str
    is_equation: bool


def read_constraints(module_text: str) -> tuple[SizeConstraint, ...]:
    """Gives the constraints that the exported module `module_text` tests, each once."""
    found = (
        SizeConstraint(m["text"], m["expression"], m["relation"] == "equal to")
        for m in _ASSERTION.finditer(module_text)
    )
    return tuple(dict.fromkeys(found))
