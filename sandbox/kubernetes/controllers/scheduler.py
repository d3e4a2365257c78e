"""The scheduler: finds a node for each pending pod, or says why there is none."""

from __future__ import annotations

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.scheduling import schedule_pending
from sandbox.kubernetes.store import Change

__all__ = ["reconcile"]


def reconcile(cluster: Cluster, change: Change) -> None:
    if change.key in ("/pods", "/nodes"):
        schedule_pending(cluster)
