"""Which priority a Workload gets: of its WorkloadPriorityClass, else of its pods' PriorityClass."""

from __future__ import annotations

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.jsontypes import Object, at

__all__ = ["PRIORITY_LABEL", "priority_fields"]

PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"
_KUEUE, _CORE = "kueue.x-k8s.io", "scheduling.k8s.io"


def priority_fields(cluster: Cluster, owner: Object, pod_spec: Object) -> Object | None:
    """`priority` and `priorityClassRef` of the Workload; None where the named class is missing."""
    name = (owner["metadata"].get("labels") or {}).get(PRIORITY_LABEL)
    if name:
        found = cluster.get(_KUEUE, "workloadpriorityclasses", "", name)
        return None if found is None else _fields(found, _KUEUE, "WorkloadPriorityClass")
    name = at(pod_spec, "priorityClassName")
    if name:
        found = cluster.get(_CORE, "priorityclasses", "", name)
        return None if found is None else _fields(found, _CORE, "PriorityClass")
    defaults = [item for item in cluster.items(_CORE, "priorityclasses") if item.get("globalDefault")]
    if defaults:
        return _fields(min(defaults, key=lambda item: int(item["value"])), _CORE, "PriorityClass")
    return {"priority": 0}


def _fields(chosen: Object, group: str, kind: str) -> Object:
    return {
        "priority": int(chosen["value"]),
        "priorityClassRef": {"group": group, "kind": kind, "name": chosen["metadata"]["name"]},
    }
