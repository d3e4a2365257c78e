"""Virtual machine, extension, role assignment, client configuration."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from sandbox.terraform_provider import client_config
from sandbox.terraform_provider.errors import ProviderError
from tests.sandbox.terraform_provider.fake_azure import GROUP, OBJECT_ID, ROLE, SUBSCRIPTION, FakeAzure
from tests.sandbox.terraform_provider.steps import LOGIN, Steps, context_for

INTERFACE = f"{GROUP}/providers/Microsoft.Network/networkInterfaces/nic"
MACHINE = f"{GROUP}/providers/Microsoft.Compute/virtualMachines/gpu1"
DISK = f"{GROUP}/providers/Microsoft.Compute/disks/gpu1_OsDisk_1"

MACHINE_CONFIG: dict[str, Any] = {
    "name": "gpu1",
    "location": "eastus",
    "resource_group_name": "rg",
    "size": "Standard_NC24ads_A100_v4",
    "admin_username": "azureuser",
    "network_interface_ids": [INTERFACE],
    "secure_boot_enabled": False,
    "tags": {"v": "1"},
    "admin_ssh_key": [{"username": "azureuser", "public_key": "ssh-rsa AAAA lab"}],
    "os_disk": [{"caching": "ReadWrite", "storage_account_type": "Premium_LRS"}],
    "source_image_reference": [
        {
            "publisher": "Canonical",
            "offer": "0001-com-ubuntu-server-jammy",
            "sku": "22_04-lts-gen2",
            "version": "latest",
        }
    ],
    "identity": [{"type": "SystemAssigned"}],
}
EXTENSION_CONFIG: dict[str, Any] = {
    "name": "NvidiaGpuDriverLinux",
    "virtual_machine_id": MACHINE,
    "publisher": "Microsoft.HpcCompute",
    "type": "NvidiaGpuDriverLinux",
    "type_handler_version": "1.11",
    "auto_upgrade_minor_version": True,
}


def fill(path: str, body: dict[str, Any]) -> None:
    """What Compute adds to a machine."""
    if path != MACHINE:
        return
    disk = body["properties"]["storageProfile"]["osDisk"]
    disk.update(name="gpu1_OsDisk_1", diskSizeGB=disk.get("diskSizeGB", 30))
    disk["managedDisk"]["id"] = DISK
    body["properties"]["vmId"] = "23f976f0"


@pytest.fixture
def azure() -> FakeAzure:
    address = {"name": "c1", "properties": {"privateIPAddress": "10.10.1.4"}}
    return FakeAzure(
        fill=fill, resources={INTERFACE: {"properties": {"ipConfigurations": [address]}}, DISK: {}}
    )


@pytest.fixture
def machine(azure: FakeAzure) -> Steps:
    steps = Steps("azurerm_linux_virtual_machine", azure)
    steps.apply(MACHINE_CONFIG)
    return steps


# What azurerm 5.2.0 sends for this configuration, recorded from the released provider.
RECORDED_MACHINE = {
    "additionalCapabilities": {},
    "applicationProfile": {"galleryApplications": []},
    "diagnosticsProfile": {"bootDiagnostics": {"enabled": False, "storageUri": ""}},
    "extensionsTimeBudget": "PT1H30M",
    "hardwareProfile": {"vmSize": "Standard_NC24ads_A100_v4"},
    "networkProfile": {"networkInterfaces": [{"id": INTERFACE, "properties": {"primary": True}}]},
    "osProfile": {
        "adminUsername": "azureuser",
        "allowExtensionOperations": True,
        "computerName": "gpu1",
        "linuxConfiguration": {
            "disablePasswordAuthentication": True,
            "patchSettings": {"assessmentMode": "ImageDefault", "patchMode": "ImageDefault"},
            "provisionVMAgent": True,
            "ssh": {
                "publicKeys": [
                    {"keyData": "ssh-rsa AAAA lab", "path": "/home/azureuser/.ssh/authorized_keys"}
                ]
            },
        },
        "secrets": [],
    },
    "priority": "Regular",
    "storageProfile": {
        "dataDisks": [],
        "imageReference": {
            "offer": "0001-com-ubuntu-server-jammy",
            "publisher": "Canonical",
            "sku": "22_04-lts-gen2",
            "version": "latest",
        },
        "osDisk": {
            "caching": "ReadWrite",
            "createOption": "FromImage",
            "managedDisk": {"storageAccountType": "Premium_LRS"},
            "osType": "Linux",
            "writeAcceleratorEnabled": False,
        },
    },
}


@pytest.mark.usefixtures("machine")
def test_machine_body_is_the_released_providers(azure: FakeAzure) -> None:
    (body,) = azure.sent("PUT")
    assert body["properties"] == RECORDED_MACHINE
    assert (body["name"], body["location"], body["tags"]) == ("gpu1", "eastus", {"v": "1"})


def test_machine_settles(machine: Steps) -> None:
    assert machine.differences(MACHINE_CONFIG) == {}
    assert machine.state is not None
    assert machine.state["private_ip_address"] == "10.10.1.4"
    assert machine.state["os_disk"][0]["disk_size_gb"] == 30


def test_tags_are_patched_alone(azure: FakeAzure, machine: Steps) -> None:
    machine.apply({**MACHINE_CONFIG, "tags": {"v": "2"}})
    assert azure.sent("PATCH") == [{"properties": {}, "tags": {"v": "2"}}]
    assert azure.sent("POST") == []


def test_a_new_size_stops_and_starts_the_machine(azure: FakeAzure, machine: Steps) -> None:
    before = len(azure.requests)
    machine.apply({**MACHINE_CONFIG, "size": "Standard_NC48ads_A100_v4"})
    writes = [r.path.rpartition("/")[2] for r in azure.requests[before:] if r.method != "GET"]
    assert writes == ["deallocate", "gpu1", "start"]
    assert azure.sent("PATCH") == [
        {"properties": {"hardwareProfile": {"vmSize": "Standard_NC48ads_A100_v4"}}}
    ]


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"admin_ssh_key": [{"username": "azureuser", "public_key": "other"}]}, ("admin_ssh_key",)),
        ({"admin_username": "root"}, ("admin_username",)),
        ({"priority": "Spot"}, ("priority",)),
        (
            {"os_disk": [{"caching": "ReadWrite", "storage_account_type": "Standard_LRS"}]},
            ("os_disk", 0, "storage_account_type"),
        ),
    ],
)
def test_what_replaces_a_machine(machine: Steps, change: dict[str, Any], path: tuple[Any, ...]) -> None:
    assert path in machine.plan({**MACHINE_CONFIG, **change}).replace


def test_the_disk_goes_with_the_machine(azure: FakeAzure, machine: Steps) -> None:
    machine.destroy()
    assert set(azure.resources) == {INTERFACE}


def test_a_machine_needs_a_key(azure: FakeAzure) -> None:
    with pytest.raises(ProviderError, match="at least one `admin_ssh_key` must be specified"):
        Steps("azurerm_linux_virtual_machine", azure).plan({**MACHINE_CONFIG, "admin_ssh_key": []})


@pytest.mark.usefixtures("machine")
def test_extension(azure: FakeAzure) -> None:
    config = {
        **EXTENSION_CONFIG,
        "settings": '{ "installCUDA": true }',
        "protected_settings": '{"k": "hush"}',
    }
    extension = Steps("azurerm_virtual_machine_extension", azure)
    extension.apply(config)
    assert azure.sent("PUT", "/NvidiaGpuDriverLinux") == [
        {
            "location": "eastus",
            "properties": {
                "autoUpgradeMinorVersion": True,
                "enableAutomaticUpgrade": False,
                "protectedSettings": {"k": "hush"},
                "publisher": "Microsoft.HpcCompute",
                "settings": {"installCUDA": True},
                "suppressFailures": False,
                "type": "NvidiaGpuDriverLinux",
                "typeHandlerVersion": "1.11",
            },
            "tags": {},
        }
    ]
    assert extension.differences(config) == {}
    assert extension.plan({**config, "publisher": "x"}).replace == [("publisher",)]
    assert extension.plan({**config, "type_handler_version": "1.9"}).replace == []


def test_role_assignment_by_name(azure: FakeAzure) -> None:
    def stored(path: str, body: dict[str, Any]) -> None:
        body["properties"].update(scope=GROUP, principalType="ServicePrincipal")
        body["properties"].pop("description", None)
        assert "roleAssignments" in path

    azure.fill = stored
    config = {"scope": GROUP, "role_definition_name": "Reader", "principal_id": OBJECT_ID}
    role = Steps("azurerm_role_assignment", azure)
    state = role.apply(config)
    definition = f"/subscriptions/{SUBSCRIPTION}{ROLE}"
    assert azure.sent("PUT") == [
        {"properties": {"description": "", "principalId": OBJECT_ID, "roleDefinitionId": definition}}
    ]
    assert state["role_definition_name"] == "Reader"
    assert role.differences(config) == {}
    assert role.plan({**config, "principal_id": "other"}).replace == [("principal_id",)]


def test_client_config_takes_the_object_id_from_the_token(azure: FakeAzure) -> None:
    found = client_config.read(context_for(azure).credentials)
    assert found["object_id"] == OBJECT_ID
    assert found["tenant_id"] == LOGIN.tenant_id
    assert f"objectId={OBJECT_ID}" in base64.b64decode(found["id"]).decode()
    assert "hidden-secret" not in json.dumps(found)
