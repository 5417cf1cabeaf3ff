# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Triton's TTIR text in the spelling that jaxlib's `tt` dialect reads.

Some things of Triton's are unknown to it, which ones depends on the versions of both.
Most are hints to a GPU that change no result of a program that runs alone, so the copy
of the IR that effects and the CPU are read from does without them; GPU code is made
from Triton's own IR and keeps them. An operation that only one of the two has a syntax
for is written in the generic form, which needs none, and marked `foreign`.
"""

from __future__ import annotations

import re

_CACHE_POLICY = r"cachePolicy = #tt\.cache_policy<[^>]*>"
_REWRITES = (
    # tt.load %p {cachePolicy = #tt.cache_policy<...>, isVolatile = true} : ...
    (re.compile(rf" \{{{_CACHE_POLICY}\}}"), ""),
    (re.compile(rf"{_CACHE_POLICY}, "), ""),
    (re.compile(rf", {_CACHE_POLICY}"), ""),
    # Until Triton 3.8: tt.load %p cacheModifier = cg evictionPolicy = evict_last : ...
    (re.compile(r" (?:cacheModifier|evictionPolicy) = \w+"), ""),
    # Gone from jaxlib 0.11: %c = tt.cat %a, %b : tensor<4xf32> -> tensor<8xf32>
    (
        re.compile(r"= tt\.cat (%[^\s,]+), (%\S+) : (tensor<\S+>) -> (tensor<\S+>)"),
        r'= "foreign.tt.cat"(\1, \2) : (\3, \3) -> \4',
    ),
    # Programs of a grid are one thread each here: nobody to wait for.
    (re.compile(r"^\s*(?:ttg|gpu)\.barrier[^\n]*\n", re.MULTILINE), ""),
    (re.compile(r"^\s*tt\.grid_dependency_\w+[^\n]*\n", re.MULTILINE), ""),
    # Until Triton 3.8 the same in PTX.
    (
        re.compile(
            r'^\s*(?:%\S+ = )?tt\.elementwise_inline_asm "griddepcontrol\.[^\n]*\n',
            re.MULTILINE,
        ),
        "",
    ),
    # tl.assume: jaxlib may lack the `llvm` dialect.
    (re.compile(r"^\s*llvm\.intr\.assume[^\n]*\n", re.MULTILINE), ""),
    # !tt.ptr<f16, "constant">
    (re.compile(r'(!tt\.ptr<[^<>",]+), (?:"\w+"|\d+)>'), r"\1>"),
    # Triton 3.6: !tt.tensordesc<tensor<64x64xf16>>, also in a short form.
    (re.compile(r"(?<!ptr)<tensor<([^<>]+)>>"), r"<\1>"),
)


_PRIVATE = re.compile(r'tt\.func private @("[^"]+"|[\w.$-]+)\(')


_FILE_LINE = re.compile(r'loc\("(?:[^"\\]|\\.)+":\d+:\d+\)')


def with_plain_assertions(text: str, name: str) -> str:
    """Gives TTIR whose assertions, if it has any, say kernel `name` instead of a line.

    A device writes file and line of a failed assertion, so they are in its code.
    """
    if "tt.assert" not in text:
        return text
    return _FILE_LINE.sub(f'loc("{name}":0:0)', text)


def with_plain_callees(text: str) -> str:
    """Gives TTIR whose functions that stay functions are `callee_0`, `callee_1`, ...

    Triton names them after the Python module, whose name depends on how it was
    imported; code and keys must not.
    """
    names = {
        name: f"callee_{number}"
        for number, name in enumerate(dict.fromkeys(_PRIVATE.findall(text)))
    }
    for name, plain in names.items():
        text = re.sub(rf"@{re.escape(name)}(?![\w.$-])", f"@{plain}", text)
    return text


def readable_ttir(text: str) -> str:
    """Gives the TTIR of `text` without what jaxlib's parser does not know."""
    for pattern, replacement in _REWRITES:
        text = pattern.sub(replacement, text)
    return text
