"""Kueue's controllers: conditions of ClusterQueues and LocalQueues."""

from __future__ import annotations

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.controllers.base import find_resource, set_condition, write_status
from sandbox.kubernetes.jsontypes import Object, at, now
from sandbox.kubernetes.store import Change
from sandbox.kubernetes.writing import store_change

__all__ = ["reconcile"]

_GROUP = "kueue.x-k8s.io"
_MANAGER = "kueue"
_IN_USE = "kueue.x-k8s.io/resource-in-use"
_QUEUES, _LOCAL, _FLAVORS = f"{_GROUP}/clusterqueues", f"{_GROUP}/localqueues", f"{_GROUP}/resourceflavors"


def reconcile(cluster: Cluster, change: Change) -> None:
    if change.key in (_FLAVORS, _QUEUES, _LOCAL):
        for flavor in cluster.store.items(_FLAVORS):
            _flavor(cluster, flavor)
        for queue in cluster.store.items(_QUEUES):
            _cluster_queue(cluster, queue)
        for local in cluster.store.items(_LOCAL):
            _local_queue(cluster, local)


def _release(cluster: Cluster, key: str, obj: Object) -> None:
    finalizers = obj["metadata"].get("finalizers") or []
    if obj["metadata"].get("deletionTimestamp") and _IN_USE in finalizers:
        metadata = {k: v for k, v in obj["metadata"].items() if k != "finalizers"}
        if left := [name for name in finalizers if name != _IN_USE]:
            metadata["finalizers"] = left
        store_change(cluster, find_resource(cluster, key), obj, {**obj, "metadata": metadata})


def _flavor_names(queue: Object) -> list[str]:
    return [f["name"] for g in at(queue, "spec", "resourceGroups") or () for f in g.get("flavors") or ()]


def _flavor(cluster: Cluster, flavor: Object) -> None:
    name = flavor["metadata"]["name"]
    if not any(name in _flavor_names(queue) for queue in cluster.store.items(_QUEUES)):
        _release(cluster, _FLAVORS, flavor)


def _condition(obj: Object, status: str, reason: str, message: str) -> Object:
    return {
        "type": "Active",
        "status": status,
        "reason": reason,
        "message": message,
        "lastTransitionTime": now(),
        "observedGeneration": obj["metadata"].get("generation", 1),
    }


def _problems(cluster: Cluster, queue: Object) -> tuple[str, str]:
    """The reason and message of an inactive ClusterQueue; empty where it is active."""
    if at(queue, "spec", "stopPolicy") not in (None, "None"):
        return "Stopped", "Can't admit new workloads: is stopped."
    missing = [name for name in _flavor_names(queue) if cluster.store.get(_FLAVORS, "", name) is None]
    if missing:
        return (
            "FlavorNotFound",
            f"Can't admit new workloads: references missing ResourceFlavor(s): {','.join(missing)}.",
        )
    checks = [c["name"] for c in at(queue, "spec", "admissionChecksStrategy", "admissionChecks") or ()]
    absent = [name for name in checks if cluster.store.get(f"{_GROUP}/admissionchecks", "", name) is None]
    if absent:
        text = f"Can't admit new workloads: references missing AdmissionCheck(s): {','.join(absent)}."
        return "AdmissionCheckNotFound", text
    return "", ""


def _cluster_queue(cluster: Cluster, queue: Object) -> None:
    if queue["metadata"].get("deletionTimestamp"):
        _release(cluster, _QUEUES, queue)
        return
    reason, message = _problems(cluster, queue)
    if reason:
        condition = _condition(queue, "False", reason, message)
    else:
        condition = _condition(queue, "True", "Ready", "Can admit new workloads")
    before = queue.get("status") or {}
    status: Object = {
        **before,
        "conditions": set_condition(before.get("conditions") or [], condition),
        "pendingWorkloads": before.get("pendingWorkloads", 0),
        "reservingWorkloads": before.get("reservingWorkloads", 0),
        "admittedWorkloads": before.get("admittedWorkloads", 0),
    }
    if groups := at(queue, "spec", "resourceGroups"):
        usage = [
            {
                "name": f["name"],
                "resources": [{"name": r["name"], "total": "0", "borrowed": "0"} for r in f["resources"]],
            }
            for g in groups
            for f in g["flavors"]
        ]
        status["flavorsReservation"] = status["flavorsUsage"] = usage
    write_status(cluster, _QUEUES, queue, status, _MANAGER)


def _local_queue(cluster: Cluster, local: Object) -> None:
    if local["metadata"].get("deletionTimestamp"):
        return
    queue = cluster.store.get(_QUEUES, "", at(local, "spec", "clusterQueue") or "")
    if at(local, "spec", "stopPolicy") not in (None, "None"):
        condition = _condition(local, "False", "Stopped", "LocalQueue is stopped")
    elif queue is None:
        condition = _condition(
            local, "False", "ClusterQueueDoesNotExist", "Can't submit new workloads to clusterQueue"
        )
    elif _problems(cluster, queue)[0]:
        condition = _condition(
            local, "False", "ClusterQueueIsInactive", "Can't submit new workloads to clusterQueue"
        )
    else:
        condition = _condition(local, "True", "Ready", "Can submit new workloads to localQueue")
    before = local.get("status") or {}
    status: Object = {
        **before,
        "conditions": set_condition(before.get("conditions") or [], condition),
        "pendingWorkloads": before.get("pendingWorkloads", 0),
        "reservingWorkloads": before.get("reservingWorkloads", 0),
        "admittedWorkloads": before.get("admittedWorkloads", 0),
    }
    if queue is not None and at(queue, "spec", "resourceGroups"):
        usage = [
            {"name": f["name"], "resources": [{"name": r["name"], "total": "0"} for r in f["resources"]]}
            for g in queue["spec"]["resourceGroups"]
            for f in g["flavors"]
        ]
        status["flavorsReservation"] = status["flavorsUsage"] = usage
    write_status(cluster, _LOCAL, local, status, _MANAGER)
