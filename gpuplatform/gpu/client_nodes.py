"""Evidence from node pools: what Azure says about them and what the cluster says about their nodes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from gpuplatform.azure.errors import azure_errors
from gpuplatform.azure.values import plain
from gpuplatform.errors import PlatformError
from gpuplatform.gpu.catalog import Catalog
from gpuplatform.gpu.node import GPU_TAINT, NodeEvidence, PoolEvidence, settled
from gpuplatform.kubernetes.cluster import Cluster, open_cluster
from gpuplatform.kubernetes.errors import kubernetes_errors

if TYPE_CHECKING:
    from gpuplatform.azure.clients import AzureClients

__all__ = ["collect_pools", "list_gpu_pools", "list_nodes"]

_POOL_LABELS = ("kubernetes.azure.com/agentpool", "agentpool")
_PAGE = 500


def list_gpu_pools(
    clients: AzureClients, resource_group: str, cluster: str, catalog: Catalog
) -> tuple[PoolEvidence, ...]:
    """The pools of a cluster that have GPUs, or that something says should have them."""
    with azure_errors(f"listing the node pools of {cluster}"):
        pools = [
            _pool(cluster, pool) for pool in clients.containers.agent_pools.list(resource_group, cluster)
        ]
    return tuple(
        pool for pool in pools if catalog.sku(pool.sku) or catalog.may_be_gpu_sku(pool.sku) or pool.wants_gpu
    )


def collect_pools(
    clients: AzureClients,
    resource_group: str,
    cluster: str,
    catalog: Catalog,
    report: Callable[[str], None],
) -> tuple[PoolEvidence, ...]:
    """The GPU pools of a cluster with their nodes, once they have settled or the deadline is reached.

    A cluster whose API cannot be read leaves `nodes` None and the reason in `gap`.
    """
    pools = list_gpu_pools(clients, resource_group, cluster, catalog)
    if not pools:
        return ()
    limits = clients.settings
    deadline = time.monotonic() + limits.driver_timeout_seconds
    grace = timedelta(seconds=limits.node_settle_seconds)
    told = False
    try:
        with open_cluster(clients, resource_group, cluster) as api:
            while True:
                pools = _with_nodes(pools, list_nodes(api))
                waiting = [p.name for p in pools if not settled(p, catalog, datetime.now(UTC), grace)]
                if not waiting or time.monotonic() >= deadline:
                    return pools
                if not told:
                    report(f"{cluster}: waiting for the nodes of {', '.join(waiting)}")
                    told = True
                time.sleep(limits.polling_interval_seconds)
                pools = list_gpu_pools(clients, resource_group, cluster, catalog)
    except PlatformError as error:
        return tuple(replace(pool, nodes=None, gap=str(error)) for pool in pools)


def list_nodes(cluster: Cluster) -> tuple[tuple[str, NodeEvidence], ...]:
    """Every node with the name of its pool (empty where no label names one), all pages read."""
    nodes: list[tuple[str, NodeEvidence]] = []
    more: str | None = None
    with kubernetes_errors(f"listing the nodes of {cluster.name}"):
        while True:
            page = cluster.core.list_node(limit=_PAGE, _continue=more)
            nodes += [_node(item) for item in page.items]
            more = page.metadata.var_continue if page.metadata else None
            if not more:
                return tuple(nodes)


def _with_nodes(
    pools: Iterable[PoolEvidence], nodes: tuple[tuple[str, NodeEvidence], ...]
) -> tuple[PoolEvidence, ...]:
    return tuple(
        replace(pool, nodes=tuple(node for name, node in nodes if name == pool.name)) for pool in pools
    )


def _pool(cluster: str, pool: Any) -> PoolEvidence:
    labels = {str(key): str(value) for key, value in (pool.node_labels or {}).items()}
    taints = tuple(pool.node_taints or ())
    driver = pool.gpu_profile.driver if pool.gpu_profile else None
    return PoolEvidence(
        cluster=cluster,
        name=str(pool.name),
        sku=plain(pool.vm_size),
        count=int(pool.count or 0),
        state=plain(pool.provisioning_state),
        labels=labels,
        taints=taints,
        wants_gpu=GPU_TAINT in taints
        or labels.get("hardware") == "gpu"
        or "gpu-type" in labels
        or plain(driver).lower() == "install"
        or "gpu" in str(pool.name).lower(),
        stopped=plain(pool.power_state and pool.power_state.code).lower() == "stopped",
    )


def _node(node: Any) -> tuple[str, NodeEvidence]:
    labels = dict(node.metadata.labels or {})
    status, spec = node.status, node.spec
    conditions = {item.type: item for item in (status.conditions if status else None) or []}
    ready = conditions.pop("Ready", None)
    pool = next((labels[label] for label in _POOL_LABELS if label in labels), "")
    evidence = NodeEvidence(
        name=node.metadata.name,
        created=node.metadata.creation_timestamp,
        ready=ready is not None and ready.status == "True",
        instance_type=labels.get("node.kubernetes.io/instance-type", ""),
        labels=labels,
        taints=tuple(
            f"{taint.key}={taint.value or ''}:{taint.effect}"
            for taint in (spec.taints if spec else None) or []
        ),
        allocatable={
            key: str(value) for key, value in ((status.allocatable if status else None) or {}).items()
        },
        unschedulable=bool(spec and spec.unschedulable),
        conditions={
            name: " ".join(filter(None, (item.reason, item.message)))
            for name, item in conditions.items()
            if item.status == "True"
        },
        not_ready_reason=" ".join(filter(None, (ready.reason, ready.message)))
        if ready is not None
        else "no Ready condition",
    )
    return pool, evidence
