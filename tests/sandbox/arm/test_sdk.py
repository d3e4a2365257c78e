"""The Azure SDKs for Python, unmodified, against a whole sandbox."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError
from azure.identity import DefaultAzureCredential
from azure.mgmt.authorization import AuthorizationManagementClient
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.containerservice import ContainerServiceClient
from azure.mgmt.resource.locks import ManagementLockClient
from azure.mgmt.resource.resources import ResourceManagementClient
from azure.mgmt.storage import StorageManagementClient

pytestmark = pytest.mark.usefixtures("sandbox_env")
VM: Any = {
    "location": "eastus",
    "properties": {
        "hardwareProfile": {"vmSize": "Standard_NC4as_T4_v3"},
        "osProfile": {"computerName": "vm1", "adminUsername": "azureuser"},
        "storageProfile": {"osDisk": {"createOption": "FromImage"}},
    },
}
DRIVER: Any = {
    "location": "eastus",
    "properties": {
        "publisher": "Microsoft.HpcCompute",
        "type": "NvidiaGpuDriverLinux",
        "typeHandlerVersion": "1.11",
    },
}


@pytest.fixture
def credential() -> Iterator[DefaultAzureCredential]:
    made = DefaultAzureCredential()
    yield made
    made.close()


@pytest.fixture
def group(credential: DefaultAzureCredential) -> Iterator[str]:
    name = f"rg-sdk-{uuid.uuid4().hex[:6]}"
    with ResourceManagementClient(credential, os.environ["AZURE_SUBSCRIPTION_ID"]) as client:
        client.resource_groups.create_or_update(name, {"location": "eastus"})
        yield name
        client.resource_groups.begin_delete(name).result(30)
        assert not client.resource_groups.check_existence(name)


def test_compute(credential: DefaultAzureCredential, group: str) -> None:
    with ComputeManagementClient(credential, os.environ["AZURE_SUBSCRIPTION_ID"]) as client:
        usages = {row.name.value: row for row in client.usage.list("eastus") if row.name}
        assert len(usages) > 40
        assert usages["Standard NCASv3_T4 Family"].limit == 64
        skus = [sku.name for sku in client.resource_skus.list(filter="location eq 'eastus'")]
        assert "Standard_NC4as_T4_v3" in skus
        made = client.virtual_machines.begin_create_or_update(group, "vm1", VM).result(30)
        assert made.provisioning_state == "Succeeded"
        client.virtual_machine_extensions.begin_create_or_update(
            group, "vm1", "NvidiaGpuDriverLinux", DRIVER
        ).result(30)
        view = client.virtual_machines.instance_view(group, "vm1")
        assert view.extensions is not None
        assert view.extensions[0].statuses is not None
        assert view.extensions[0].statuses[0].code == "ProvisioningState/succeeded"
        command: Any = {"commandId": "RunShellScript", "script": ["nvidia-smi -L; echo rc=$?"]}
        result = client.virtual_machines.begin_run_command(group, "vm1", command).result(30)
        assert result.value is not None
        assert "GPU 0: Tesla T4" in str(result.value[0].message)
        size = {"hardwareProfile": {"vmSize": "Standard_NC96ads_A100_v4"}}
        large: Any = {"location": "eastus", "properties": size}
        with pytest.raises(HttpResponseError, match="exceeding approved") as refused:
            client.virtual_machines.begin_create_or_update(group, "vm2", large)
        assert refused.value.status_code == 409


def test_kubernetes(credential: DefaultAzureCredential, group: str) -> None:
    pool = {"name": "system", "count": 1, "vmSize": "Standard_D4s_v5", "mode": "System"}
    body: Any = {"location": "eastus", "properties": {"dnsPrefix": "sdk", "agentPoolProfiles": [pool]}}
    with ContainerServiceClient(credential, os.environ["AZURE_SUBSCRIPTION_ID"]) as client:
        cluster = client.managed_clusters.begin_create_or_update(group, "aks", body).result(30)
        assert str(cluster.fqdn).startswith("sdk-")
        gpu: Any = {"properties": {"count": 1, "vmSize": "Standard_NC4as_T4_v3"}}
        client.agent_pools.begin_create_or_update(group, "aks", "gpu", gpu).result(30)
        assert [row.name for row in client.agent_pools.list(group, "aks")] == ["gpu", "system"]
        credentials = client.managed_clusters.list_cluster_admin_credentials(group, "aks")
        assert credentials.kubeconfigs
        client.agent_pools.begin_delete(group, "aks", "gpu").result(30)


def test_storage_roles_and_locks(credential: DefaultAzureCredential, group: str) -> None:
    subscription = os.environ["AZURE_SUBSCRIPTION_ID"]
    name = f"st{uuid.uuid4().hex[:10]}"
    with (
        StorageManagementClient(credential, subscription) as storage,
        AuthorizationManagementClient(credential, subscription) as authorization,
        ManagementLockClient(credential, subscription) as locks,
    ):
        account: Any = {"location": "eastus", "sku": {"name": "Standard_LRS"}, "kind": "StorageV2"}
        storage.storage_accounts.begin_create(group, name, account).result(60)
        empty: Any = {}
        container = storage.blob_containers.create(group, name, "tfstate", empty)
        scope = str(container.id)
        role = next(
            iter(authorization.role_definitions.list(scope, filter="roleName eq 'Storage Blob Data Reader'"))
        )
        grant: Any = {"properties": {"roleDefinitionId": role.id, "principalId": str(uuid.uuid4())}}
        authorization.role_assignments.create(scope, str(uuid.uuid4()), grant)
        with pytest.raises(HttpResponseError) as exists:
            authorization.role_assignments.create(scope, str(uuid.uuid4()), grant)
        assert exists.value.error is not None
        assert exists.value.error.code == "RoleAssignmentExists"
        lock: Any = {"level": "CanNotDelete", "notes": "keep"}
        locks.management_locks.create_or_update_at_resource_group_level(group, "keep", lock)
        with pytest.raises(HttpResponseError, match="ScopeLocked"):
            storage.storage_accounts.delete(group, name)
        locks.management_locks.delete_at_resource_group_level(group, "keep")
        storage.storage_accounts.delete(group, name)
