"""Kueue and Jobs: a Workload for each Job with a queue; the Job runs while its Workload is admitted."""

from __future__ import annotations

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.controllers.base import find_resource, write_main
from sandbox.kubernetes.controllers.kueue_placement import placed_template, restored_template
from sandbox.kubernetes.controllers.kueue_priority import priority_fields
from sandbox.kubernetes.controllers.kueue_workloads import (
    WORKLOADS,
    Word,
    create_workload,
    finish,
    holds_quota,
    is_true,
    owned_workload,
    set_status_condition,
)
from sandbox.kubernetes.deleting import delete_object
from sandbox.kubernetes.jsontypes import Object, at

__all__ = ["sync_job"]

_JOBS = "batch/jobs"
_QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
_MANAGER = "kueue"
_OWN_LABELS = ("controller-uid", "job-name", "batch.kubernetes.io/controller-uid")


def sync_job(cluster: Cluster, namespace: str, name: str) -> None:
    job = cluster.store.get(_JOBS, namespace, name)
    if job is None or job["metadata"].get("deletionTimestamp"):
        return
    queue = (job["metadata"].get("labels") or {}).get(_QUEUE_LABEL, "")
    workload = owned_workload(cluster, job)
    if workload is not None and workload["metadata"].get("deletionTimestamp"):
        workload = None
    if not queue:
        if workload is not None:
            delete_object(cluster, find_resource(cluster, WORKLOADS), workload, {})
        return
    done = _finished(job)
    if done is None:
        _follow(cluster, job, queue, workload)
    elif workload is not None:
        finish(cluster, workload, succeeded=done[0], message=done[1])


def _follow(cluster: Cluster, job: Object, queue: str, workload: Object | None) -> None:
    """Brings the Job to what its Workload says, and a Workload without quota to what the Job says."""
    if workload is None:
        job = _stop(cluster, job, None)
        if spec := _workload_spec(cluster, job, queue):
            create_workload(cluster, "Job", "batch/v1", job, spec)
    elif not holds_quota(workload):
        job = _stop(cluster, job, workload)
        if spec := _workload_spec(cluster, job, queue):
            wanted = {**workload, "spec": {"active": workload["spec"].get("active", True), **spec}}
            write_main(cluster, WORKLOADS, workload, wanted, _MANAGER)
    elif not is_true(workload, "Admitted"):
        return
    elif job["spec"].get("suspend"):
        _start(cluster, job, workload)
    else:
        _pods_ready(cluster, job, workload)


def _finished(job: Object) -> tuple[bool, str] | None:
    for condition in at(job, "status", "conditions") or ():
        if condition["type"] in ("Complete", "Failed") and condition["status"] == "True":
            return condition["type"] == "Complete", condition.get("message", "")
    return None


def _workload_spec(cluster: Cluster, job: Object, queue: str) -> Object | None:
    """None where the Job names a priority class that is not there."""
    spec = job["spec"]
    template = restored_template(spec["template"], None)
    priority = priority_fields(cluster, job, template["spec"])
    if priority is None:
        return None
    labels = {k: v for k, v in (at(template, "metadata", "labels") or {}).items() if k not in _OWN_LABELS}
    metadata = {key: value for key, value in (template.get("metadata") or {}).items() if key != "labels"}
    if labels:
        metadata["labels"] = labels
    count = spec.get("parallelism", 1)
    completions = spec.get("completions")
    pod_set = {
        "name": "main",
        "count": count if completions is None else min(count, completions),
        "template": {"metadata": metadata, "spec": template["spec"]},
        "topologyRequest": {"podIndexLabel": "batch.kubernetes.io/job-completion-index"},
    }
    return {"podSets": [pod_set], "queueName": queue, **priority}


def _start(cluster: Cluster, job: Object, workload: Object) -> None:
    template = placed_template(cluster, job["spec"]["template"], workload)
    spec = {**job["spec"], "suspend": False, "template": template}
    write_main(cluster, _JOBS, job, {**job, "spec": spec}, _MANAGER)


def _stop(cluster: Cluster, job: Object, workload: Object | None) -> Object:
    """Suspends first and restores the template then, as two writes: each counts a generation."""
    if job["spec"].get("suspend"):
        return job
    suspended = {**job, "spec": {**job["spec"], "suspend": True}}
    stored = write_main(cluster, _JOBS, job, suspended, _MANAGER)
    before = workload["spec"]["podSets"][0]["template"] if workload else None
    template = restored_template(stored["spec"]["template"], before)
    restored = {**stored, "spec": {**stored["spec"], "template": template}}
    return write_main(cluster, _JOBS, stored, restored, _MANAGER)


def _pods_ready(cluster: Cluster, job: Object, workload: Object) -> None:
    status = job.get("status") or {}
    ready = int(status.get("ready") or 0) + int(status.get("succeeded") or 0)
    if ready >= job["spec"].get("parallelism", 1) and not is_true(workload, "PodsReady"):
        text = "All pods reached readiness and the workload is running"
        set_status_condition(cluster, workload, Word("PodsReady", "True", "Started", text))
