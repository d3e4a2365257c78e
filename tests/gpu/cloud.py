"""Things made in the cloud under test, through the same SDKs that people use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from gpuplatform.azure.clients import AzureClients
from gpuplatform.azure.identity import object_id
from gpuplatform.settings import Settings

REGION = "eastus2"
SECONDS = 60
NETWORK_API = "2025-05-01"
KEY = "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7 test"


def fast_settings(**changes: Any) -> Settings:
    """The settings with pauses that a test can wait for."""
    return Settings(polling_interval_seconds=0.2, **changes)


@contextmanager
def resource_group(clients: AzureClients, name: str) -> Iterator[str]:
    clients.resources.resource_groups.create_or_update(name, {"location": REGION})
    try:
        yield name
    finally:
        clients.resources.resource_groups.begin_delete(name).result(SECONDS)


def make_machine(clients: AzureClients, group: str, name: str, size: str, *, driver: bool = True) -> None:
    """A Linux machine with an interface in a network of its own, and the driver extension on it."""
    home = f"/subscriptions/{clients.subscription_id}/resourceGroups/{group}/providers/Microsoft.Network"
    network, interface = f"{home}/virtualNetworks/{name}", f"{home}/networkInterfaces/{name}"
    subnet = {"name": "a", "properties": {"addressPrefix": "10.0.0.0/24"}}
    _put(clients, network, {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}, "subnets": [subnet]})
    address = {"subnet": {"id": f"{network}/subnets/a"}, "privateIPAllocationMethod": "Dynamic"}
    _put(clients, interface, {"ipConfigurations": [{"name": "a", "properties": address}]})
    machines = clients.compute.virtual_machines
    body: Any = {
        "location": REGION,
        "properties": {
            "hardwareProfile": {"vmSize": size},
            "storageProfile": {
                "imageReference": {
                    "publisher": "Canonical",
                    "offer": "0001-com-ubuntu-server-jammy",
                    "sku": "22_04-lts-gen2",
                    "version": "latest",
                },
                "osDisk": {"createOption": "FromImage", "deleteOption": "Delete"},
            },
            "osProfile": {
                "computerName": name,
                "adminUsername": "azureuser",
                "linuxConfiguration": {
                    "disablePasswordAuthentication": True,
                    "ssh": {"publicKeys": [{"path": "/home/azureuser/.ssh/authorized_keys", "keyData": KEY}]},
                },
            },
            "networkProfile": {"networkInterfaces": [{"id": interface}]},
        },
    }
    machines.begin_create_or_update(group, name, body).result(SECONDS)
    if driver:
        extension: Any = {
            "location": REGION,
            "properties": {
                "publisher": "Microsoft.HpcCompute",
                "type": "NvidiaGpuDriverLinux",
                "typeHandlerVersion": "1.11",
                "autoUpgradeMinorVersion": True,
            },
        }
        # Not waited for: the collection has to.
        clients.compute.virtual_machine_extensions.begin_create_or_update(
            group, name, "NvidiaGpuDriverLinux", extension
        )


def make_cluster(clients: AzureClients, group: str, name: str, pools: list[dict[str, Any]]) -> None:
    """A cluster with Entra ID and a system pool, plus the pools given in ARM's form."""
    system = {"name": "system", "mode": "System", "vmSize": "Standard_D4s_v5", "count": 1}
    body: Any = {
        "location": REGION,
        "identity": {"type": "SystemAssigned"},
        "properties": {
            "dnsPrefix": name,
            "enableRBAC": True,
            "disableLocalAccounts": True,
            "aadProfile": {"managed": True, "enableAzureRBAC": True},
            "agentPoolProfiles": [
                {"osType": "Linux", "type": "VirtualMachineScaleSets", **pool} for pool in [system, *pools]
            ],
        },
    }
    clients.containers.managed_clusters.begin_create_or_update(group, name, body).result(SECONDS)


def _put(clients: AzureClients, resource_id: str, properties: dict[str, Any]) -> None:
    body: Any = {"location": REGION, "properties": properties}
    clients.resources.resources.begin_create_or_update_by_id(
        resource_id, body, api_version=NETWORK_API
    ).result(SECONDS)


def grant_cluster_admin(clients: AzureClients, group: str, name: str) -> None:
    """What terraform/ gives the platform's identity: Owner alone may not use the cluster's API."""
    cluster = clients.containers.managed_clusters.get(group, name)
    scope, role = str(cluster.id), "b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b"  # AKS RBAC Cluster Admin
    definitions = (
        f"/subscriptions/{clients.subscription_id}/providers/Microsoft.Authorization/roleDefinitions"
    )
    body: Any = {
        "properties": {
            "roleDefinitionId": f"{definitions}/{role}",
            "principalId": object_id(clients.credential),
            "principalType": "ServicePrincipal",
        }
    }
    clients.authorization.role_assignments.create(scope, str(uuid5(NAMESPACE_URL, scope)), body)
