# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""Pytrees as JSON: what a program takes and gives, without JAX at run time.

A description is a dictionary with a `kind`:

| kind | further keys |
|---|---|
| `leaf` | `index`: position in the flat list |
| `none` | |
| `list`, `tuple` | `children` |
| `dict` | `keys` (strings or numbers), `children` |
| `namedtuple` | `name`, `fields`, `children` |
| `custom` | `name` of the class, `keys`, `children` |

A `custom` one is a class registered with JAX: JAX flattens it, nothing rebuilds it.
The flat order is JAX's own. Only `describe` and a `custom` node need JAX.
"""

from __future__ import annotations

import collections
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..errors import SignatureError, UnsupportedError

Description = dict[str, Any]
"""JSON-able structure of a pytree."""


def describe(tree: Any) -> tuple[Description, list[Any], list[str]]:
    """Gives the description of `tree`, its leaves, and a dotted path for each leaf.

    Raises: UnsupportedError: if a dictionary has a key that JSON cannot hold.
    """
    leaves: list[Any] = []
    paths: list[str] = []
    description = _describe(tree, (), leaves, paths)
    return description, leaves, paths


def flatten(description: Description, tree: Any, name: str = "argument") -> list[Any]:
    """Gives the leaves of `tree`, which must have the described structure.

    A tuple is taken where a list is described and the other way round.

    Raises: SignatureError: naming the part of `tree` that differs.
    """
    return list(_flatten(description, tree, name))


def unflatten(description: Description, leaves: Sequence[Any]) -> Any:
    """Gives the pytree with `leaves[i]` in the place of leaf `i`.

    A named tuple comes back as one of a class made here, with the same name and fields.
    """
    kind = description["kind"]
    if kind == "leaf":
        return leaves[description["index"]]
    if kind == "none":
        return None
    children = [unflatten(child, leaves) for child in description["children"]]
    if kind == "list":
        return children
    if kind == "tuple":
        return tuple(children)
    if kind == "dict":
        return dict(zip(description["keys"], children, strict=True))
    if kind == "namedtuple":
        fields = description["fields"]
        return collections.namedtuple(description["name"], fields)(*children)  # noqa: PYI024
    raise UnsupportedError(
        f"a value of class `{description['name']}` cannot be rebuilt.",
        hint="let the function return tuples, lists and dictionaries",
    )


def has_custom_node(description: Description) -> bool:
    """Whether a class registered with JAX stands anywhere in the structure."""
    return description["kind"] == "custom" or any(
        has_custom_node(child) for child in description.get("children", ())
    )


def _keys(description: Description) -> Sequence[Any]:
    children = range(len(description.get("children", ())))
    return description.get("keys") or description.get("fields") or children


def _describe(
    tree: Any, path: tuple[str, ...], leaves: list[Any], paths: list[str]
) -> Description:
    node = _open(tree, path)
    if node is None:
        leaves.append(tree)
        paths.append(".".join(path))
        return {"kind": "leaf", "index": len(leaves) - 1}
    description, children = node
    if description["kind"] == "none":
        return description
    keys = _keys({**description, "children": children})
    described = [
        _describe(child, (*path, str(key)), leaves, paths)
        for key, child in zip(keys, children, strict=True)
    ]
    return {**description, "children": described}


def _open(tree: Any, path: tuple[str, ...]) -> tuple[Description, list[Any]] | None:
    """Gives a node's description without its children, and these; None for a leaf."""
    kind = type(tree)
    if tree is None:
        return {"kind": "none"}, []
    if kind in (dict, collections.OrderedDict, collections.defaultdict):
        return _open_mapping(tree, path)
    if kind in (list, tuple):
        return {"kind": kind.__name__}, list(tree)
    if isinstance(tree, tuple) and hasattr(kind, "_fields"):
        return {
            "kind": "namedtuple",
            "name": kind.__name__,
            "fields": list(kind._fields),  # pyright: ignore[reportAttributeAccessIssue]
        }, list(tree)
    return _open_custom(tree)


def _open_mapping(
    tree: Mapping[Any, Any], path: tuple[str, ...]
) -> tuple[Description, list[Any]]:
    # JAX keeps the order of an OrderedDict and sorts the keys of the others.
    ordered = isinstance(tree, collections.OrderedDict)
    keys = list(tree) if ordered else sorted(tree)
    for key in keys:
        if type(key) not in (str, int, float, bool):
            where = ".".join(path) or "the argument"
            raise UnsupportedError(
                f"`{where}`: a dictionary's key is {key!r} of type "
                f"`{type(key).__name__}`, expected a string or a number.",
            )
    return {"kind": "dict", "keys": keys}, [tree[key] for key in keys]


def _open_custom(tree: Any) -> tuple[Description, list[Any]] | None:
    from jax import tree_util

    if not tree_util.is_tree_node(type(tree)):
        return None
    pairs, _ = tree_util.tree_flatten_with_path(tree, is_leaf=lambda x: x is not tree)
    kind = type(tree)
    description = {
        "kind": "custom",
        "name": f"{kind.__module__}.{kind.__qualname__}",
        "keys": [key_name(path[0]) for path, _ in pairs],
    }
    return description, [child for _, child in pairs]


def key_name(key: Any) -> str:
    """Gives the word that stands for one of JAX's path entries: `q` for `['q']`."""
    for field in ("key", "name", "idx"):
        if hasattr(key, field):
            return str(getattr(key, field))
    return str(key)


def _flatten(description: Description, tree: Any, name: str) -> Iterator[Any]:
    kind = description["kind"]
    if kind == "leaf":
        yield tree
        return
    if kind == "none":
        if tree is not None:
            raise SignatureError(_difference(name, tree, "None"))
        return
    keys = list(_keys(description))
    values = _values(description, keys, tree, name)
    for key, child, value in zip(keys, description["children"], values, strict=True):
        yield from _flatten(child, value, f"{name}.{key}")


def _values(
    description: Description, keys: list[Any], tree: Any, name: str
) -> Sequence[Any]:
    kind = description["kind"]
    if kind == "dict":
        if not isinstance(tree, Mapping):
            raise SignatureError(_difference(name, tree, f"a dictionary of {keys}"))
        absent = [key for key in keys if key not in tree]
        unknown = [key for key in tree if key not in keys]
        if absent or unknown:
            raise SignatureError(
                f"`{name}`: dictionary lacks {absent} and has unexpected {unknown}, "
                f"expected the keys {keys}."
            )
        return [tree[key] for key in keys]
    if kind == "custom":
        return _custom_values(description, keys, tree, name)
    if not isinstance(tree, list | tuple):
        raise SignatureError(_difference(name, tree, f"a {kind} of {len(keys)}"))
    if len(tree) != len(keys):
        raise SignatureError(
            f"`{name}`: got {len(tree)} items, expected a {kind} of {len(keys)}."
        )
    return tree


def _custom_values(
    description: Description, keys: list[Any], tree: Any, name: str
) -> Sequence[Any]:
    node = None if tree is None else _open_custom(tree)
    if node is None or node[0]["name"] != description["name"]:
        expected = f"an object of class `{description['name']}`"
        raise SignatureError(_difference(name, tree, expected))
    if len(node[1]) != len(keys):
        raise SignatureError(
            f"`{name}`: got {len(node[1])} parts, expected {len(keys)}: {keys}."
        )
    return node[1]


def _difference(name: str, tree: Any, expected: str) -> str:
    return f"`{name}`: got `{type(tree).__name__}`, expected {expected}."
