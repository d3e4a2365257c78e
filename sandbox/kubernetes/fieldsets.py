"""Sets of field paths, as managedFields hold them: which fields a value has, what two values differ in.

The rules are those of structured-merge-diff. A path is a tuple of its steps as FieldsV1 writes them:
`f:name`, `k:{"name":"x"}`, `v:"x"`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from sandbox.kubernetes.jsontypes import Json, Object
from sandbox.kubernetes.schema import ANY, Node

__all__ = [
    "FieldSet",
    "Path",
    "compare",
    "fields_of",
    "from_fields_v1",
    "item_step",
    "readable",
    "remove",
    "to_fields_v1",
]

Path = tuple[str, ...]
FieldSet = frozenset[Path]
_MISSING = object()


def to_fields_v1(paths: Iterable[Path]) -> Object:
    root: Object = {}
    for path in sorted(paths):
        node = root
        for step in path:
            node = node.setdefault(step, {})
        node["."] = {}

    def tidy(node: Object) -> None:
        if len(node) == 1 and "." in node:
            del node["."]
            return
        for key, child in node.items():
            if key != ".":
                tidy(child)

    for child in root.values():
        tidy(child)
    return root


def from_fields_v1(tree: Object) -> FieldSet:
    out: set[Path] = set()

    def walk(node: Object, path: Path) -> None:
        if path and (not node or "." in node):
            out.add(path)
        for key, child in node.items():
            if key != ".":
                walk(child or {}, (*path, key))

    walk(tree, ())
    return frozenset(out)


def item_step(node: Node, item: Json) -> str:
    """The step of one item of a list map or set."""
    if node.keys and isinstance(item, dict):
        defaults = node.element.defaults if node.element else {}
        keys = {}
        for key in sorted(node.keys):
            value = item.get(key, defaults.get(key))
            if value is not None:
                keys[key] = value
        return "k:" + json.dumps(keys, separators=(",", ":"), ensure_ascii=False)
    return "v:" + json.dumps(item, separators=(",", ":"), ensure_ascii=False)


def _granular(node: Node, value: Json) -> bool:
    if node.atomic or node.shape in ("scalar", "any"):
        return node.shape == "any" and isinstance(value, dict) and not node.atomic
    return isinstance(value, list) if node.shape == "list" else isinstance(value, dict)


def fields_of(node: Node, value: Json) -> FieldSet:
    """All fields a value sets."""
    out: set[Path] = set()
    _collect(node, value, (), out)
    return frozenset(out)


def _collect(node: Node, value: Json, path: Path, out: set[Path]) -> None:
    if not _granular(node, value):
        if node.shape in ("scalar", "any") or node.atomic:
            out.add(path)
        return
    if node.shape == "list":
        element = node.element or ANY
        for item in value:
            here = (*path, item_step(node, item))
            _collect(element, item, here, out)
            out.add(here)
        return
    for key, item in value.items():
        child = node.child(key)
        here = (*path, f"f:{key}")
        _collect(child or ANY, item, here, out)
        if item is None or item == {} or child is None or node.shape == "map":
            out.add(here)


def _items(node: Node, value: Json) -> dict[str, Json]:
    if node.shape == "list":
        return {item_step(node, item): item for item in value or ()}
    return {f"f:{key}": item for key, item in (value or {}).items()}


def compare(node: Node, old: Json, new: Json) -> tuple[FieldSet, FieldSet, FieldSet]:
    """What was removed, modified and added between two values of a type."""
    removed: set[Path] = set()
    modified: set[Path] = set()
    added: set[Path] = set()

    def walk(node: Node, left: Json, right: Json, path: Path) -> None:
        if left is not _MISSING and right is not _MISSING and left == right:
            return
        container = list if node.shape == "list" else dict
        misshapen = not all(
            side is _MISSING or side is None or isinstance(side, container) for side in (left, right)
        )
        leaf = node.shape in ("scalar", "any") or node.atomic or misshapen
        if leaf:
            if left is _MISSING:
                added.add(path)
            elif right is _MISSING:
                removed.add(path)
            else:
                modified.add(path)
            return
        left_items = _items(node, None if left is _MISSING else left)
        right_items = _items(node, None if right is _MISSING else right)
        for step in {**left_items, **right_items}:
            child = (node.element if node.shape == "list" else node.child(step[2:])) or ANY
            before, after = left_items.get(step, _MISSING), right_items.get(step, _MISSING)
            here = (*path, step)
            walk(child, before, after, here)
            if before is _MISSING:
                added.add(here)
            elif after is _MISSING:
                removed.add(here)

    walk(node, old, new, ())
    return frozenset(removed), frozenset(modified), frozenset(added)


def remove(node: Node, value: Json, paths: FieldSet) -> Json:
    """The value without the fields of a set; a map or list that becomes empty turns into None."""
    if not paths or not _granular(node, value):
        return value
    whole = {path[0] for path in paths if len(path) == 1}
    deeper: dict[str, set[Path]] = {}
    for path in paths:
        if len(path) > 1:
            deeper.setdefault(path[0], set()).add(path[1:])
    if node.shape == "list":
        items = []
        for item in value:
            step = item_step(node, item)
            if step in whole:
                continue
            items.append(remove(node.element or ANY, item, frozenset(deeper.get(step, ()))))
        return items or None
    out = {}
    for key, item in value.items():
        step = f"f:{key}"
        if step in whole:
            continue
        out[key] = remove(node.child(key) or ANY, item, frozenset(deeper.get(step, ())))
    return out or None


def readable(path: Path) -> str:
    """A path as conflict texts write it: `.spec.containers[name="x"].image`."""
    out = ""
    for step in path:
        kind, rest = step[0], step[2:]
        if kind == "f":
            out += f".{rest}"
        elif kind == "k":
            pairs = json.loads(rest)
            inner = ",".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in pairs.items())
            out += f"[{inner}]"
        else:
            out += f"[={rest}]" if kind == "v" else f"[{rest}]"
    return out
