"""PodDisruptionBudgets: how many of their pods are healthy, and how many may go."""

from __future__ import annotations

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.controllers.base import set_condition, write_status
from sandbox.kubernetes.jsontypes import Object, at, now
from sandbox.kubernetes.selectors import matches_label_selector
from sandbox.kubernetes.store import Change

__all__ = ["reconcile"]

_KEY = "policy/poddisruptionbudgets"
_OWNERS = {"ReplicaSet": "apps/replicasets", "StatefulSet": "apps/statefulsets"}


def reconcile(cluster: Cluster, change: Change) -> None:
    obj = change.after or change.before
    if obj is None or change.key not in (_KEY, "/pods"):
        return
    for budget in cluster.store.items(_KEY, obj["metadata"].get("namespace", "")):
        if not budget["metadata"].get("deletionTimestamp"):
            _count(cluster, budget)


def _count(cluster: Cluster, budget: Object) -> None:
    spec, namespace = budget["spec"], budget["metadata"]["namespace"]
    pods = [
        pod
        for pod in cluster.store.items("/pods", namespace)
        if matches_label_selector(spec.get("selector"), pod["metadata"].get("labels"))
        and at(pod, "status", "phase") not in ("Succeeded", "Failed")
        and not pod["metadata"].get("deletionTimestamp")
    ]
    healthy = sum(_ready(pod) for pod in pods)
    expected = len(pods)
    if "maxUnavailable" in spec or isinstance(spec.get("minAvailable"), str):
        expected = _scale(cluster, namespace, pods)
    if "maxUnavailable" in spec:
        desired = max(0, expected - _number(spec["maxUnavailable"], expected))
    else:
        desired = _number(spec.get("minAvailable", 0), expected)
    allowed = max(0, healthy - desired) if expected else 0
    generation = budget["metadata"].get("generation", 1)
    condition = {
        "type": "DisruptionAllowed",
        "status": "True" if allowed else "False",
        "observedGeneration": generation,
        "lastTransitionTime": now(),
        "reason": "SufficientPods" if allowed else "InsufficientPods",
        "message": "",
    }
    status = {
        "observedGeneration": generation,
        "disruptionsAllowed": allowed,
        "currentHealthy": healthy,
        "desiredHealthy": desired,
        "expectedPods": expected,
        "conditions": set_condition(at(budget, "status", "conditions") or [], condition),
    }
    write_status(cluster, _KEY, budget, status, "kube-controller-manager")


def _number(value: int | str, of: int) -> int:
    """A count, or a percentage of the expected pods, rounded up."""
    if isinstance(value, int):
        return value
    return -(-int(value.rstrip("%")) * of // 100)


def _ready(pod: Object) -> bool:
    return any(c["type"] == "Ready" and c["status"] == "True" for c in at(pod, "status", "conditions") or ())


def _scale(cluster: Cluster, namespace: str, pods: list[Object]) -> int:
    """What the owners of the pods want; a pod without such an owner counts for nothing."""
    wanted: dict[str, int] = {}
    for pod in pods:
        for reference in pod["metadata"].get("ownerReferences") or ():
            if key := _OWNERS.get(reference["kind"]):
                owner = cluster.store.get(key, namespace, reference["name"])
                if owner is not None:
                    wanted[reference["uid"]] = int(owner["spec"].get("replicas", 1))
    return sum(wanted.values())
