"""Kueue's controllers: what each change wakes, and the status of ClusterQueues and LocalQueues."""

from __future__ import annotations

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.controllers.base import find_resource, set_condition, write_status
from sandbox.kubernetes.controllers.kueue_checks import inactive_reason
from sandbox.kubernetes.controllers.kueue_jobs import sync_job
from sandbox.kubernetes.controllers.kueue_pods import sync_pod
from sandbox.kubernetes.controllers.kueue_scheduler import schedule
from sandbox.kubernetes.controllers.kueue_usage import counts, flavor_numbers
from sandbox.kubernetes.controllers.kueue_workloads import WORKLOADS, holds_quota, release
from sandbox.kubernetes.jsontypes import Object, at, now
from sandbox.kubernetes.queueing.capacity import Node, build_tree
from sandbox.kubernetes.store import Change
from sandbox.kubernetes.writing import store_change

__all__ = ["reconcile"]

_GROUP = "kueue.x-k8s.io"
_MANAGER = "kueue"
_IN_USE = "kueue.x-k8s.io/resource-in-use"
_QUEUES, _LOCAL, _FLAVORS = f"{_GROUP}/clusterqueues", f"{_GROUP}/localqueues", f"{_GROUP}/resourceflavors"
_SHARED = (_QUEUES, _LOCAL, _FLAVORS, f"{_GROUP}/cohorts", f"{_GROUP}/admissionchecks")
_CLASSES = (f"{_GROUP}/workloadpriorityclasses", "scheduling.k8s.io/priorityclasses")


def reconcile(cluster: Cluster, change: Change) -> None:
    obj = change.after or change.before
    if obj is None:
        return
    metadata = obj["metadata"]
    if change.key == "batch/jobs":
        sync_job(cluster, metadata["namespace"], metadata["name"])
    elif change.key == "/pods":
        sync_pod(cluster, metadata["namespace"], metadata["name"])
    elif change.key == WORKLOADS:
        _workload(cluster, change)
    elif change.key in _SHARED and not _only_status(change):
        schedule(cluster)
        _statuses(cluster)
    elif change.key in _CLASSES:
        for job in cluster.store.items("batch/jobs"):
            sync_job(cluster, job["metadata"]["namespace"], job["metadata"]["name"])
    elif change.key == "/namespaces" and change.before is not None:
        schedule(cluster)


def _only_status(change: Change) -> bool:
    """Most changes of queues are the numbers written here, which change nothing else."""
    if change.before is None or change.after is None:
        return False
    before, after = change.before["metadata"], change.after["metadata"]
    return bool(
        change.before.get("spec") == change.after.get("spec")
        and before.get("deletionTimestamp") == after.get("deletionTimestamp")
        and before.get("finalizers") == after.get("finalizers")
    )


def _workload(cluster: Cluster, change: Change) -> None:
    obj = change.after or change.before
    if obj is None:
        return
    namespace, name = obj["metadata"]["namespace"], obj["metadata"]["name"]
    current = cluster.store.get(WORKLOADS, namespace, name)
    if current is not None and current["metadata"].get("deletionTimestamp"):
        release(cluster, current)
    for owner in obj["metadata"].get("ownerReferences") or ():
        if owner["kind"] == "Job":
            sync_job(cluster, namespace, owner["name"])
        elif owner["kind"] == "Pod":
            sync_pod(cluster, namespace, owner["name"])
    schedule(cluster)
    _statuses(cluster)


def _statuses(cluster: Cluster) -> None:
    for flavor in cluster.store.items(_FLAVORS):
        _flavor(cluster, flavor)
    queues = cluster.store.items(_QUEUES)
    nodes = build_tree(queues, cluster.store.items(f"{_GROUP}/cohorts"))
    locals_ = cluster.store.items(_LOCAL)
    by_local: dict[tuple[str, str], list[Object]] = {}
    for workload in cluster.store.items(WORKLOADS):
        place = (workload["metadata"]["namespace"], at(workload, "spec", "queueName") or "")
        by_local.setdefault(place, []).append(workload)
    by_queue: dict[str, list[Object]] = {}
    for local in locals_:
        place = (local["metadata"]["namespace"], local["metadata"]["name"])
        by_queue.setdefault(at(local, "spec", "clusterQueue") or "", []).extend(by_local.get(place, ()))
    for queue in queues:
        name = queue["metadata"]["name"]
        _cluster_queue(cluster, queue, by_queue.get(name, []), nodes[name])
    for local in locals_:
        place = (local["metadata"]["namespace"], local["metadata"]["name"])
        _local_queue(cluster, local, by_local.get(place, []))


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


def _cluster_queue(cluster: Cluster, queue: Object, workloads: list[Object], node: Node) -> None:
    if queue["metadata"].get("deletionTimestamp") and not any(holds_quota(w) for w in workloads):
        _release(cluster, _QUEUES, queue)
        return
    reason, message = inactive_reason(cluster, queue)
    if reason:
        condition = _condition(queue, "False", reason, message)
    else:
        condition = _condition(queue, "True", "Ready", "Can admit new workloads")
    before = queue.get("status") or {}
    status: Object = {
        **before,
        "conditions": set_condition(before.get("conditions") or [], condition),
        **counts(workloads),
    }
    if at(queue, "spec", "resourceGroups"):
        status["flavorsReservation"], status["flavorsUsage"] = flavor_numbers(queue, workloads, node)
    write_status(cluster, _QUEUES, queue, status, _MANAGER)


def _local_queue(cluster: Cluster, local: Object, workloads: list[Object]) -> None:
    if local["metadata"].get("deletionTimestamp"):
        return
    queue = cluster.store.get(_QUEUES, "", at(local, "spec", "clusterQueue") or "")
    refused = "Can't submit new workloads to clusterQueue"
    if at(local, "spec", "stopPolicy") not in (None, "None"):
        condition = _condition(local, "False", "Stopped", "LocalQueue is stopped")
    elif queue is None:
        condition = _condition(local, "False", "ClusterQueueDoesNotExist", refused)
    elif inactive_reason(cluster, queue)[0]:
        condition = _condition(local, "False", "ClusterQueueIsInactive", refused)
    else:
        condition = _condition(local, "True", "Ready", "Can submit new workloads to localQueue")
    before = local.get("status") or {}
    status: Object = {
        **before,
        "conditions": set_condition(before.get("conditions") or [], condition),
        **counts(workloads),
    }
    if queue is not None and at(queue, "spec", "resourceGroups"):
        status["flavorsReservation"], status["flavorsUsage"] = flavor_numbers(queue, workloads, None)
    write_status(cluster, _LOCAL, local, status, _MANAGER)
