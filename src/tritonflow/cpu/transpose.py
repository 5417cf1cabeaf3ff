# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Copies of a block whose axes are exchanged, in square pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .lanes import Vector, as_vector
from .strips import Coordinate, Nest, Strip, strip_width
from .transpose_kernels import TRANSPOSE_EDGE, transpose

if TYPE_CHECKING:
    from .materialize import Environment
    from .scratch import Scratch
    from .values import ViewBlock


def emit_transposed(
    environment: Environment, view: ViewBlock, scratch: Scratch
) -> None:
    """Emits a view whose last axis is not the last one of its source into scratch.

    Strips of the source are read along its own last axis, sixteen at a time, and
    transposed in registers.
    """
    builder = environment.builder
    source = view.operands[0]
    captures = environment.prepare([source], source.shape)
    nest = Nest(builder)
    nest.captures = captures
    last = len(view.shape) - 1
    source_last = len(source.shape) - 1
    lane_axis = view.source_axes[source_last]
    assert lane_axis is not None
    height = strip_width(view.shape[last], TRANSPOSE_EDGE)
    width = strip_width(view.shape[lane_axis], TRANSPOSE_EDGE)
    position = [Coordinate(builder.idx(0))] * len(view.shape)
    for axis, extent in enumerate(view.shape):
        step = {last: height, lane_axis: width}.get(axis, 1)
        position[axis], _ = nest.open_loop(extent, step)
    rows = []
    for row in range(height):
        at = list(position)
        start = position[last]
        at[last] = Coordinate(
            builder.add(start.value, builder.idx(row)), len(nest.loops)
        )
        strip = Strip(nest, tuple(at), lane_axis, width)
        moved = [strip.zero() if a is None else at[a] for a in view.source_axes]
        lanes = strip.moved(moved, source_last).evaluate(source)
        rows.append(as_vector(builder, lanes, width))
    for column, turned in enumerate(transpose(rows)):
        at = list(position)
        start = position[lane_axis]
        value = builder.add(start.value, builder.idx(column))
        at[lane_axis] = Coordinate(value, len(nest.loops))
        scratch.store(Strip(nest, tuple(at), last, height), Vector(turned))
    while nest.loops:
        nest.close_loop()
    environment.finish(captures)
