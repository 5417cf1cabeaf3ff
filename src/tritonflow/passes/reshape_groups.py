# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Which dimensions a reshape splits or merges, as far as the types tell."""

from __future__ import annotations

from collections.abc import Sequence

Dims = Sequence[int | None]
"""Sizes of dimensions; None where only known at run time."""

Groups = list[list[int]]


def expansion_groups(coarse: Dims, fine: Dims) -> Groups | None:
    """Gives for each dimension of `coarse` the dimensions of `fine` that make it up.

    None if there is no such grouping, or if the types leave more than one: two dynamic
    dimensions might have changed places.
    """
    if sum(size is None for size in coarse) != 1 or not coarse:
        return None
    dynamic = list(coarse).index(None)
    head = _static_groups(coarse[:dynamic], fine, range(len(fine)))
    if head is None:
        return None
    start = sum(map(len, head))
    backwards = range(len(fine) - 1, start - 1, -1)
    tail = _static_groups(list(coarse[dynamic + 1 :])[::-1], fine, backwards)
    if tail is None:
        return None
    stop = len(fine) - sum(map(len, tail))
    middle = list(range(start, stop))
    if not any(fine[dim] is None for dim in middle):
        return None
    return [*head, middle, *[sorted(group) for group in reversed(tail)]]


def _static_groups(coarse: Dims, fine: Dims, order: Sequence[int]) -> Groups | None:
    """Groups `fine`, in the given order, into the static sizes `coarse`."""
    groups: Groups = []
    remaining = list(order)
    for size in coarse:
        group, product = [], 1
        while remaining and (product != size or not group):
            dim = remaining[0]
            part = fine[dim]
            if part is None or part == 0 or size is None:
                return None
            remaining.pop(0)
            group.append(dim)
            product *= part
        if product != size or not group:
            return None
        groups.append(group)
    return groups
