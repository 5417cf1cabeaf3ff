# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Targets as users write them."""

from __future__ import annotations

import pytest

from tritonflow.errors import TargetError
from tritonflow.target import Target, parse_targets


@pytest.mark.parametrize(
    ("text", "backend", "chip"),
    [
        ("cpu", "cpu", "host"),
        ("cpu:znver4", "cpu", "znver4"),
        ("cpu:x86-64-v3", "cpu", "x86-64-v3"),
        ("cuda:sm_75", "cuda", "sm_75"),
        ("cuda:sm_120", "cuda", "sm_120"),
        ("rocm:gfx942", "rocm", "gfx942"),
    ],
)
def test_parses_and_prints_back(text: str, backend: str, chip: str) -> None:
    target = Target.parse(text)
    assert (target.backend, target.chip) == (backend, chip)
    assert str(target) == text
    assert Target.parse(target) is target


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "unknown device kind"),
        ("gpu", "unknown device kind"),
        ("CPU", "unknown device kind"),
        ("cpu:", "no CPU after the colon"),
        ("cpu:a b", "not a CPU name"),
        ("cuda", "names no chip"),
        ("rocm:", "names no chip"),
        ("cuda:90", "unknown chip `90`"),
        ("cuda:sm_91", "sm_90"),
        ("rocm:gfx1", "gfx942"),
    ],
)
def test_refuses_what_it_does_not_know(text: str, part: str) -> None:
    with pytest.raises(TargetError, match=part):
        Target.parse(text)


def test_capability_and_warp_size() -> None:
    assert Target.parse("cuda:sm_90").capability == 90
    assert Target.parse("cuda:sm_120").capability == 120
    assert Target.parse("rocm:gfx942").warp_size == 64
    assert Target.parse("rocm:gfx1100").warp_size == 32
    with pytest.raises(TargetError, match="only cuda"):
        _ = Target.parse("cpu").capability


@pytest.mark.parametrize(
    ("texts", "part"),
    [
        ([], "none"),
        (["cuda:sm_80", "cuda:sm_80"], "named twice"),
        (["cpu", "cuda:sm_80"], "one device kind"),
        (["cpu", "cpu:znver4"], "one CPU"),
    ],
)
def test_refuses_sets_that_no_artifact_holds(texts: list[str], part: str) -> None:
    with pytest.raises(TargetError, match=part):
        parse_targets(texts)


def test_several_chips() -> None:
    assert [str(t) for t in parse_targets(["cuda:sm_80", "cuda:sm_90"])] == [
        "cuda:sm_80",
        "cuda:sm_90",
    ]
