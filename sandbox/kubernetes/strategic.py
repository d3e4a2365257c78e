"""Strategic merge patch: lists merge by their key.

Directives: $patch, $deleteFromPrimitiveList, $setElementOrder, $retainKeys.
"""

from __future__ import annotations

from sandbox.kubernetes.errors import ApiError, bad_request
from sandbox.kubernetes.jsontypes import Json, Object
from sandbox.kubernetes.schema import ANY, Node

__all__ = ["strategic_merge"]

_DIRECTIVES = ("$patch", "$retainKeys")
_DELETE_ITEMS = "$deleteFromPrimitiveList/"
_ORDER = "$setElementOrder/"


def strategic_merge(node: Node, target: Json, patch: Json) -> Json:
    """Raises ApiError for a directive that is none."""
    if not isinstance(patch, dict):
        return patch
    directive = patch.get("$patch")
    rest = {key: value for key, value in patch.items() if key not in _DIRECTIVES}
    if directive == "replace":
        return rest
    if directive == "delete":
        return {}
    if directive not in (None, "merge"):
        raise bad_request(f"Unknown patch type {directive} found in type: {directive}")
    out: Object = dict(target) if isinstance(target, dict) else {}
    if "$retainKeys" in patch:
        out = {key: value for key, value in out.items() if key in patch["$retainKeys"]}
    orders = {}
    for key, value in rest.items():
        if key.startswith(_ORDER):
            orders[key.removeprefix(_ORDER)] = value
        elif key.startswith(_DELETE_ITEMS):
            field = key.removeprefix(_DELETE_ITEMS)
            out[field] = [item for item in out.get(field) or () if item not in value]
        elif value is None:
            out.pop(key, None)
        else:
            out[key] = _member(node.child(key) or ANY, out.get(key), value)
    for key, order in orders.items():
        child = node.child(key)
        if child is not None and isinstance(out.get(key), list):
            out[key] = _ordered(child, out[key], order)
    return out


def _member(node: Node, target: Json, patch: Json) -> Json:
    if isinstance(patch, list):
        return _list(node, target, patch)
    if isinstance(patch, dict) and node.shape in ("struct", "map"):
        return strategic_merge(node, target, patch)
    return patch


def _list(node: Node, target: Json, patch: list[Json]) -> Json:
    if node.merge_key is None:
        return [
            item for item in patch if not (isinstance(item, dict) and "$patch" in item and len(item) == 1)
        ]
    current = list(target) if isinstance(target, list) else []
    if node.merge_key == "":
        return current + [item for item in patch if item not in current]
    key = node.merge_key
    if any(isinstance(item, dict) and item.get("$patch") == "replace" for item in patch):
        return [item for item in patch if not (isinstance(item, dict) and "$patch" in item)]
    for item in patch:
        if not isinstance(item, dict) or key not in item:
            text = f"map: map[{_go_map(item)}] does not contain declared merge key: {key}"
            raise ApiError(500, "", text)
        index = next((n for n, old in enumerate(current) if old.get(key) == item[key]), None)
        if item.get("$patch") == "delete":
            current = [old for old in current if old.get(key) != item[key]]
        elif index is None:
            current.append(strategic_merge(node.element or ANY, {}, item))
        else:
            current[index] = strategic_merge(node.element or ANY, current[index], item)
    return _in_order(current, [old.get(key) for old in target or ()], [item[key] for item in patch], key)


def _in_order(merged: list[Json], server: list[Json], patch: list[Json], key: str) -> list[Json]:
    """Patched items in the patch's order; another item comes before one that it preceded on the server."""
    items = {item[key]: item for item in merged}
    others = [name for name in server if name in items and name not in patch]
    mine = [name for name in dict.fromkeys(patch) if name in items]
    out: list[Json] = []
    while others or mine:
        both = bool(others and mine) and mine[0] in server
        if not mine or (both and server.index(others[0]) < server.index(mine[0])):
            out.append(items[others.pop(0)])
        else:
            out.append(items[mine.pop(0)])
    return out


def _go_map(item: Json) -> str:
    return (
        " ".join(f"{key}:{value}" for key, value in sorted(item.items()))
        if isinstance(item, dict)
        else str(item)
    )


def _ordered(node: Node, items: list[Json], order: list[Json]) -> list[Json]:
    key = node.merge_key
    wanted = [item.get(key) if isinstance(item, dict) else item for item in order]

    def name(item: Json) -> Json:
        return item.get(key) if isinstance(item, dict) else item

    first = [item for value in wanted for item in items if name(item) == value]
    return first + [item for item in items if name(item) not in wanted]
