"""Pods that controllers make: through admission, as anybody's."""

from __future__ import annotations

from sandbox.kubernetes import managed
from sandbox.kubernetes.authorization import MASTERS
from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.controllers.events import record
from sandbox.kubernetes.decoding import complete
from sandbox.kubernetes.errors import ApiError
from sandbox.kubernetes.jsontypes import Object, clone
from sandbox.kubernetes.kinds import rules_of
from sandbox.kubernetes.names import random_suffix
from sandbox.kubernetes.objects import zero
from sandbox.kubernetes.request import Call, Target, User
from sandbox.kubernetes.writing import insert

__all__ = ["create_pod", "owner_reference"]

_USER = User("system:kube-controller-manager", (MASTERS, "system:authenticated"))
_MANAGER = "kube-controller-manager"


def owner_reference(api_version: str, kind: str, owner: Object) -> Object:
    return {
        "apiVersion": api_version,
        "kind": kind,
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }


def create_pod(
    cluster: Cluster,
    api_version: str,
    kind: str,
    owner: Object,
    template: Object,
    *,
    more: Object | None = None,
) -> str | None:
    """Makes a pod of a template; the refusal's text where admission says no."""
    namespace, name = owner["metadata"]["namespace"], owner["metadata"]["name"]
    resource = cluster.resource("", "pods")
    labels = clone((template.get("metadata") or {}).get("labels") or {})
    prefix = f"{name}-"
    pod: Object = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": prefix[:58] + random_suffix(),
            "generateName": prefix,
            "namespace": namespace,
            "ownerReferences": [owner_reference(api_version, kind, owner)],
        },
        "spec": clone(template["spec"]),
    }
    if labels:
        pod["metadata"]["labels"] = labels
    if annotations := (template.get("metadata") or {}).get("annotations"):
        pod["metadata"]["annotations"] = clone(annotations)
    for key, value in (more or {}).items():
        pod["metadata"][key] = value
    complete(resource.node, pod)
    rules_of(resource).default(pod)
    change = managed.Change(resource.node, ("f:status",))
    managed.update(change, zero(resource), pod, managed.Manager(_MANAGER, "Update", "v1"))
    call = Call(
        "POST",
        f"/api/v1/namespaces/{namespace}/pods",
        {},
        {"User-Agent": _MANAGER},
        b"",
        _USER,
        Target("", "v1", "pods", namespace, is_resource=True),
        resource,
    )
    try:
        insert(cluster, call, pod)
    except ApiError as error:
        owner_resource = cluster.catalog.by_kind(api_version.rpartition("/")[0], kind)
        if owner_resource is not None:
            component = "job-controller" if kind == "Job" else f"{kind.lower()}-controller"
            text = f"Error creating: {error.message}"
            record(
                cluster,
                owner_resource,
                owner,
                kind="Warning",
                reason="FailedCreate",
                message=text,
                component=component,
            )
        return error.message
    return None
