"""Why a Workload cannot be admitted, however much is free: queues that are missing, inactive, stopped."""

from __future__ import annotations

from dataclasses import dataclass

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.controllers.kueue_workloads import GROUP, WORKLOADS, Word, set_status_condition
from sandbox.kubernetes.jsontypes import Object, at
from sandbox.kubernetes.queueing.snapshot import condition_of
from sandbox.kubernetes.selectors import matches_label_selector

__all__ = ["Stop", "inactive_reason", "inadmissible", "stop_reason", "update_stopped"]

_RESTARTED = {
    "ClusterQueueStopped": ("ClusterQueueRestarted", "The ClusterQueue was restarted after being stopped"),
    "LocalQueueStopped": ("LocalQueueRestarted", "The LocalQueue was restarted after being stopped"),
    "Deactivated": ("Reactivated", "The workload was reactivated"),
}


@dataclass(frozen=True)
class Stop:
    """Somebody stopped the queue or the Workload; `drains`: what is admitted goes too."""

    reason: str
    message: str
    drains: bool


def stop_reason(workload: Object, local: Object | None, queue: Object | None) -> Stop | None:
    if not workload["spec"].get("active", True):
        return Stop("Deactivated", "The workload is deactivated", drains=True)
    for obj, kind in ((local, "LocalQueue"), (queue, "ClusterQueue")):
        policy = at(obj, "spec", "stopPolicy")
        if policy not in (None, "None"):
            return Stop(f"{kind}Stopped", f"The {kind} is stopped", drains=policy == "HoldAndDrain")
    return None


def update_stopped(cluster: Cluster, workload: Object, stop: Stop | None) -> Object:
    """What was evicted by a stop is queued again when that is over."""
    requeued = condition_of(workload, "Requeued")
    if stop is not None or requeued.get("status") != "False" or requeued["reason"] not in _RESTARTED:
        return workload
    reason, message = _RESTARTED[requeued["reason"]]
    set_status_condition(cluster, workload, Word("Requeued", "True", reason, message))
    metadata = workload["metadata"]
    return cluster.store.get(WORKLOADS, metadata["namespace"], metadata["name"]) or workload


def inactive_reason(cluster: Cluster, queue: Object) -> tuple[str, str]:
    """The reason and message of an inactive ClusterQueue; empty where it is active."""
    if queue["metadata"].get("deletionTimestamp"):
        return "Terminating", "Can't admit new workloads; clusterQueue is terminating"
    if at(queue, "spec", "stopPolicy") not in (None, "None"):
        return "Stopped", "Can't admit new workloads: is stopped."
    names = [f["name"] for g in at(queue, "spec", "resourceGroups") or () for f in g.get("flavors") or ()]
    missing = [name for name in names if cluster.store.get(f"{GROUP}/resourceflavors", "", name) is None]
    if missing:
        listed = ",".join(missing)
        return "FlavorNotFound", f"Can't admit new workloads: references missing ResourceFlavor(s): {listed}."
    checks = [c["name"] for c in at(queue, "spec", "admissionChecksStrategy", "admissionChecks") or ()]
    absent = [name for name in checks if cluster.store.get(f"{GROUP}/admissionchecks", "", name) is None]
    if absent:
        text = f"Can't admit new workloads: references missing AdmissionCheck(s): {','.join(absent)}."
        return "AdmissionCheckNotFound", text
    return "", ""


def inadmissible(
    cluster: Cluster, workload: Object, local: Object | None, queue: Object | None
) -> tuple[str, str] | None:
    """The reason and message of the condition; None where the scheduler may try."""
    name = at(workload, "spec", "queueName") or ""
    if local is None:
        return "Misconfigured", f"LocalQueue {name} doesn't exist"
    if at(local, "spec", "stopPolicy") not in (None, "None"):
        return "Suspended", f"LocalQueue {name} is inactive"
    if queue is None:
        return "Misconfigured", f"ClusterQueue {at(local, 'spec', 'clusterQueue')} doesn't exist"
    if inactive_reason(cluster, queue)[0]:
        return "Suspended", f"ClusterQueue {queue['metadata']['name']} is inactive"
    namespace = cluster.store.get("/namespaces", "", workload["metadata"]["namespace"])
    labels = at(namespace, "metadata", "labels")
    if not matches_label_selector(at(queue, "spec", "namespaceSelector"), labels):
        return "Misconfigured", "Workload namespace doesn't match ClusterQueue selector"
    return None
