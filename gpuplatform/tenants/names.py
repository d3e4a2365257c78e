"""The names and labels of everything that belongs to a tenant."""

from __future__ import annotations

__all__ = [
    "CLUSTER_QUEUE",
    "FIELD_MANAGER",
    "GPU_RESOURCE",
    "MANAGED_BY",
    "MAX_LABEL",
    "PREFIX",
    "labels",
    "namespace_of",
    "queue_of",
]

FIELD_MANAGER = "azure-gpu-platform"
"""Owner of the fields that we apply; conflicts in the cluster name the other owner against this one."""

MANAGED_BY = "app.kubernetes.io/managed-by"
PREFIX = "azure-gpu-platform"
"""Prefix of our own label and annotation keys."""

CLUSTER_QUEUE = "gpu-cluster-queue"
GPU_RESOURCE = "nvidia.com/gpu"

MAX_LABEL = 63
"""Longest DNS label (RFC 1123): namespaces, queue names and label values are at most this long."""


def namespace_of(team: str) -> str:
    return f"team-{team}"


def queue_of(team: str) -> str:
    """The team's LocalQueue; also the value of the label with which jobs choose it."""
    return f"{team}-queue"


def labels(team: str, environment: str, cost_center: str) -> dict[str, str]:
    """The labels of every object of a tenant."""
    return {
        MANAGED_BY: FIELD_MANAGER,
        f"{PREFIX}/team": team,
        f"{PREFIX}/environment": environment,
        f"{PREFIX}/cost-center": cost_center,
    }
