"""The control plane's controllers: each reacts to one change at a time."""

from __future__ import annotations

from collections.abc import Callable

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.controllers import (
    aggregation,
    budgets,
    garbage,
    jobs,
    kubelet,
    kueue,
    namespaces,
    nodes,
    quota,
    replicas,
    scheduler,
)
from sandbox.kubernetes.store import Change

__all__ = ["for_features"]

Reconcile = Callable[[Cluster, Change], None]


def for_features(features: frozenset[str]) -> list[Reconcile]:
    """The controllers that run, in the order they see a change."""
    out: list[Reconcile] = []
    if "kueue" in features:
        # Before the Job controller: a Job that may not run is suspended before it gets pods.
        out.append(kueue.reconcile)
    if "controllers" in features:
        out += [
            namespaces.reconcile,
            nodes.reconcile,
            quota.reconcile,
            garbage.reconcile,
            aggregation.reconcile,
            replicas.reconcile,
            jobs.reconcile,
            budgets.reconcile,
        ]
    if "scheduler" in features:
        out.append(scheduler.reconcile)
    if "kubelet" in features:
        out.append(kubelet.reconcile)
    return out
