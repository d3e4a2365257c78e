"""metadata.managedFields: who set which field, kept through updates and server-side apply."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sandbox.kubernetes.errors import ApiError
from sandbox.kubernetes.field_renames import in_version
from sandbox.kubernetes.fieldsets import (
    FieldSet,
    compare,
    fields_of,
    from_fields_v1,
    readable,
    remove,
    to_fields_v1,
)
from sandbox.kubernetes.jsontypes import Json, Object, now
from sandbox.kubernetes.merging import merge
from sandbox.kubernetes.schema import ANY, Node

__all__ = ["Change", "Entry", "Manager", "apply", "read", "update", "write"]

_STRIPPED = frozenset(
    {("f:apiVersion",), ("f:kind",), ("f:metadata",)}
    | {
        ("f:metadata", f"f:{name}")
        for name in (
            "name",
            "namespace",
            "creationTimestamp",
            "selfLink",
            "uid",
            "clusterName",
            "generation",
            "managedFields",
            "resourceVersion",
        )
    }
)
_MAX_UPDATERS = 10


@dataclass(frozen=True)
class Manager:
    """Who writes: a name, how, in which version, and through which subresource."""

    name: str
    operation: str
    api_version: str
    subresource: str = ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        version = "" if self.operation == "Apply" else self.api_version
        return (self.name, self.operation, version, self.subresource)


@dataclass(frozen=True)
class Entry:
    manager: Manager
    fields: FieldSet
    time: str


Managers = dict[tuple[str, str, str, str], Entry]


@dataclass(frozen=True)
class Change:
    """What a write may touch: fields below `ignored` belong to another endpoint of the object."""

    node: Node
    ignored: tuple[str, ...] = ()

    def keeps(self, path: tuple[str, ...]) -> bool:
        return path not in _STRIPPED and not (self.ignored and path[0] in self.ignored)

    def filter(self, fields: FieldSet) -> FieldSet:
        return frozenset(path for path in fields if self.keeps(path))


def read(obj: Object) -> Managers:
    """The managers of an object, by key."""
    out: Managers = {}
    for item in obj.get("metadata", {}).get("managedFields") or ():
        manager = Manager(
            item.get("manager", ""),
            item.get("operation", ""),
            item.get("apiVersion", ""),
            item.get("subresource", ""),
        )
        out[manager.key] = Entry(manager, from_fields_v1(item.get("fieldsV1") or {}), item.get("time", ""))
    return out


def _order(entry: Entry) -> tuple[int, str, str, str]:
    manager = entry.manager
    return (0 if manager.operation == "Apply" else 1, entry.time, manager.name, manager.subresource)


def write(obj: Object, managers: Managers) -> None:
    """Puts the managers into the object."""
    entries = [e for e in managers.values() if e.fields]
    updaters = sorted((e for e in entries if e.manager.operation == "Update"), key=_order)
    if len(updaters) > _MAX_UPDATERS:
        entries = _cap(entries, updaters)
    items = []
    for entry in sorted(entries, key=_order):
        item: Object = {
            "manager": entry.manager.name,
            "operation": entry.manager.operation,
            "apiVersion": entry.manager.api_version,
            "time": entry.time,
            "fieldsType": "FieldsV1",
            "fieldsV1": to_fields_v1(entry.fields),
        }
        if not entry.manager.name:
            del item["manager"]
        if not entry.time:
            del item["time"]
        if entry.manager.subresource:
            item["subresource"] = entry.manager.subresource
        items.append(item)
    if items:
        obj["metadata"]["managedFields"] = items
    else:
        obj["metadata"].pop("managedFields", None)


def _cap(entries: list[Entry], updaters: list[Entry]) -> list[Entry]:
    oldest = updaters[: len(updaters) - _MAX_UPDATERS + 1]
    merged: dict[str, FieldSet] = {}
    for entry in oldest:
        version = entry.manager.api_version
        merged[version] = merged.get(version, frozenset()) | entry.fields
    kept = [e for e in entries if e not in oldest]
    return kept + [
        Entry(Manager("ancient-changes", "Update", version), fields, oldest[-1].time)
        for version, fields in merged.items()
    ]


def _strip_meta(obj: Object) -> Object:
    """The object without managedFields, so that comparing does not descend into them."""
    metadata = {key: value for key, value in obj.get("metadata", {}).items() if key != "managedFields"}
    return {**obj, "metadata": metadata}


def _settle(
    managers: Managers, own: Manager, touched: FieldSet, removed: FieldSet, *, force: bool
) -> Managers:
    """Takes changed fields from the other managers; raises the 409 where that is not allowed."""
    conflicts = []
    out: Managers = {}
    for key, entry in managers.items():
        if key == own.key:
            out[key] = entry
            continue
        version = entry.manager.api_version
        taken = in_version(touched, own.api_version, version)
        overlap = entry.fields & taken
        if overlap and not force:
            conflicts.append((entry.manager, sorted(overlap)))
        fields = entry.fields - taken - in_version(removed, own.api_version, version)
        if fields:
            out[key] = entry if fields == entry.fields else replace(entry, fields=fields)
    if conflicts:
        raise _conflict_error(conflicts)
    return out


def _describe(manager: Manager) -> str:
    text = f'conflict with "{manager.name}"'
    if manager.subresource:
        text += f' with subresource "{manager.subresource}"'
    if manager.operation == "Update":
        text += f" using {manager.api_version}"
    return text


def _conflict_error(conflicts: list[tuple[Manager, list[tuple[str, ...]]]]) -> ApiError:
    conflicts.sort(key=lambda item: _describe(item[0]))
    causes = [
        {"reason": "FieldManagerConflict", "message": _describe(manager), "field": readable(path)}
        for manager, paths in conflicts
        for path in paths
    ]
    if len(causes) == 1:
        summary = f"Apply failed with 1 conflict: {causes[0]['message']}: {causes[0]['field']}"
    else:
        parts = []
        for manager, paths in conflicts:
            text = _describe(manager)
            if len(paths) == 1:
                parts.append(f"{text}: {readable(paths[0])}")
            else:
                lines = "".join(f"\n- {readable(path)}" for path in paths)
                parts.append(f"{text.replace('conflict with', 'conflicts with', 1)}:{lines}")
        summary = f"Apply failed with {len(causes)} conflicts: " + "\n".join(parts)
    return ApiError(409, "Conflict", summary, {"causes": causes})


def update(change: Change, live: Object, new: Object, manager: Manager) -> None:
    """Records in `new` what a plain write changed against `live`."""
    managers = read(new if new.get("metadata", {}).get("managedFields") is not None else live)
    if not managers and live.get("metadata", {}).get("uid"):
        # What nobody's fields were tracked of stays untracked until somebody applies.
        new["metadata"].pop("managedFields", None)
        return
    removed, modified, added = compare(change.node, _strip_meta(live), _strip_meta(new))
    removed, touched = change.filter(removed), change.filter(modified | added)
    settled = _settle(managers, manager, touched, removed, force=True)
    own = settled.get(manager.key)
    before = own.fields if own else frozenset()
    fields = change.filter((before - removed) | touched)
    if own is None or fields != before:
        settled[manager.key] = Entry(manager, fields, now())
    if not fields:
        settled.pop(manager.key, None)
    write(new, settled)


def apply(change: Change, live: Object, patch: Object, manager: Manager, *, force: bool) -> Object:
    """The result of a server-side apply on `live`, managedFields included. Raises the 409."""
    node = change.node
    managers = read(live)
    if not managers and live.get("metadata", {}).get("resourceVersion"):
        managers = _before_first_apply(change, live, manager)
    base = _strip_meta(live)
    merged = merge(node, base, patch)
    own = change.filter(fields_of(node, patch))
    last = managers.get(manager.key)
    managers[manager.key] = Entry(manager, own, now())
    if last and last.fields:
        before = in_version(last.fields, last.manager.api_version, manager.api_version)
        merged = _prune(node, merged, _owned(managers, manager.api_version), before)
    removed, modified, added = compare(node, base, merged)
    settled = _settle(managers, manager, change.filter(modified | added), change.filter(removed), force=force)
    if not (removed or modified or added):
        # An apply that changes no value keeps its old time, and has none when it is the manager's first.
        settled[manager.key] = Entry(manager, own, last.time if last else "")
    if not own:
        settled.pop(manager.key, None)
    write(merged, settled)
    result: Object = merged
    return result


def _before_first_apply(change: Change, live: Object, manager: Manager) -> Managers:
    first = Manager("before-first-apply", "Update", manager.api_version)
    return {first.key: Entry(first, change.filter(fields_of(change.node, _strip_meta(live))), now())}


def _with_named(node: Node, fields: FieldSet) -> FieldSet:
    """The set with every struct member on the way to a field added."""
    out = set(fields)
    for path in fields:
        here: Node = node
        for depth, step in enumerate(path[:-1], 1):
            child = here.element if here.shape == "list" else here.child(step[2:])
            if here.shape == "struct" and child is not None:
                out.add(path[:depth])
            here = child or ANY
    return frozenset(out)


def _owned(managers: Managers, version: str) -> FieldSet:
    """What all managers together own, under this version's names."""
    out: FieldSet = frozenset()
    for entry in managers.values():
        out |= in_version(entry.fields, entry.manager.api_version, version)
    return out


def _prune(node: Node, merged: Object, owned: FieldSet, last: FieldSet) -> Object:
    """Drops what this manager applied before and no longer does, unless another owns it too."""
    pruned: Json = remove(node, merged, _with_named(node, last)) or {}
    all_merged = fields_of(node, merged)
    gone = (
        _with_named(node, all_merged) - _with_named(node, fields_of(node, pruned)) - _with_named(node, owned)
    )
    pruned = remove(node, merged, gone) or {}
    dangling = _with_named(node, all_merged) - _with_named(node, fields_of(node, pruned))
    result: Json = remove(node, merged, dangling & _with_named(node, last)) or {}
    return {"metadata": {}, **{key: value for key, value in result.items() if value is not None}}
