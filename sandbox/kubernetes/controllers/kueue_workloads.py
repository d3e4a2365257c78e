"""Workloads: made, admitted, kept waiting and evicted, with Kueue's conditions."""

from __future__ import annotations

import datetime as dt
import hashlib
from typing import NamedTuple

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.controllers.base import add, find_resource, set_condition, write_status
from sandbox.kubernetes.jsontypes import Object, at, clone, now
from sandbox.kubernetes.queueing.flavors import Assignment
from sandbox.kubernetes.queueing.requests import amounts_text
from sandbox.kubernetes.queueing.snapshot import condition_of
from sandbox.kubernetes.writing import store_change

__all__ = [
    "WORKLOADS",
    "Word",
    "admit",
    "create_workload",
    "evict",
    "finish",
    "holds_quota",
    "is_true",
    "owned_workload",
    "queues_of",
    "refuse",
    "release",
    "set_status_condition",
]

GROUP = "kueue.x-k8s.io"
WORKLOADS = f"{GROUP}/workloads"
_IN_USE = f"{GROUP}/resource-in-use"
_MANAGER = "kueue"
_NAME_SIZE = 63


def is_true(workload: Object, kind: str) -> bool:
    return bool(condition_of(workload, kind).get("status") == "True")


def holds_quota(workload: Object) -> bool:
    return is_true(workload, "QuotaReserved") and not is_true(workload, "Finished")


def owned_workload(cluster: Cluster, owner: Object) -> Object | None:
    uid = owner["metadata"]["uid"]
    for workload in cluster.store.items(WORKLOADS, owner["metadata"]["namespace"]):
        if any(ref["uid"] == uid for ref in workload["metadata"].get("ownerReferences") or ()):
            return workload
    return None


def queues_of(cluster: Cluster, workload: Object) -> tuple[Object | None, Object | None]:
    """Its LocalQueue and its ClusterQueue, as far as they exist."""
    name = at(workload, "spec", "queueName") or ""
    local = cluster.store.get(f"{GROUP}/localqueues", workload["metadata"]["namespace"], name)
    if local is None:
        return None, None
    return local, cluster.store.get(f"{GROUP}/clusterqueues", "", at(local, "spec", "clusterQueue") or "")


def create_workload(cluster: Cluster, kind: str, api_version: str, owner: Object, spec: Object) -> Object:
    """The Workload of a Job or Pod; its name tells the owner and ends in a hash."""
    metadata = owner["metadata"]
    prefix = f"{kind.lower()}-{metadata['name']}"
    digest = hashlib.sha256(f"{kind}{metadata['name']}{metadata['uid']}".encode()).hexdigest()[:5]
    workload = {
        "metadata": {
            "name": f"{prefix[: _NAME_SIZE - 6]}-{digest}",
            "namespace": metadata["namespace"],
            "labels": {f"{GROUP}/job-uid": metadata["uid"]},
            "finalizers": [_IN_USE],
            "ownerReferences": [
                {
                    "apiVersion": api_version,
                    "kind": kind,
                    "name": metadata["name"],
                    "uid": metadata["uid"],
                    "controller": True,
                    "blockOwnerDeletion": True,
                }
            ],
        },
        "spec": {"active": True, **spec},
        "status": {"conditions": [_condition(1, _NOT_READY)]},
    }
    return add(cluster, WORKLOADS, workload, _MANAGER)


def release(cluster: Cluster, workload: Object) -> None:
    """A Workload under deletion goes; nothing else needs it."""
    metadata = {key: value for key, value in workload["metadata"].items() if key != "finalizers"}
    if left := [name for name in workload["metadata"].get("finalizers") or () if name != _IN_USE]:
        metadata["finalizers"] = left
    store_change(cluster, find_resource(cluster, WORKLOADS), workload, {**workload, "metadata": metadata})


class Word(NamedTuple):
    """What a condition says."""

    kind: str
    status: str
    reason: str
    message: str


_NOT_READY = Word("PodsReady", "False", "WaitForStart", "Not all pods are ready or succeeded")
_NOT_ADMITTED = Word("Admitted", "False", "NoReservation", "The workload has no reservation")


def _condition(generation: int, word: Word) -> Object:
    return {
        "type": word.kind,
        "status": word.status,
        "reason": word.reason,
        "message": word.message,
        "lastTransitionTime": now(),
        "observedGeneration": generation,
    }


def _set(workload: Object, status: Object, word: Word) -> None:
    condition = _condition(workload["metadata"].get("generation", 1), word)
    status["conditions"] = set_condition(status.get("conditions") or [], condition)


def set_status_condition(cluster: Cluster, workload: Object, word: Word) -> None:
    status = clone(workload.get("status") or {})
    _set(workload, status, word)
    write_status(cluster, WORKLOADS, workload, status, _MANAGER)


def refuse(
    cluster: Cluster, workload: Object, reason: str, message: str, assignment: Assignment | None = None
) -> None:
    """Says why the Workload waits; `assignment` is what the scheduler tried."""
    if not reason:
        return
    status = clone(workload.get("status") or {})
    _set(workload, status, Word("QuotaReserved", "False", reason, message))
    _set(workload, status, _NOT_ADMITTED)
    if assignment is not None:
        status["resourceRequests"] = _requests(assignment)
    write_status(cluster, WORKLOADS, workload, status, _MANAGER)


def _requests(assignment: Assignment) -> list[Object]:
    return [
        {"name": pod_set["name"], "resources": amounts_text(requests)}
        for pod_set, requests in assignment.requests
    ]


def admit(cluster: Cluster, workload: Object, queue: Object, assignment: Assignment) -> Object:
    """Reserves the quota; without admission checks the Workload is admitted at once."""
    name = queue["metadata"]["name"]
    status = clone(workload.get("status") or {})
    status.pop("resourceRequests", None)
    status["admission"] = {
        "clusterQueue": name,
        "podSetAssignments": [
            {
                "name": pod_set["name"],
                "count": int(pod_set.get("count", 1)),
                "flavors": dict(flavors),
                "resourceUsage": amounts_text(requests),
            }
            for pod_set, flavors, requests in assignment.pod_sets
        ],
    }
    _set(
        workload,
        status,
        Word("QuotaReserved", "True", "QuotaReserved", f"Quota reserved in ClusterQueue {name}"),
    )
    for kind in ("Evicted", "Preempted"):
        before = condition_of(workload, kind)
        if before.get("status") == "True":
            _set(workload, status, Word(kind, "False", "QuotaReserved", f"Previously: {before['message']}"))
    checks = [c["name"] for c in at(queue, "spec", "admissionChecksStrategy", "admissionChecks") or ()]
    if checks:
        status["admissionChecks"] = [
            {"name": check, "state": "Pending", "message": "", "lastTransitionTime": now()}
            for check in checks
        ]
    else:
        _set(workload, status, Word("Admitted", "True", "Admitted", "The workload is admitted"))
    return write_status(cluster, WORKLOADS, workload, status, _MANAGER)


def evict(cluster: Cluster, workload: Object, reason: str, message: str, preempted: str = "") -> Object:
    """Takes the quota away; `preempted` is the kind of preemption. What is stopped is not requeued."""
    status = clone(workload.get("status") or {})
    for key in ("admission", "admissionChecks"):
        status.pop(key, None)
    _set(workload, status, Word("Evicted", "True", reason, message))
    _set(workload, status, Word("QuotaReserved", "False", "PendingEvaluation", message))
    _set(workload, status, Word("Requeued", "True" if preempted else "False", reason, message))
    if preempted:
        _set(workload, status, Word("Preempted", "True", preempted, message))
        for item in status["conditions"]:
            if item["type"] == "Preempted":
                del item["observedGeneration"]
    if is_true(workload, "Admitted"):
        ran = _seconds_since(condition_of(workload, "Admitted")["lastTransitionTime"])
        before = status.get("accumulatedPastExecutionTimeSeconds", 0)
        status["accumulatedPastExecutionTimeSeconds"] = before + ran
    _set(workload, status, _NOT_ADMITTED)
    _set(workload, status, _NOT_READY)
    _count_eviction(status, reason)
    return write_status(cluster, WORKLOADS, workload, status, _MANAGER)


def _seconds_since(time: str) -> int:
    then = dt.datetime.fromisoformat(time)
    return max(0, int((dt.datetime.now(dt.UTC) - then).total_seconds()))


def _count_eviction(status: Object, reason: str) -> None:
    evictions = status.setdefault("schedulingStats", {}).setdefault("evictions", [])
    for item in evictions:
        if item["reason"] == reason and not item.get("underlyingCause"):
            item["count"] += 1
            return
    evictions.append({"reason": reason, "underlyingCause": "", "count": 1})


def finish(cluster: Cluster, workload: Object, *, succeeded: bool, message: str) -> None:
    """The owner is done: its quota is free, the Workload stays as a record."""
    if is_true(workload, "Finished"):
        return
    reason = "Succeeded" if succeeded else "Failed"
    set_status_condition(cluster, workload, Word("Finished", "True", reason, message))
    current = cluster.store.get(WORKLOADS, workload["metadata"]["namespace"], workload["metadata"]["name"])
    if current is not None:
        release(cluster, current)
