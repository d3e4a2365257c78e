"""The verification of an environment's GPUs: collect in parallel, diagnose, sum up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from gpuplatform.environments import EnvironmentName
from gpuplatform.gpu.catalog import Catalog, catalog
from gpuplatform.gpu.client_machines import Machine, collect_machine, list_gpu_machines
from gpuplatform.gpu.client_nodes import collect_pools
from gpuplatform.gpu.findings import Category, Finding, Kind, Severity, Verdict, verdict
from gpuplatform.gpu.machine import MachineEvidence, diagnose_machine
from gpuplatform.gpu.node import PoolEvidence, diagnose_node, diagnose_pool
from gpuplatform.gpu.summary import VerifySummary

if TYPE_CHECKING:
    from gpuplatform.azure.clients import AzureClients

__all__ = ["verify_environment"]


def verify_environment(
    clients: AzureClients,
    environment: EnvironmentName,
    resource_group: str,
    cluster: str | None,
    report: Callable[[str], None],
) -> VerifySummary:
    """Verify the GPU node pools of a cluster and the GPU machines of a resource group.

    Raises:
        NotFound: the cluster or the resource group does not exist.
        Refused: they may not be read.
        Retryable: Azure did not answer.
    """
    known = catalog()
    machines = list_gpu_machines(clients, resource_group, known)
    if cluster is not None:
        _ = clients.containers  # made here: the threads below share it
    workers = min(clients.settings.verify_concurrency, len(machines) + 1)
    with ThreadPoolExecutor(workers, thread_name_prefix="verify") as pool:
        nodes = (
            pool.submit(collect_pools, clients, resource_group, cluster, known, report)
            if cluster is not None
            else None
        )
        asked = [pool.submit(collect_machine, clients, resource_group, one, report) for one in machines]
        pools = nodes.result() if nodes else ()
        evidence = [future.result() for future in asked]
    verdicts = [*_pool_verdicts(pools, known), *_machine_verdicts(machines, evidence, known)]
    return VerifySummary(environment=environment, verdicts=tuple(verdicts))


def _pool_verdicts(pools: Iterable[PoolEvidence], known: Catalog) -> list[Verdict]:
    """A pool's own verdict is listed where it says more than those of its nodes."""
    verdicts = []
    for pool in pools:
        whole = diagnose_pool(pool, known)
        if whole.findings or not pool.nodes:
            verdicts.append(whole)
        sku, family = known.sku(pool.sku), known.family_of_sku(pool.sku)
        if sku is not None and family is not None:
            verdicts += [diagnose_node(node, pool, family, sku) for node in pool.nodes or ()]
    return verdicts


def _machine_verdicts(
    machines: Iterable[Machine], evidence: Iterable[MachineEvidence], known: Catalog
) -> list[Verdict]:
    verdicts = []
    for machine, seen in zip(machines, evidence, strict=True):
        sku, family = known.sku(machine.sku), known.family_of_sku(machine.sku)
        if sku is None or family is None:
            finding = Finding(
                category=Category.SKU_UNKNOWN,
                severity=Severity.UNKNOWN,
                summary=f"{machine.sku} is an N-series size that the catalogue does not know",
                resolution="Add the size to the GPU catalogue.",
            )
            verdicts.append(verdict(Kind.MACHINE, machine.name, machine.sku, [finding]))
        else:
            verdicts.append(diagnose_machine(seen, family, sku))
    return verdicts
