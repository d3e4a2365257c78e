"""Kueue and single pods: a gated pod is its own Workload and loses the gate when that is admitted."""

from __future__ import annotations

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.controllers.base import find_resource, write_main
from sandbox.kubernetes.controllers.kueue_placement import placed_template
from sandbox.kubernetes.controllers.kueue_priority import priority_fields
from sandbox.kubernetes.controllers.kueue_workloads import (
    Word,
    create_workload,
    finish,
    holds_quota,
    is_true,
    owned_workload,
    set_status_condition,
)
from sandbox.kubernetes.deleting import delete_object
from sandbox.kubernetes.jsontypes import Object, at, clone

__all__ = ["GATE", "MANAGED", "sync_pod"]

MANAGED = "kueue.x-k8s.io/managed"
GATE = "kueue.x-k8s.io/admission"
_QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
_MANAGER = "kueue"
_ENDS = {"Succeeded": "Pod succeeded", "Failed": "Pod failed"}


def sync_pod(cluster: Cluster, namespace: str, name: str) -> None:
    pod = cluster.store.get("/pods", namespace, name)
    if pod is None or MANAGED not in (pod["metadata"].get("finalizers") or ()):
        return
    phase = at(pod, "status", "phase")
    if pod["metadata"].get("deletionTimestamp") or phase in _ENDS:
        workload = owned_workload(cluster, pod)
        if workload is not None and phase in _ENDS:
            finish(cluster, workload, succeeded=phase == "Succeeded", message=_ENDS[phase])
        _let_go(cluster, pod)
        return
    workload = owned_workload(cluster, pod)
    if workload is None:
        if spec := _workload_spec(cluster, pod):
            create_workload(cluster, "Pod", "v1", pod, spec)
        return
    gated = any(gate["name"] == GATE for gate in pod["spec"].get("schedulingGates") or ())
    if holds_quota(workload) and is_true(workload, "Admitted"):
        if gated:
            _start(cluster, pod, workload)
        else:
            _pods_ready(cluster, pod, workload)
    elif not gated and is_true(workload, "Evicted"):
        # A pod cannot be suspended: eviction ends it.
        delete_object(cluster, find_resource(cluster, "/pods"), pod, {})


def _let_go(cluster: Cluster, pod: Object) -> None:
    metadata = {key: value for key, value in pod["metadata"].items() if key != "finalizers"}
    if left := [name for name in pod["metadata"]["finalizers"] if name != MANAGED]:
        metadata["finalizers"] = left
    write_main(cluster, "/pods", pod, {**pod, "metadata": metadata}, _MANAGER)


def _workload_spec(cluster: Cluster, pod: Object) -> Object | None:
    priority = priority_fields(cluster, pod, pod["spec"])
    queue = (pod["metadata"].get("labels") or {}).get(_QUEUE_LABEL, "")
    if priority is None or not queue:
        return None
    pod_set = {
        "name": "main",
        "count": 1,
        "template": {"metadata": {}, "spec": clone(pod["spec"])},
        "topologyRequest": {"podIndexLabel": "kueue.x-k8s.io/pod-group-pod-index"},
    }
    return {"podSets": [pod_set], "queueName": queue, **priority}


def _start(cluster: Cluster, pod: Object, workload: Object) -> None:
    placed = placed_template(cluster, {"metadata": pod["metadata"], "spec": pod["spec"]}, workload)
    gates = [gate for gate in placed["spec"].pop("schedulingGates") if gate["name"] != GATE]
    if gates:
        placed["spec"]["schedulingGates"] = gates
    write_main(cluster, "/pods", pod, {**pod, **placed}, _MANAGER)


def _pods_ready(cluster: Cluster, pod: Object, workload: Object) -> None:
    ready = any(c["type"] == "Ready" and c["status"] == "True" for c in at(pod, "status", "conditions") or ())
    if ready and not is_true(workload, "PodsReady"):
        text = "All pods reached readiness and the workload is running"
        set_status_condition(cluster, workload, Word("PodsReady", "True", "Started", text))
