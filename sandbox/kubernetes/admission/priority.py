"""Priority: the number behind a pod's class, and the one global default."""

from __future__ import annotations

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.errors import forbidden
from sandbox.kubernetes.jsontypes import Object

__all__ = ["check_global_default", "set_priority"]

_GROUP = "scheduling.k8s.io"


def _default_class(cluster: Cluster) -> Object | None:
    classes = [item for item in cluster.items(_GROUP, "priorityclasses") if item.get("globalDefault")]
    return min(classes, key=lambda item: int(item["value"])) if classes else None


def set_priority(cluster: Cluster, pod: Object, old: Object | None) -> None:
    spec = pod["spec"]
    if old is not None:
        if "priority" not in spec and "priority" in old["spec"]:
            spec["priority"] = old["spec"]["priority"]
        if "preemptionPolicy" not in spec and "preemptionPolicy" in old["spec"]:
            spec["preemptionPolicy"] = old["spec"]["preemptionPolicy"]
        return
    name = spec.get("priorityClassName")
    pod_name = pod["metadata"].get("name", "")
    if name:
        chosen = cluster.get(_GROUP, "priorityclasses", "", name)
        if chosen is None:
            raise forbidden("", "pods", pod_name, f"no PriorityClass with name {name} was found")
    else:
        chosen = _default_class(cluster)
        if chosen is not None:
            spec["priorityClassName"] = chosen["metadata"]["name"]
    value = int(chosen["value"]) if chosen else 0
    policy = (chosen or {}).get("preemptionPolicy", "PreemptLowerPriority")
    if spec.get("priority", value) != value:
        text = (
            f"the integer value of priority ({spec['priority']}) must not be provided in pod spec; priority"
            f" admission controller computed {value} from the given PriorityClass name"
        )
        raise forbidden("", "pods", pod_name, text)
    if spec.get("preemptionPolicy", policy) != policy:
        text = (
            f"the string value of PreemptionPolicy ({spec['preemptionPolicy']}) must not be provided in pod"
            f" spec; priority admission controller computed {policy} from the given PriorityClass name"
        )
        raise forbidden("", "pods", pod_name, text)
    spec["priority"], spec["preemptionPolicy"] = value, policy


def check_global_default(cluster: Cluster, new: Object, old: Object | None) -> None:
    if not new.get("globalDefault"):
        return
    current = _default_class(cluster)
    name = new["metadata"].get("name", "")
    if current is not None and current["metadata"]["name"] != name:
        text = (
            f"PriorityClass {current['metadata']['name']} is already marked as default. Only one default can"
            " exist"
        )
        raise forbidden(_GROUP, "priorityclasses", name, text)
    del old
