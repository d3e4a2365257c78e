"""Kueue's objects: a flavor for each GPU pool, the cluster's queue, and the door to it in a namespace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuplatform.tenants.names import CLUSTER_QUEUE, FIELD_MANAGER, GPU_RESOURCE, MANAGED_BY
from gpuplatform.tenants.pools import TenantPool
from gpuplatform.tenants.request import TenantRequest

__all__ = ["KUEUE_GROUP", "cluster_queue", "local_queue", "resource_flavors", "tolerations"]

KUEUE_GROUP = "kueue.x-k8s.io"
_OURS = {MANAGED_BY: FIELD_MANAGER}


def resource_flavors(pools: Sequence[TenantPool], version: str) -> list[dict[str, Any]]:
    """One flavor a pool: Kueue adds its node label and tolerations to the pods that it admits there."""
    return [
        {
            "apiVersion": f"{KUEUE_GROUP}/{version}",
            "kind": "ResourceFlavor",
            "metadata": {"name": pool.name, "labels": _OURS},
            "spec": {
                "nodeLabels": {"kubernetes.azure.com/agentpool": pool.name},
                "tolerations": tolerations(pool),
            },
        }
        for pool in pools
    ]


def cluster_queue(pools: Sequence[TenantPool], version: str) -> dict[str, Any]:
    """The queue of all GPU pools, its quotas what they hold when each has grown to its most nodes.

    A resource may be in one group only, so all flavors are in one. They are tried in order, spot first
    because it is the cheapest. Of CPU and memory the machines' whole size counts, of which the nodes' own
    services take a part. The field names used here are the same in v1beta1 and v1beta2.
    """
    return {
        "apiVersion": f"{KUEUE_GROUP}/{version}",
        "kind": "ClusterQueue",
        "metadata": {"name": CLUSTER_QUEUE, "labels": _OURS},
        "spec": {
            # `{}` would let every namespace in, also those that nobody onboarded.
            "namespaceSelector": {"matchLabels": _OURS},
            "queueingStrategy": "BestEffortFIFO",
            # Without this, priorities decide the order in the queue and reclaim nothing.
            "preemption": {"withinClusterQueue": "LowerPriority"},
            "resourceGroups": [
                {
                    # Every flavor lists these resources in this order: Kueue compares them by position.
                    "coveredResources": ["cpu", "memory", GPU_RESOURCE],
                    "flavors": [
                        {
                            "name": pool.name,
                            "resources": [
                                {"name": "cpu", "nominalQuota": str(pool.max_nodes * pool.vcpus)},
                                {"name": "memory", "nominalQuota": f"{pool.max_nodes * pool.memory_gib}Gi"},
                                {"name": GPU_RESOURCE, "nominalQuota": str(pool.max_gpus)},
                            ],
                        }
                        for pool in sorted(pools, key=lambda pool: (not pool.spot, pool.name))
                    ],
                }
            ],
        },
    }


def local_queue(request: TenantRequest, version: str) -> dict[str, Any]:
    """The team's queue. Its ClusterQueue cannot be changed later."""
    return {
        "apiVersion": f"{KUEUE_GROUP}/{version}",
        "kind": "LocalQueue",
        "metadata": {"name": request.queue, "namespace": request.namespace, "labels": request.labels},
        "spec": {"clusterQueue": CLUSTER_QUEUE},
    }


def tolerations(pool: TenantPool) -> list[dict[str, str]]:
    """What a pod needs to run on the pool's nodes."""
    return [_toleration(taint) for taint in pool.all_taints]


def _toleration(taint: str) -> dict[str, str]:
    """The toleration of a taint `key=value:Effect`; AKS also allows `key:Effect`."""
    rest, _, effect = taint.rpartition(":")
    key, equals, value = rest.partition("=")
    if not equals:
        return {"key": key, "operator": "Exists", "effect": effect}
    return {"key": key, "operator": "Equal", "value": value, "effect": effect}
