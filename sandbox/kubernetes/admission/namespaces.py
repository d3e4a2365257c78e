"""NamespaceLifecycle: nothing is created in a namespace that is missing or going."""

from __future__ import annotations

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.errors import forbidden, not_found
from sandbox.kubernetes.jsontypes import Object
from sandbox.kubernetes.resources import Resource

__all__ = ["check_namespace", "protect"]

_PROTECTED = ("default", "kube-system", "kube-public")


def check_namespace(cluster: Cluster, resource: Resource, obj: Object) -> None:
    """Raises ApiError: 404, or 403 with the cause NamespaceTerminating."""
    if not resource.namespaced:
        return
    name = obj["metadata"]["namespace"]
    namespace = cluster.get("", "namespaces", "", name)
    if namespace is None:
        raise not_found("", "namespaces", name)
    if namespace["metadata"].get("deletionTimestamp"):
        text = f"unable to create new content in namespace {name} because it is being terminated"
        error = forbidden(resource.group, resource.plural, obj["metadata"].get("name", ""), text)
        cause = {
            "reason": "NamespaceTerminating",
            "message": f"namespace {name} is being terminated",
            "field": "metadata.namespace",
        }
        error.details = {**(error.details or {}), "causes": [cause]}
        raise error


def protect(resource: Resource, name: str) -> None:
    """The namespaces and priority classes that cannot be deleted."""
    if resource.key == "scheduling.k8s.io/priorityclasses" and name.startswith("system-"):
        raise forbidden(
            resource.group, resource.plural, name, "this is a system priority class and cannot be deleted"
        )
    if resource.key == "/namespaces" and name in _PROTECTED:
        raise forbidden("", "namespaces", name, "this namespace may not be deleted")
