"""A cluster in Azure for tenants."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from gpuplatform.azure.clients import AzureClients
from gpuplatform.azure.identity import object_id
from gpuplatform.settings import Settings
from gpuplatform.terraform.outputs import Outputs, parse_outputs
from tests.conftest import RunningSandbox

RBAC_CLUSTER_ADMIN = "b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b"
RESOURCE_GROUP, CLUSTER = "rg-tenants", "aks-tenants"
TAINTS = ["sku=gpu:NoSchedule"]


@pytest.fixture
def clients(sandbox_env: RunningSandbox) -> Iterator[AzureClients]:
    assert sandbox_env.environment
    limits = Settings(
        polling_interval_seconds=1,
        tenant_timeout_seconds=20,
        principal_timeout_seconds=5,
        data_plane_timeout_seconds=20,
    )
    with AzureClients(settings=limits) as opened:
        yield opened


@pytest.fixture
def place(clients: AzureClients) -> Outputs:
    """A cluster with a GPU pool, a spot pool and one whose GPUs are not counted; made once."""
    group: Any = {"location": "eastus2"}
    clients.resources.resource_groups.create_or_update(RESOURCE_GROUP, group)
    scope = (
        f"/subscriptions/{clients.subscription_id}/resourceGroups/{RESOURCE_GROUP}"
        f"/providers/Microsoft.ContainerService/managedClusters/{CLUSTER}"
    )
    place = parse_outputs(
        {
            "resource_group_name": RESOURCE_GROUP,
            "location": "eastus2",
            "cluster_name": CLUSTER,
            "cluster_id": scope,
        }
    )
    if any(item.name == CLUSTER for item in clients.containers.managed_clusters.list()):
        return place
    gpu = {
        "mode": "User",
        "enableAutoScaling": True,
        "nodeTaints": TAINTS,
        "vmSize": "Standard_NC4as_T4_v3",
    }
    body: Any = {
        "location": "eastus2",
        "identity": {"type": "SystemAssigned"},
        "properties": {
            "dnsPrefix": CLUSTER,
            "disableLocalAccounts": True,
            "aadProfile": {"managed": True, "enableAzureRBAC": True},
            "networkProfile": {"networkPlugin": "azure", "networkPolicy": "calico"},
            "agentPoolProfiles": [
                {"name": "system", "mode": "System", "count": 1, "vmSize": "Standard_D4s_v5"},
                {"name": "gpu", "count": 0, "minCount": 0, "maxCount": 2, **gpu},
                {"name": "spot", "count": 0, "minCount": 0, "maxCount": 3, **gpu,
                 "scaleSetPriority": "Spot"},
            ],
        },
    }  # fmt: skip
    clients.containers.managed_clusters.begin_create_or_update(RESOURCE_GROUP, CLUSTER, body).result(60)
    role: Any = {
        "properties": {
            "roleDefinitionId": f"/subscriptions/{clients.subscription_id}/providers"
            f"/Microsoft.Authorization/roleDefinitions/{RBAC_CLUSTER_ADMIN}",
            "principalId": object_id(clients.credential),
            "principalType": "ServicePrincipal",
        }
    }
    clients.authorization.role_assignments.create(scope, str(uuid4()), role)
    return place
