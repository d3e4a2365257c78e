"""Namespaces: what a new one gets, and emptying one that goes."""

from __future__ import annotations

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.controllers.base import add, find_resource, write_status
from sandbox.kubernetes.deleting import delete_object
from sandbox.kubernetes.jsontypes import Object, now
from sandbox.kubernetes.store import Change

__all__ = ["reconcile"]

_MANAGER = "kube-controller-manager"
_CERTIFICATE = (
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as"
    " the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of"
    " Kubernetes clusters."
)


def reconcile(cluster: Cluster, change: Change) -> None:
    if change.key == "/namespaces":
        if change.after is None:
            return
        if change.before is None:
            _fill(cluster, change.after["metadata"]["name"])
        if change.after["metadata"].get("deletionTimestamp"):
            _empty(cluster, change.after["metadata"]["name"])
        return
    if change.after is not None:
        _restore(cluster, change)
        return
    namespace = (change.before or {}).get("metadata", {}).get("namespace")
    if not namespace:
        return
    owner = cluster.get("", "namespaces", "", namespace)
    if owner is None:
        return
    if owner["metadata"].get("deletionTimestamp"):
        _empty(cluster, namespace)
    else:
        _restore(cluster, change)


def _restore(cluster: Cluster, change: Change) -> None:
    """The default account and the CA come back when they are deleted."""
    obj = change.before
    if change.after is None and obj is not None:
        namespace, name = obj["metadata"].get("namespace", ""), obj["metadata"]["name"]
        if (change.key, name) in (("/serviceaccounts", "default"), ("/configmaps", "kube-root-ca.crt")):
            _fill(cluster, namespace)


def _fill(cluster: Cluster, name: str) -> None:
    if cluster.get("", "configmaps", name, "kube-root-ca.crt") is None:
        certificate = {
            "metadata": {
                "name": "kube-root-ca.crt",
                "namespace": name,
                "annotations": {"kubernetes.io/description": _CERTIFICATE},
            },
            "data": {"ca.crt": cluster.ca_pem},
        }
        add(cluster, "/configmaps", certificate, _MANAGER)
    if cluster.get("", "serviceaccounts", name, "default") is None:
        account = {"metadata": {"name": "default", "namespace": name}}
        add(cluster, "/serviceaccounts", account, _MANAGER, tracked=False)


def _empty(cluster: Cluster, name: str) -> None:
    """Deletes what is in the namespace; removes it when nothing is left, else says in conditions what is."""
    for resource in cluster.catalog.stored():
        for obj in cluster.store.items(resource, name) if resource.namespaced else ():
            if not obj["metadata"].get("deletionTimestamp"):
                delete_object(cluster, resource, obj, {})
    namespace = cluster.get("", "namespaces", "", name)
    if namespace is None:
        return
    remaining, finalizers = _left(cluster, name)
    status = {**namespace.get("status", {}), "conditions": _conditions(namespace, remaining, finalizers)}
    namespace = write_status(cluster, "/namespaces", namespace, status, _MANAGER)
    if not remaining and not namespace["metadata"].get("finalizers"):
        cluster.store.remove(find_resource(cluster, "/namespaces"), namespace)


def _left(cluster: Cluster, name: str) -> tuple[dict[str, int], dict[str, int]]:
    """How many objects of each resource are still there, and how many hold which finalizer."""
    remaining: dict[str, int] = {}
    finalizers: dict[str, int] = {}
    for resource in cluster.catalog.stored():
        if resource.namespaced and (left := cluster.store.items(resource, name)):
            remaining[f"{resource.plural}.{resource.group}"] = len(left)
            for finalizer in (f for obj in left for f in obj["metadata"].get("finalizers") or ()):
                finalizers[finalizer] = finalizers.get(finalizer, 0) + 1
    return remaining, finalizers


def _conditions(namespace: Object, remaining: dict[str, int], finalizers: dict[str, int]) -> list[Object]:
    listed = ", ".join(f"{name} has {count} resource instances" for name, count in sorted(remaining.items()))
    held = ", ".join(f"{name} in {count} resource instances" for name, count in sorted(finalizers.items()))
    wanted = [
        (
            "NamespaceDeletionDiscoveryFailure",
            "False",
            "ResourcesDiscovered",
            "All resources successfully discovered",
        ),
        (
            "NamespaceDeletionGroupVersionParsingFailure",
            "False",
            "ParsedGroupVersions",
            "All legacy kube types successfully parsed",
        ),
        (
            "NamespaceDeletionContentFailure",
            "False",
            "ContentDeleted",
            "All content successfully deleted, may be waiting on finalization",
        ),
    ]
    wanted.append(
        (
            "NamespaceContentRemaining",
            "True",
            "SomeResourcesRemain",
            f"Some resources are remaining: {listed}",
        )
        if remaining
        else ("NamespaceContentRemaining", "False", "ContentRemoved", "All content successfully removed")
    )
    wanted.append(
        (
            "NamespaceFinalizersRemaining",
            "True",
            "SomeFinalizersRemain",
            f"Some content in the namespace has finalizers remaining: {held}",
        )
        if finalizers
        else (
            "NamespaceFinalizersRemaining",
            "False",
            "ContentHasNoFinalizers",
            "All content-preserving finalizers finished",
        )
    )
    before = {c["type"]: c for c in (namespace.get("status") or {}).get("conditions") or ()}
    out = []
    for kind, status, reason, message in wanted:
        old = before.get(kind)
        time = old["lastTransitionTime"] if old and old["status"] == status else now()
        out.append(
            {"type": kind, "status": status, "lastTransitionTime": time, "reason": reason, "message": message}
        )
    return out
