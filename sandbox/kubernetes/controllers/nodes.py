"""What the control plane adds to a node: the TTL annotation, and taints by its conditions."""

from __future__ import annotations

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.controllers.base import write_main
from sandbox.kubernetes.jsontypes import Object, at, now
from sandbox.kubernetes.store import Change

__all__ = ["reconcile"]

_TTL = "node.alpha.kubernetes.io/ttl"
_MANAGER = "kube-controller-manager"
_TAINTS = {
    ("Ready", "False"): "node.kubernetes.io/not-ready",
    ("Ready", "Unknown"): "node.kubernetes.io/unreachable",
    ("MemoryPressure", "True"): "node.kubernetes.io/memory-pressure",
    ("DiskPressure", "True"): "node.kubernetes.io/disk-pressure",
    ("PIDPressure", "True"): "node.kubernetes.io/pid-pressure",
    ("NetworkUnavailable", "True"): "node.kubernetes.io/network-unavailable",
}
_UNSCHEDULABLE = "node.kubernetes.io/unschedulable"


def reconcile(cluster: Cluster, change: Change) -> None:
    if change.key != "/nodes" or change.after is None:
        return
    name = change.after["metadata"]["name"]
    node = cluster.get("", "nodes", "", name)
    if node is None:
        return
    new = {**node, "spec": _with_taints(node)}
    if _TTL not in (node["metadata"].get("annotations") or {}):
        annotations = {**(node["metadata"].get("annotations") or {}), _TTL: "0"}
        new["metadata"] = {**node["metadata"], "annotations": annotations}
    write_main(cluster, "/nodes", node, new, _MANAGER)


def _with_taints(node: Object) -> Object:
    """The spec with the taints that the node's conditions ask for, and no others of these keys."""
    conditions = at(node, "status", "conditions") or ()
    wanted = [_TAINTS[key] for c in conditions if (key := (c["type"], c["status"])) in _TAINTS]
    if at(node, "spec", "unschedulable"):
        wanted.append(_UNSCHEDULABLE)
    managed = {*_TAINTS.values(), _UNSCHEDULABLE}
    current = at(node, "spec", "taints") or []
    kept = [
        t
        for t in current
        if not (t["key"] in managed and t["effect"] == "NoSchedule" and t["key"] not in wanted)
    ]
    have = {t["key"] for t in kept if t["effect"] == "NoSchedule"}
    added = [
        {"key": key, "effect": "NoSchedule", "timeAdded": now()}
        for key in dict.fromkeys(wanted)
        if key not in have
    ]
    spec: Object = {key: value for key, value in node["spec"].items() if key != "taints"}
    if kept or added:
        spec["taints"] = kept + added
    return spec
