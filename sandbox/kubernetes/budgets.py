"""PodDisruptionBudgets, as far as evictions ask for them."""

from __future__ import annotations

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.errors import ApiError
from sandbox.kubernetes.jsontypes import Object, at
from sandbox.kubernetes.selectors import matches_label_selector

__all__ = ["check_budget"]


def check_budget(cluster: Cluster, pod: Object) -> None:
    """Raises ApiError (429) where a budget allows no disruption."""
    if at(pod, "status", "phase") in ("Succeeded", "Failed", "Pending"):
        return
    for budget in cluster.items("policy", "poddisruptionbudgets", pod["metadata"]["namespace"]):
        if matches_label_selector(budget["spec"].get("selector"), pod["metadata"].get("labels")):
            if at(budget, "status", "disruptionsAllowed"):
                continue
            healthy, needed = (
                at(budget, "status", "currentHealthy") or 0,
                at(budget, "status", "desiredHealthy") or 0,
            )
            name = budget["metadata"]["name"]
            cause = {
                "reason": "DisruptionBudget",
                "message": (
                    f"The disruption budget {name} needs {needed} healthy pods and has {healthy} currently"
                ),
            }
            text = "Cannot evict pod as it would violate the pod's disruption budget."
            raise ApiError(429, "TooManyRequests", text, {"causes": [cause]})
