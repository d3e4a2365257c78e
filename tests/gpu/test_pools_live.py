"""Evidence from the node pools of a running cloud, read through the cluster's own API."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from gpuplatform.azure.clients import AzureClients
from gpuplatform.environments import EnvironmentName
from gpuplatform.errors import NotFound
from gpuplatform.gpu.findings import Category, Kind, Status
from gpuplatform.gpu.verification import verify_environment
from gpuplatform.kubernetes.cluster import open_cluster
from gpuplatform.kubernetes.errors import kubernetes_errors
from tests.gpu.cloud import fast_settings, grant_cluster_admin, make_cluster, resource_group

GROUP, CLUSTER = "rg-gpu-pools", "aks-gpu-pools"
pytestmark = pytest.mark.usefixtures("sandbox_env")
GPU: dict[str, Any] = {
    "mode": "User",
    "vmSize": "Standard_NC4as_T4_v3",
    "count": 2,
    "nodeTaints": ["sku=gpu:NoSchedule"],
    "nodeLabels": {"hardware": "gpu"},
}


@pytest.fixture
def clients() -> Iterator[AzureClients]:
    with AzureClients(settings=fast_settings(node_settle_seconds=20)) as found:
        yield found


def test_good_empty_and_mistaken_pools(clients: AzureClients) -> None:
    pools = [
        {"name": "t4", **GPU},
        {"name": "idle", **GPU, "count": 0, "enableAutoScaling": True, "minCount": 0, "maxCount": 2},
        {"name": "typo", **GPU, "vmSize": "Standard_D4s_v5", "count": 1},
        {"name": "open", **GPU, "count": 1, "nodeTaints": []},
    ]
    with resource_group(clients, GROUP):
        make_cluster(clients, GROUP, CLUSTER, pools)
        grant_cluster_admin(clients, GROUP, CLUSTER)
        summary = verify_environment(clients, EnvironmentName.DEV, GROUP, CLUSTER, print)
    by_pool: dict[str, list[Any]] = {}
    for verdict in summary.verdicts:
        by_pool.setdefault(verdict.target.split("/")[1], []).append(verdict)
    assert [(v.kind, v.status, v.seen_gpus) for v in by_pool["t4"]] == [(Kind.NODE, Status.HEALTHY, 1)] * 2
    assert [v.status for v in by_pool["idle"]] == [Status.NOTHING]
    assert [v.worst.category for v in by_pool["typo"]] == [Category.CPU_SKU]
    assert {v.status for v in by_pool["open"]} == {Status.DEGRADED, Status.HEALTHY}
    assert "system" not in by_pool
    assert not summary.proven
    assert summary.message.startswith(
        "6 GPU targets: 1 failing, 1 degraded, 3 healthy, 1 nothing to verify; worst"
    )


def test_without_a_role_the_nodes_are_unknown_and_not_healthy(clients: AzureClients) -> None:
    with resource_group(clients, GROUP):
        make_cluster(clients, GROUP, CLUSTER, [{"name": "t4", **GPU, "count": 1}])
        summary = verify_environment(clients, EnvironmentName.DEV, GROUP, CLUSTER, print)
    (verdict,) = summary.verdicts
    assert verdict.status is Status.UNKNOWN
    assert verdict.worst is not None
    assert verdict.worst.category is Category.EVIDENCE_MISSING
    assert re.search(r"listing the nodes of aks-gpu-pools: .*\(HTTP 40[13]\)", verdict.worst.detail)


def test_the_dynamic_client_and_its_private_cache(clients: AzureClients) -> None:
    with resource_group(clients, GROUP):
        make_cluster(clients, GROUP, CLUSTER, [])
        grant_cluster_admin(clients, GROUP, CLUSTER)
        with open_cluster(clients, GROUP, CLUSTER) as cluster:
            namespaces = cluster.resource("v1", "Namespace")
            assert {item.metadata.name for item in namespaces.get().items} >= {"default", "kube-system"}
            directory = cluster.directory
            assert (directory / "discovery.json").exists()
            assert directory.stat().st_mode & 0o077 == 0
            with pytest.raises(NotFound, match="does not serve this kind"), kubernetes_errors("looking"):
                cluster.resource("example.com/v1", "Nothing")
        assert not directory.exists()


def test_a_cluster_that_is_not_there(clients: AzureClients) -> None:
    with (
        pytest.raises(NotFound, match="reading the credentials of cluster aks-none"),
        open_cluster(clients, "rg-none", "aks-none"),
    ):
        pytest.fail("there is no such cluster")
