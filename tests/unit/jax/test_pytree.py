# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Pytrees as JSON, compared with JAX's own flattening."""

from __future__ import annotations

import collections
import dataclasses
import json
import subprocess
import sys

import jax
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tritonflow.errors import SignatureError, UnsupportedError
from tritonflow.jax.pytree import (
    describe,
    flatten,
    has_custom_node,
    unflatten,
)

State = collections.namedtuple("State", ["cache", "step"])  # noqa: PYI024


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Layer:
    weight: object
    bias: object


LEAVES = st.integers() | st.floats(allow_nan=False)
TREES = st.recursive(
    LEAVES | st.none(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=4), inner, max_size=3)
        | st.dictionaries(st.integers(), inner, max_size=3)
        | st.builds(State, inner, inner)
    ),
    max_leaves=12,
)


@given(TREES)
def test_structure_survives_json_and_the_order_is_jaxs(tree):
    description, leaves, paths = describe(tree)
    found = jax.tree_util.tree_leaves_with_path(tree)
    expected = [leaf for _, leaf in found]
    assert leaves == expected
    assert paths == [
        jax.tree_util.keystr(path, simple=True, separator=".") for path, _ in found
    ]
    restored = json.loads(json.dumps(description))
    assert flatten(restored, tree) == expected
    rebuilt = unflatten(restored, leaves)
    assert rebuilt == tree
    assert jax.tree_util.tree_leaves(rebuilt) == expected


def test_paths_are_dotted():
    tree = {"layers": [{"q": 1, "k": 2}, State(3, (4,))], 7: None}
    _, _, paths = describe(tree["layers"])
    assert paths == ["0.k", "0.q", "1.cache", "1.step.0"]
    description, _, paths = describe({"layers": tree["layers"]})
    assert paths[0] == "layers.0.k"
    assert flatten(description, {"layers": tree["layers"]}) == [2, 1, 3, 4]


def test_ordered_dictionaries_keep_their_order():
    tree = collections.OrderedDict(b=1, a=2)
    description, leaves, paths = describe(tree)
    assert (leaves, paths) == (jax.tree_util.tree_leaves(tree), ["b", "a"])
    assert list(unflatten(description, leaves)) == ["b", "a"]
    default = collections.defaultdict(int, b=1, a=2)
    assert describe(default)[2] == ["a", "b"]


def test_registered_classes_are_flattened_and_not_rebuilt():
    tree = (Layer(1, {"x": 2}), 3)
    description, leaves, paths = describe(tree)
    assert (leaves, paths) == ([1, 2, 3], ["0.weight", "0.bias.x", "1"])
    assert has_custom_node(description)
    assert not has_custom_node(describe((1, None))[0])
    assert flatten(json.loads(json.dumps(description)), tree) == leaves
    with pytest.raises(UnsupportedError, match=r"class `.*Layer` cannot be rebuilt"):
        unflatten(description, leaves)
    with pytest.raises(SignatureError, match=r"`x\.0`: got `int`, expected an object"):
        flatten(description, (1, 3), "x")


@pytest.mark.parametrize(
    ("tree", "other", "message"),
    [
        (
            {"a": 1},
            {"b": 1},
            r"`x`: dictionary lacks \['a'\] and has unexpected \['b'\]",
        ),
        ({"a": 1}, [1], "`x`: got `list`, expected a dictionary"),
        ((1, (2, 3)), (1, 2), r"`x\.1`: got `int`, expected a tuple of 2"),
        ([1, 2], [1, 2, 3], "`x`: got 3 items, expected a list of 2"),
        (State(1, 2), (1,), "`x`: got 1 items, expected a namedtuple of 2"),
        ({"a": None}, {"a": 1}, r"`x\.a`: got `int`, expected None"),
    ],
)
def test_differences_are_named(tree, other, message):
    description, _, _ = describe(tree)
    with pytest.raises(SignatureError, match=message):
        flatten(description, other, "x")


def test_lists_stand_for_tuples():
    description, _, _ = describe(((1, 2), 3))
    assert flatten(description, [[5, 6], 7]) == [5, 6, 7]


def test_keys_that_json_cannot_hold_are_refused():
    with pytest.raises(UnsupportedError, match=r"`a`: a dictionary's key is \(1, 2\)"):
        describe({"a": {(1, 2): 3}})


def test_nothing_but_describe_needs_jax():
    code = (
        "import sys; from tritonflow.jax.pytree import flatten, unflatten; "
        "leaf = {'kind': 'leaf', 'index': 0}; "
        "assert flatten({'kind': 'list', 'children': [leaf]}, [3]) == [3]; "
        "assert unflatten({'kind': 'list', 'children': [leaf]}, [4]) == [4]; "
        "sys.exit('jax' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
