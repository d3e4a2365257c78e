"""Merging an applied configuration into a live object, by the types' list and map semantics."""

from __future__ import annotations

from sandbox.kubernetes.fieldsets import item_step
from sandbox.kubernetes.jsontypes import Json
from sandbox.kubernetes.schema import ANY, Node

__all__ = ["merge"]


def merge(node: Node, live: Json, applied: Json) -> Json:
    """`applied` laid over `live`; neither is changed, unchanged parts are shared."""
    if applied is None:
        return live if node.shape in ("struct", "map", "list") and not node.atomic else None
    if live is None or node.atomic or node.shape in ("scalar", "any"):
        return applied
    if node.shape == "list":
        if not isinstance(live, list) or not isinstance(applied, list):
            return applied
        return _merge_lists(node, live, applied)
    if not isinstance(live, dict) or not isinstance(applied, dict):
        return applied
    out = dict(live)
    for key, value in applied.items():
        child = node.child(key) or ANY
        if key not in out:
            out[key] = value
        elif value is None and not child.atomic and child.shape not in ("scalar", "any"):
            continue
        else:
            out[key] = merge(child, out[key], value)
    return out


def _merge_lists(node: Node, live: list[Json], applied: list[Json]) -> list[Json]:
    """The applied items in their order; an item only the live list has stays before the next shared one."""
    element = node.element or ANY
    mine = {item_step(node, item): item for item in live}
    theirs = {item_step(node, item): item for item in applied}
    out: list[Json] = []
    waiting = list(mine)
    for step, item in theirs.items():
        if step not in mine:
            out.append(item)
            continue
        while waiting and waiting[0] != step and waiting[0] not in theirs:
            out.append(mine[waiting.pop(0)])
        if step in waiting:
            waiting.remove(step)
        out.append(merge(element, mine[step], item))
    out.extend(mine[step] for step in waiting if step not in theirs)
    return out
