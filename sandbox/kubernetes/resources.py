"""The served resources: names, kinds, verbs and subresources, from `data/resources.json`."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from sandbox.kubernetes.schema import Node, kind_type

__all__ = ["CUSTOM_GROUPS", "Catalog", "Resource", "Subresource", "catalog"]

CUSTOM_GROUPS = ("kueue.x-k8s.io", "volcano.sh")
"""Groups (or their ends) whose kinds are custom resources."""

_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
_CUSTOM_VERBS = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")


@dataclass(frozen=True)
class Subresource:
    kind: str
    verbs: tuple[str, ...]
    group: str = ""
    version: str = ""


@dataclass(frozen=True, eq=False)
class Resource:
    """One plural of one group version."""

    group: str
    version: str
    plural: str
    kind: str
    singular: str
    namespaced: bool
    verbs: tuple[str, ...]
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    storage_hash: str = ""
    subresources: dict[str, Subresource] = field(default_factory=dict)

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def key(self) -> str:
        """Where its objects are stored, for all versions alike."""
        return f"{self.group}/{self.plural}" if self.group != "events.k8s.io" else "/events"

    @property
    def qualified(self) -> str:
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @cached_property
    def custom(self) -> bool:
        return self.group.endswith(CUSTOM_GROUPS)

    @cached_property
    def node(self) -> Node:
        return kind_type(self.group, self.version, self.kind)


class Catalog:
    """All resources by group, version and plural."""

    def __init__(self, groups: list[tuple[str, str, list[Resource]]]) -> None:
        self.versions = groups
        self._by_path = {(r.group, r.version, r.plural): r for _, _, items in groups for r in items}
        self._by_kind = {(r.group, r.kind): r for _, _, items in reversed(groups) for r in items}

    def find(self, group: str, version: str, plural: str) -> Resource | None:
        return self._by_path.get((group, version, plural))

    def by_kind(self, group: str, kind: str) -> Resource | None:
        """In the preferred version."""
        return self._by_kind.get((group, kind))

    def preferred(self, group: str, plural: str) -> Resource | None:
        return next(
            (r for _, _, items in self.versions for r in items if (r.group, r.plural) == (group, plural)),
            None,
        )

    def version_names(self, group: str) -> list[str]:
        return [version for name, version, _ in self.versions if name == group]

    def groups(self) -> list[str]:
        return list(dict.fromkeys(name for name, _, _ in self.versions))

    def stored(self) -> list[Resource]:
        """One resource for each kind that is stored, in the preferred version."""
        seen: dict[str, Resource] = {}
        for _, _, items in self.versions:
            for resource in items:
                if "list" in resource.verbs:
                    seen.setdefault(resource.key, resource)
        return list(seen.values())


@cache
def catalog() -> Catalog:
    """What every cluster serves."""
    text = (Path(__file__).parent / "data" / "resources.json").read_text(encoding="utf-8")
    groups = []
    for entry in json.loads(text):
        group, version = entry["group"], entry["version"]
        verbs = _CUSTOM_VERBS if group.endswith(CUSTOM_GROUPS) else _VERBS
        groups.append(
            (group, version, [_resource(group, version, item, verbs) for item in entry["resources"]])
        )
    return Catalog(groups)


def _resource(group: str, version: str, item: dict[str, object], verbs: tuple[str, ...]) -> Resource:
    def names(key: str) -> tuple[str, ...]:
        value = item.get(key, ())
        return tuple(str(part) for part in value) if isinstance(value, list) else ()

    subs = item.get("subresources")
    return Resource(
        group=group,
        version=version,
        plural=str(item["name"]),
        kind=str(item["kind"]),
        singular=str(item["singular"]),
        namespaced=bool(item["namespaced"]),
        verbs=names("verbs") or verbs,
        short_names=names("short"),
        categories=names("categories"),
        storage_hash=str(item.get("hash", "")),
        subresources={
            name: Subresource(
                sub["kind"],
                tuple(sub.get("verbs", ("get", "patch", "update"))),
                sub.get("group", ""),
                sub.get("version", ""),
            )
            for name, sub in (subs.items() if isinstance(subs, dict) else ())
        },
    )
