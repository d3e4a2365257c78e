"""How controllers write: as a field manager of their own, through the store."""

from __future__ import annotations

from sandbox.kubernetes import managed
from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.decoding import complete
from sandbox.kubernetes.jsontypes import Object, clone, now
from sandbox.kubernetes.kinds import rules_of
from sandbox.kubernetes.objects import zero
from sandbox.kubernetes.resources import Resource
from sandbox.kubernetes.store import new_uid
from sandbox.kubernetes.writing import store_change

__all__ = ["add", "find_resource", "set_condition", "write_main", "write_status", "write_with_status"]


def find_resource(cluster: Cluster, key: str) -> Resource:
    group, _, plural = key.partition("/")
    return cluster.resource(group, plural)


def add(cluster: Cluster, key: str, obj: Object, manager: str, *, tracked: bool = True) -> Object:
    """Creates an object past admission, with defaults; `tracked`: with managedFields."""
    resource = find_resource(cluster, key)
    new = clone(obj)
    new["apiVersion"], new["kind"] = resource.api_version, resource.kind
    if not resource.custom:
        complete(resource.node, new)
        rules_of(resource).default(new)
    if tracked:
        who = managed.Manager(manager, "Update", resource.api_version)
        has_status = "status" in resource.subresources
        managed.update(
            managed.Change(resource.node, ("f:status",) if has_status else ()), zero(resource), new, who
        )
    new["metadata"].setdefault("uid", new_uid())
    new["metadata"].setdefault("creationTimestamp", now())
    rules = rules_of(resource)
    if rules.generation:
        new["metadata"]["generation"] = 1
    status = new.get("status")
    rules.prepare(new, None)
    if status:
        new["status"] = status
    return cluster.store.put(resource, new)


def write_status(cluster: Cluster, key: str, live: Object, status: Object, manager: str) -> Object:
    """Writes the status where it differs."""
    if live.get("status") == status:
        return live
    return _write(cluster, key, live, {**live, "status": status}, manager, subresource="status")


def write_with_status(cluster: Cluster, key: str, live: Object, new: Object, manager: str) -> Object:
    """Writes metadata and status in one go, through the status subresource."""
    return _write(cluster, key, live, new, manager, subresource="status")


def write_main(cluster: Cluster, key: str, live: Object, new: Object, manager: str) -> Object:
    """Writes everything but the status where it differs; a changed spec counts a generation."""
    if new == live:
        return live
    resource = find_resource(cluster, key)
    if rules_of(resource).generation and new.get("spec") != live.get("spec"):
        generation = live["metadata"].get("generation", 0) + 1
        new = {**new, "metadata": {**new["metadata"], "generation": generation}}
    return _write(cluster, key, live, new, manager, subresource="")


def _write(
    cluster: Cluster, key: str, live: Object, new: Object, manager: str, *, subresource: str
) -> Object:
    resource = find_resource(cluster, key)
    out = {**new, "metadata": dict(new["metadata"])}
    ignored: tuple[str, ...] = ("f:status",)
    if subresource:
        ignored = ("f:spec", "f:metadata") if resource.custom else ("f:spec",)
    who = managed.Manager(manager, "Update", resource.api_version, subresource)
    managed.update(managed.Change(resource.node, ignored), live, out, who)
    return store_change(cluster, resource, live, out)


def set_condition(conditions: list[Object], condition: Object) -> list[Object]:
    """The conditions with this one replaced or added; its transition time moves only with its status."""
    out = []
    found = False
    for item in conditions:
        if item["type"] != condition["type"]:
            out.append(item)
            continue
        found = True
        same = item["status"] == condition["status"]
        out.append(
            {
                **condition,
                "lastTransitionTime": item["lastTransitionTime"] if same else condition["lastTransitionTime"],
            }
        )
    if not found:
        out.append(condition)
    return out
