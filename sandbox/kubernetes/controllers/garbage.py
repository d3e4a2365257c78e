"""Garbage collection: dependents go with their owners, or are orphaned."""

from __future__ import annotations

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.controllers.base import find_resource, write_main
from sandbox.kubernetes.deleting import delete_object
from sandbox.kubernetes.jsontypes import Object
from sandbox.kubernetes.store import Change
from sandbox.kubernetes.writing import store_change

__all__ = ["reconcile"]


def reconcile(cluster: Cluster, change: Change) -> None:
    if change.after is None:
        if change.before is not None:
            _collect(cluster, change.before)
        return
    metadata = change.after["metadata"]
    finalizers = metadata.get("finalizers") or ()
    if metadata.get("deletionTimestamp"):
        current = cluster.store.get(change.key, metadata.get("namespace", ""), metadata["name"])
        if current is None or current["metadata"]["uid"] != metadata["uid"]:
            return
        if "orphan" in finalizers:
            _orphan(cluster, current)
            _finish(cluster, change.key, current, "orphan")
        elif "foregroundDeletion" in finalizers:
            _foreground(cluster, change.key, current)
    elif change.before is None and metadata.get("ownerReferences"):
        _check_owners(cluster, change.key, change.after)


def _dependents(cluster: Cluster, owner: Object) -> list[tuple[str, Object]]:
    uid, namespace = owner["metadata"]["uid"], owner["metadata"].get("namespace", "")
    found: list[tuple[str, Object]] = []
    for key in list(cluster.store.keys()):
        found += [
            (key, obj)
            for obj in cluster.store.items(key, namespace)
            if any(ref["uid"] == uid for ref in obj["metadata"].get("ownerReferences") or ())
        ]
    return found


def _exists(cluster: Cluster, reference: Object, namespace: str) -> bool:
    group = reference["apiVersion"].rpartition("/")[0]
    resource = cluster.catalog.by_kind(group, reference["kind"])
    if resource is None:
        return True
    owner = cluster.store.get(resource, namespace if resource.namespaced else "", reference["name"])
    return owner is not None and owner["metadata"]["uid"] == reference["uid"]


def _collect(cluster: Cluster, owner: Object) -> None:
    for key, obj in _dependents(cluster, owner):
        current = cluster.store.get(key, obj["metadata"].get("namespace", ""), obj["metadata"]["name"])
        if current is not None:
            _check_owners(cluster, key, current)
    for reference in owner["metadata"].get("ownerReferences") or ():
        _release(cluster, reference, owner["metadata"].get("namespace", ""))


def _check_owners(cluster: Cluster, key: str, obj: Object) -> None:
    """Deletes an object all of whose owners are gone; drops the references to those that are."""
    namespace = obj["metadata"].get("namespace", "")
    references = obj["metadata"].get("ownerReferences") or []
    alive = [ref for ref in references if _exists(cluster, ref, namespace)]
    resource = find_resource(cluster, key)
    if len(alive) == len(references):
        return
    if alive:
        new = {**obj, "metadata": {**obj["metadata"], "ownerReferences": alive}}
        store_change(cluster, resource, obj, new)
    elif not obj["metadata"].get("deletionTimestamp"):
        delete_object(cluster, resource, obj, {"propagationPolicy": "Background"})


def _orphan(cluster: Cluster, owner: Object) -> None:
    for key, obj in _dependents(cluster, owner):
        left = [ref for ref in obj["metadata"]["ownerReferences"] if ref["uid"] != owner["metadata"]["uid"]]
        metadata = {k: v for k, v in obj["metadata"].items() if k != "ownerReferences"}
        if left:
            metadata["ownerReferences"] = left
        write_main(cluster, key, obj, {**obj, "metadata": metadata}, "kube-controller-manager")


def _finish(cluster: Cluster, key: str, obj: Object, finalizer: str) -> None:
    left = [name for name in obj["metadata"].get("finalizers") or () if name != finalizer]
    metadata = {k: v for k, v in obj["metadata"].items() if k != "finalizers"}
    if left:
        metadata["finalizers"] = left
    store_change(cluster, find_resource(cluster, key), obj, {**obj, "metadata": metadata})


def _foreground(cluster: Cluster, key: str, owner: Object) -> None:
    blocking = False
    for child_key, obj in _dependents(cluster, owner):
        if not obj["metadata"].get("deletionTimestamp"):
            gone, _ = delete_object(
                cluster,
                find_resource(cluster, child_key),
                obj,
                {"propagationPolicy": "Foreground"} if _has_dependents(cluster, obj) else {},
            )
            blocking = blocking or not gone
        else:
            blocking = True
    if not blocking:
        current = cluster.store.get(key, owner["metadata"].get("namespace", ""), owner["metadata"]["name"])
        if current is not None:
            _finish(cluster, key, current, "foregroundDeletion")


def _has_dependents(cluster: Cluster, obj: Object) -> bool:
    return bool(_dependents(cluster, obj))


def _release(cluster: Cluster, reference: Object, namespace: str) -> None:
    """An owner that waits for its dependents looks again."""
    group = reference["apiVersion"].rpartition("/")[0]
    resource = cluster.catalog.by_kind(group, reference["kind"])
    if resource is None:
        return
    owner = cluster.store.get(resource, namespace if resource.namespaced else "", reference["name"])
    if (
        owner
        and owner["metadata"].get("deletionTimestamp")
        and "foregroundDeletion" in (owner["metadata"].get("finalizers") or ())
    ):
        _foreground(cluster, resource.key, owner)
