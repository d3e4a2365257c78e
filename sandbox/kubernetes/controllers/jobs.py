"""Jobs: pods while they are wanted, and a status that counts them."""

from __future__ import annotations

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.controllers.base import find_resource, set_condition, write_main, write_status
from sandbox.kubernetes.controllers.pod_creation import create_pod
from sandbox.kubernetes.deleting import delete_object
from sandbox.kubernetes.jsontypes import Object, at, now
from sandbox.kubernetes.store import Change

__all__ = ["reconcile"]

_KEY = "batch/jobs"
_MANAGER = "kube-controller-manager"
_TRACKING = "batch.kubernetes.io/job-tracking"


def reconcile(cluster: Cluster, change: Change) -> None:
    obj = change.after or change.before
    if obj is None:
        return
    namespace = obj["metadata"].get("namespace", "")
    if change.key == _KEY and change.after is not None:
        _sync(cluster, namespace, obj["metadata"]["name"])
    elif change.key == "/resourcequotas":
        for job in cluster.store.items(_KEY, namespace):
            _sync(cluster, namespace, job["metadata"]["name"])
    elif change.key == "/pods":
        _release(cluster, change)
        for reference in obj["metadata"].get("ownerReferences") or ():
            if reference["kind"] == "Job" and reference["apiVersion"] == "batch/v1":
                _sync(cluster, namespace, reference["name"])


def _release(cluster: Cluster, change: Change) -> None:
    """A pod that goes, or whose Job is gone, loses the tracking finalizer."""
    pod = change.after
    if pod is None or _TRACKING not in (pod["metadata"].get("finalizers") or ()):
        return
    finished = at(pod, "status", "phase") in ("Succeeded", "Failed")
    if not pod["metadata"].get("deletionTimestamp") and not finished:
        return
    left = [name for name in pod["metadata"]["finalizers"] if name != _TRACKING]
    metadata = {k: v for k, v in pod["metadata"].items() if k != "finalizers"}
    if left:
        metadata["finalizers"] = left
    current = cluster.store.get("/pods", pod["metadata"]["namespace"], pod["metadata"]["name"])
    if current is not None and current["metadata"]["uid"] == pod["metadata"]["uid"]:
        write_main(
            cluster,
            "/pods",
            current,
            {**current, "metadata": {**metadata, "resourceVersion": current["metadata"]["resourceVersion"]}},
            _MANAGER,
        )


def _sync(cluster: Cluster, namespace: str, name: str) -> None:
    job = cluster.store.get(_KEY, namespace, name)
    if job is None or job["metadata"].get("deletionTimestamp"):
        return
    if any(
        c["type"] in ("Complete", "Failed") and c["status"] == "True"
        for c in at(job, "status", "conditions") or ()
    ):
        return
    pods = [p for p in cluster.items("", "pods", namespace) if _owned(job, p)]
    active = [
        p
        for p in pods
        if at(p, "status", "phase") not in ("Succeeded", "Failed")
        and not p["metadata"].get("deletionTimestamp")
    ]
    if job["spec"].get("suspend"):
        for pod in active:
            delete_object(cluster, find_resource(cluster, "/pods"), pod, {})
        _write(cluster, job, [], pods, suspended=True)
        return
    failed = sum(at(p, "status", "phase") == "Failed" for p in pods)
    if failed > job["spec"].get("backoffLimit", 6):
        for pod in active:
            delete_object(cluster, find_resource(cluster, "/pods"), pod, {})
        _write(cluster, job, [], pods, suspended=False)
        return
    succeeded = sum(at(p, "status", "phase") == "Succeeded" for p in pods)
    wanted = job["spec"].get("completions", 1) or job["spec"].get("parallelism", 1)
    missing = min(job["spec"].get("parallelism", 1), wanted - succeeded) - len(active)
    for _ in range(max(missing, 0)):
        if create_pod(
            cluster, "batch/v1", "Job", job, job["spec"]["template"], more={"finalizers": [_TRACKING]}
        ):
            break
    pods = [p for p in cluster.items("", "pods", namespace) if _owned(job, p)]
    active = [
        p
        for p in pods
        if at(p, "status", "phase") not in ("Succeeded", "Failed")
        and not p["metadata"].get("deletionTimestamp")
    ]
    current = cluster.store.get(_KEY, namespace, name)
    if current is not None:
        _write(cluster, current, active, pods, suspended=False)


def _owned(job: Object, pod: Object) -> bool:
    return any(ref["uid"] == job["metadata"]["uid"] for ref in pod["metadata"].get("ownerReferences") or ())


def _write(
    cluster: Cluster, job: Object, active: list[Object], pods: list[Object], *, suspended: bool
) -> None:
    before = job.get("status") or {}
    status: Object = {}
    if conditions := before.get("conditions"):
        status["conditions"] = list(conditions)
    was = any(c["type"] == "Suspended" and c["status"] == "True" for c in status.get("conditions") or ())
    if suspended and not was:
        status["conditions"] = set_condition(
            status.get("conditions") or [], _condition("Suspended", "True", "JobSuspended", "Job suspended")
        )
    elif was and not suspended:
        status["conditions"] = set_condition(
            status["conditions"], _condition("Suspended", "False", "JobResumed", "Job resumed")
        )
    if not suspended:
        status["startTime"] = before.get("startTime") or now()
    succeeded = sum(at(p, "status", "phase") == "Succeeded" for p in pods)
    failed = sum(at(p, "status", "phase") == "Failed" for p in pods)
    if active:
        status["active"] = len(active)
    if succeeded:
        status["succeeded"] = succeeded
    if failed:
        status["failed"] = failed
    ready = sum(
        any(c["type"] == "Ready" and c["status"] == "True" for c in at(p, "status", "conditions") or ())
        for p in active
    )
    status["terminating"] = 0
    status["uncountedTerminatedPods"] = {}
    status["ready"] = ready
    if failed > job["spec"].get("backoffLimit", 6):
        text = "Job has reached the specified backoff limit"
        for kind in ("FailureTarget", "Failed"):
            status["conditions"] = set_condition(
                status.get("conditions") or [], _condition(kind, "True", "BackoffLimitExceeded", text)
            )
    elif succeeded and succeeded >= (job["spec"].get("completions") or 1):
        done = "Reached expected number of succeeded pods"
        for kind in ("SuccessCriteriaMet", "Complete"):
            status["conditions"] = set_condition(
                status.get("conditions") or [], _condition(kind, "True", "CompletionsReached", done)
            )
        status["completionTime"] = now()
        status["terminating"] = status["ready"] = 0
    write_status(cluster, _KEY, job, status, _MANAGER)


def _condition(kind: str, status: str, reason: str, message: str) -> Object:
    time = now()
    return {
        "type": kind,
        "status": status,
        "lastProbeTime": time,
        "lastTransitionTime": time,
        "reason": reason,
        "message": message,
    }
