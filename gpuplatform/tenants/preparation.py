"""The step that is done once for all tenants of a cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuplatform.azure.clients import AzureClients
from gpuplatform.environments import EnvironmentName
from gpuplatform.gpu.catalog import catalog
from gpuplatform.kubernetes.cluster import open_cluster
from gpuplatform.tenants.apply import Objects, apply_all
from gpuplatform.tenants.client import ClusterObjects
from gpuplatform.tenants.client_azure import has_network_engine, read_pools
from gpuplatform.tenants.manifests.priorities import priority_classes, priority_difference
from gpuplatform.tenants.manifests.queues import cluster_queue, resource_flavors
from gpuplatform.tenants.pools import TenantPool
from gpuplatform.tenants.results import ObjectResult, Outcome, Tenancy
from gpuplatform.terraform.outputs import Outputs

__all__ = ["apply_platform", "prepare_cluster"]

Report = Callable[[str], None]


def prepare_cluster(
    clients: AzureClients, environment: EnvironmentName, place: Outputs, report: Report
) -> Tenancy:
    """Read the GPU pools and apply what all tenants share: priority classes and the cluster's queue.

    Raises:
        Retryable: Azure or the cluster did not answer.
        Refused: we may not read or change it.
    """
    group, name = place.resource_group_name, place.cluster_name
    pools, notes = read_pools(clients, group, name, catalog())
    engine = has_network_engine(clients, group, name)
    with open_cluster(clients, group, name) as cluster:
        objects = ClusterObjects(cluster)
        version = objects.kueue_version()
        results = apply_platform(objects, pools, version, report)
    lines = list(notes)
    if version is None:
        lines.append("the cluster has no Kueue: there is no queue, jobs compete for GPUs by priority only")
    elif not pools:
        lines.append("the cluster has no GPU node pool: there is no queue to submit jobs to")
    if not engine:
        lines.append(
            "the cluster has no network policy engine: its NetworkPolicies do nothing and tenants reach"
            " each other"
        )
    return Tenancy(
        environment=environment,
        resource_group=group,
        cluster_name=name,
        cluster_id=place.cluster_id,
        kueue_version=version,
        network_engine=engine,
        pools=pools,
        objects=tuple(results),
        notes=tuple(lines),
    )


def apply_platform(
    objects: Objects, pools: tuple[TenantPool, ...], kueue_version: str | None, report: Report
) -> list[ObjectResult]:
    """Apply the priority classes and, where Kueue is, the flavors and the queue over the pools."""
    queues: list[dict[str, Any]] = []
    if kueue_version is not None and pools:
        queues = [*resource_flavors(pools, kueue_version), cluster_queue(pools, kueue_version)]
    classes = priority_classes()
    existing = objects.list_all({(item["apiVersion"], item["kind"]) for item in [*classes, *queues]}, None)
    results = []
    for wanted in classes:
        difference = priority_difference(wanted, existing)
        if difference is None:
            results += apply_all(objects, [wanted], existing, report)
        else:
            result = ObjectResult(
                kind="PriorityClass",
                name=wanted["metadata"]["name"],
                outcome=Outcome.CONFLICT,
                detail=difference,
            )
            report(str(result))
            results.append(result)
    return [*results, *apply_all(objects, queues, existing, report)]
