"""The mapping of azurerm_linux_virtual_machine."""

from __future__ import annotations

from typing import Any

from sandbox.terraform_provider.mapping import Field, Nested, Part
from sandbox.terraform_provider.resource_id import same_id
from sandbox.terraform_provider.resources.common import IDENTITY, LOCATION, NAME, RESOURCE_GROUP, TAGS

__all__ = ["MACHINE", "TEMPLATE"]

# What azurerm sends in every creation, whatever is configured.
TEMPLATE: dict[str, Any] = {
    "properties": {
        "additionalCapabilities": {},
        "applicationProfile": {"galleryApplications": []},
        "diagnosticsProfile": {"bootDiagnostics": {"enabled": False, "storageUri": ""}},
        "osProfile": {"secrets": []},
        "storageProfile": {
            "dataDisks": [],
            "osDisk": {"createOption": "FromImage", "osType": "Linux", "writeAcceleratorEnabled": False},
        },
    },
}

_LINUX = "properties.osProfile.linuxConfiguration"


def _interfaces(names: list[str]) -> list[dict[str, Any]]:
    return [{"id": name, "properties": {"primary": index == 0}} for index, name in enumerate(names)]


def _same_ids(one: list[str], other: list[str]) -> bool:
    return [name.lower() for name in one] == [name.lower() for name in other or []]


def _only_true(value: bool) -> bool | None:
    return True if value else None  # a security profile, even of false values, makes a trusted launch


_OS_DISK = Nested(
    "os_disk",
    "properties.storageProfile.osDisk",
    (
        Field("caching", "caching"),
        Field("storage_account_type", "managedDisk.storageAccountType", force_new=True),
        Field("disk_size_gb", "diskSizeGB"),
        Field("name", "name", force_new=True),
        Field("disk_encryption_set_id", "managedDisk.diskEncryptionSet.id", equal=same_id),
        Field("write_accelerator_enabled", "writeAcceleratorEnabled", empty=False),
        Field("id", "managedDisk.id", read_only=True),
    ),
)

_IMAGE = Nested(
    "source_image_reference",
    "properties.storageProfile.imageReference",
    tuple(Field(name, name, force_new=True) for name in ("publisher", "offer", "sku", "version")),
    force_new=True,
)

MACHINE: tuple[Part, ...] = (
    NAME,
    RESOURCE_GROUP,
    LOCATION,
    TAGS,
    Field("size", "properties.hardwareProfile.vmSize"),
    Field("admin_username", "properties.osProfile.adminUsername", force_new=True),
    Field("computer_name", "properties.osProfile.computerName", force_new=True),
    Field("allow_extension_operations", "properties.osProfile.allowExtensionOperations", empty=True),
    Field(
        "disable_password_authentication",
        f"{_LINUX}.disablePasswordAuthentication",
        empty=True,
        force_new=True,
    ),
    Field("provision_vm_agent", f"{_LINUX}.provisionVMAgent", empty=True, force_new=True),
    Field("patch_mode", f"{_LINUX}.patchSettings.patchMode", empty="ImageDefault"),
    Field("patch_assessment_mode", f"{_LINUX}.patchSettings.assessmentMode", empty="ImageDefault"),
    Field(
        "network_interface_ids",
        "properties.networkProfile.networkInterfaces",
        write=_interfaces,
        read=lambda found: [entry["id"] for entry in found],
        equal=_same_ids,
    ),
    Field("priority", "properties.priority", default="Regular", force_new=True),
    Field("eviction_policy", "properties.evictionPolicy", force_new=True),
    Field("extensions_time_budget", "properties.extensionsTimeBudget", default="PT1H30M"),
    Field(
        "secure_boot_enabled",
        "properties.securityProfile.uefiSettings.secureBootEnabled",
        absent=False,
        write=_only_true,
    ),
    Field(
        "vtpm_enabled", "properties.securityProfile.uefiSettings.vTpmEnabled", absent=False, write=_only_true
    ),
    Field(
        "encryption_at_host_enabled",
        "properties.securityProfile.encryptionAtHost",
        absent=False,
        write=_only_true,
    ),
    Field(
        "capacity_reservation_group_id",
        "properties.capacityReservation.capacityReservationGroup.id",
        equal=same_id,
    ),
    Field(
        "zone",
        "zones",
        force_new=True,
        write=lambda zone: [zone],
        read=lambda zones: zones[0] if zones else None,
    ),
    Field("virtual_machine_id", "properties.vmId", read_only=True),
    Field("os_managed_disk_id", "properties.storageProfile.osDisk.managedDisk.id", read_only=True),
    _OS_DISK,
    _IMAGE,
    IDENTITY,
)
