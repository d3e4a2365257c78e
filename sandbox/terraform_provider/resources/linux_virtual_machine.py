"""azurerm_linux_virtual_machine."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from sandbox.terraform_provider.errors import ProviderError
from sandbox.terraform_provider.mapping import Field, Nested, dig, to_arm
from sandbox.terraform_provider.resource_id import describe, name_of
from sandbox.terraform_provider.resources.base import Change, Context, Resource, Values
from sandbox.terraform_provider.resources.linux_virtual_machine_parts import MACHINE, TEMPLATE
from sandbox.terraform_provider.resources.network_interface import API_VERSION as NETWORK
from sandbox.terraform_provider.resources.network_interface import private_addresses

if TYPE_CHECKING:
    from collections.abc import Mapping

_DISKS = "2023-04-02"

# A machine must be stopped and deallocated before these change.
_STOPPING = ("size", "network_interface_ids", "encryption_at_host_enabled", "capacity_reservation_group_id")

_KEYS = Nested(
    "admin_ssh_key",
    "",
    (Field("username", force_new=True), Field("public_key", force_new=True)),
    force_new=True,
)


class LinuxVirtualMachine(Resource):
    """A machine with its operating system disk, which goes when the machine goes."""

    type_name = "azurerm_linux_virtual_machine"
    title = "Linux Virtual Machine"
    api_version = "2024-03-01"
    parts = (*MACHINE, _KEYS)

    def resource_id(self, values: Values, context: Context) -> str:
        group = f"{context.subscription}/resourceGroups/{values['resource_group_name']}"
        return f"{group}/providers/Microsoft.Compute/virtualMachines/{values['name']}"

    def template(self, values: Values) -> dict[str, Any]:
        body = copy.deepcopy(TEMPLATE)
        body["name"] = values["name"]
        profile = body["properties"]["osProfile"]
        profile["computerName"] = values["name"]
        profile["linuxConfiguration"] = {
            "ssh": {
                "publicKeys": [
                    {
                        "keyData": key["public_key"],
                        "path": f"/home/{key['username']}/.ssh/authorized_keys",
                    }
                    for key in values["admin_ssh_key"]
                ]
            }
        }
        return body

    def check(self, planned: Values, prior: Values | None) -> None:
        if prior is None and not planned.get("admin_ssh_key"):
            raise ProviderError(
                "at least one `admin_ssh_key` must be specified when `disable_password_authentication` is "
                "set to `true`"
            )
        if prior is None and not planned.get("source_image_reference"):
            raise ProviderError("one of `source_image_id`, `source_image_reference` must be specified")

    def put_changes(self, change: Change, context: Context) -> None:
        stopping = any(part.name in _STOPPING for part in change.parts)
        resource_id, until = change.resource_id, change.until
        view = context.arm.get(f"{resource_id}/instanceView", self.api_version)
        codes = [status["code"] for status in view.get("statuses") or []]
        running = "PowerState/running" in codes
        if stopping and "PowerState/deallocated" not in codes:
            context.arm.post(f"{resource_id}/deallocate", self.api_version, deadline=until)
        body = to_arm(change.parts, change.planned, {"properties": {}})
        context.arm.patch(resource_id, self.api_version, body, until)
        if stopping and running:
            context.arm.post(f"{resource_id}/start", self.api_version, deadline=until)

    def remove(self, resource_id: str, state: Values, context: Context, until: float) -> None:
        disk = state.get("os_managed_disk_id")
        super().remove(resource_id, state, context, until)
        if disk:
            with self._saying(f"deleting OS Disk {describe(disk)}"):
                context.arm.delete(disk, _DISKS, until)

    def values_of(self, resource_id: str, body: Mapping[str, Any], prior: Values, context: Context) -> Values:
        values = super().values_of(resource_id, body, prior, context)
        keys = dig(body, "properties.osProfile.linuxConfiguration.ssh.publicKeys") or []
        values["admin_ssh_key"] = [
            {
                "username": name_of(key["path"].removesuffix("/.ssh/authorized_keys")),
                "public_key": key["keyData"],
            }
            for key in keys
        ]
        addresses = []
        for interface in values["network_interface_ids"] or []:
            found = context.arm.find(interface, NETWORK)
            addresses += private_addresses(found or {})
        values["private_ip_address"] = addresses[0] if addresses else ""
        values["private_ip_addresses"] = addresses
        values["public_ip_address"] = ""
        values["public_ip_addresses"] = []
        values["vm_agent_platform_updates_enabled"] = False
        # Attributes that the service chooses and no Field maps.
        values["disk_controller_type"] = dig(body, "properties.storageProfile.diskControllerType") or ""
        return values
