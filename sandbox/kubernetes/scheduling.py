"""Where a pod fits: taints, selectors, affinity and free resources of each node."""

from __future__ import annotations

from sandbox.kubernetes import quantities
from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.controllers.base import find_resource, set_condition, write_status
from sandbox.kubernetes.controllers.events import record_scheduling
from sandbox.kubernetes.jsontypes import Object, at, now
from sandbox.kubernetes.selectors import Requirement
from sandbox.kubernetes.usage import pod_amounts

__all__ = ["schedule_pending", "tolerates"]

_OPERATORS = {"In": "in", "NotIn": "notin", "Exists": "exists", "DoesNotExist": "!", "Gt": "gt", "Lt": "lt"}


def schedule_pending(cluster: Cluster) -> None:
    """Binds every pod that waits for the default scheduler and fits a node; marks the others."""
    pods = cluster.items("", "pods")
    waiting = [p for p in pods if _waits(p)]
    if not waiting:
        return
    for pod in sorted(waiting, key=lambda p: -int(p["spec"].get("priority", 0))):
        _schedule(cluster, pod)


def _waits(pod: Object) -> bool:
    spec = pod["spec"]
    return (
        not spec.get("nodeName")
        and not spec.get("schedulingGates")
        and not pod["metadata"].get("deletionTimestamp")
        and spec.get("schedulerName") == "default-scheduler"
        and at(pod, "status", "phase") == "Pending"
    )


def _schedule(cluster: Cluster, pod: Object) -> None:
    nodes = cluster.items("", "nodes")
    reasons: dict[str, int] = {}
    for node in nodes:
        problems = _problems(cluster, pod, node)
        if not problems:
            _bind(cluster, pod, node["metadata"]["name"])
            return
        for problem in problems:
            reasons[problem] = reasons.get(problem, 0) + 1
    if not nodes:
        message = "no nodes available to schedule pods"
    else:
        listed = ", ".join(sorted(f"{count} {text}" for text, count in reasons.items()))
        preemption = _preemption_text(pod, len(nodes))
        message = (
            f"0/{len(nodes)} nodes are available: {listed}. no new claims to deallocate, preemption:"
            f" {preemption}"
        )
    condition = {
        "type": "PodScheduled",
        "status": "False",
        "lastProbeTime": None,
        "lastTransitionTime": now(),
        "reason": "Unschedulable",
        "message": message,
        "observedGeneration": pod["metadata"].get("generation", 1),
    }
    status = {
        **pod.get("status", {}),
        "conditions": set_condition(at(pod, "status", "conditions") or [], condition),
    }
    write_status(cluster, "/pods", pod, status, "kube-scheduler")
    record_scheduling(
        cluster, pod, kind="Warning", reason="FailedScheduling", message=message, action="Scheduling"
    )


def _preemption_text(pod: Object, count: int) -> str:
    if pod["spec"].get("preemptionPolicy") == "Never":
        return "not eligible due to preemptionPolicy=Never."
    return f"0/{count} nodes are available: {count} Preemption is not helpful for scheduling."


def _bind(cluster: Cluster, pod: Object, node: str) -> None:
    text = f"Successfully assigned {pod['metadata']['namespace']}/{pod['metadata']['name']} to {node}"
    record_scheduling(cluster, pod, kind="Normal", reason="Scheduled", message=text, action="Binding")
    bound = cluster.store.put(
        find_resource(cluster, "/pods"), {**pod, "spec": {**pod["spec"], "nodeName": node}}
    )
    condition = {
        "type": "PodScheduled",
        "status": "True",
        "lastProbeTime": None,
        "lastTransitionTime": now(),
    }
    conditions = [c for c in at(bound, "status", "conditions") or () if c["type"] != "PodScheduled"]
    status = {**bound.get("status", {}), "conditions": [*conditions, condition]}
    cluster.store.put(find_resource(cluster, "/pods"), {**bound, "status": status})


def _problems(cluster: Cluster, pod: Object, node: Object) -> list[str]:
    if at(node, "spec", "unschedulable") and not tolerates(
        pod, {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
    ):
        return ["node(s) were unschedulable"]
    for taint in at(node, "spec", "taints") or ():
        if taint["effect"] in ("NoSchedule", "NoExecute") and not tolerates(pod, taint):
            return ["node(s) had untolerated taint(s)"]
    if not _selected(pod, node):
        return ["node(s) didn't match Pod's node affinity/selector"]
    return _lacking(cluster, pod, node)


def tolerates(pod: Object, taint: Object) -> bool:
    for item in pod["spec"].get("tolerations") or ():
        if item.get("effect") and item["effect"] != taint["effect"]:
            continue
        if item.get("operator") == "Exists":
            if not item.get("key") or item["key"] == taint["key"]:
                return True
        elif item.get("key") == taint["key"] and item.get("value", "") == taint.get("value", ""):
            return True
    return False


def _selected(pod: Object, node: Object) -> bool:
    labels = node["metadata"].get("labels") or {}
    if any(labels.get(key) != value for key, value in (pod["spec"].get("nodeSelector") or {}).items()):
        return False
    needed = at(pod, "spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    if needed is None:
        return True
    return any(
        all(
            Requirement(e["key"], _OPERATORS[e["operator"]], tuple(e.get("values") or ())).matches(labels)
            for e in term.get("matchExpressions") or ()
        )
        for term in needed.get("nodeSelectorTerms") or ()
    )


def _lacking(cluster: Cluster, pod: Object, node: Object) -> list[str]:
    name = node["metadata"]["name"]
    free = {key: quantities.parse(value) for key, value in (at(node, "status", "allocatable") or {}).items()}
    here = [
        p
        for p in cluster.items("", "pods")
        if p["spec"].get("nodeName") == name and at(p, "status", "phase") not in ("Succeeded", "Failed")
    ]
    for other in here:
        for key, value in pod_amounts(other["spec"], "requests").items():
            if key in free:
                free[key] -= quantities.parse(value)
    out = []
    if "pods" in free and free["pods"] < len(here) + 1:
        out.append("Too many pods")
    for key, value in pod_amounts(pod["spec"], "requests").items():
        wanted = quantities.parse(value)
        if wanted and free.get(key, quantities.parse("0")) < wanted:
            out.append(f"Insufficient {key}")
    return out
