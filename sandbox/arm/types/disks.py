"""Managed disks; the OS disk of a VM is made with the VM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.arm.errors import ArmError
from sandbox.arm.fill import guid
from sandbox.arm.operations import now
from sandbox.arm.resource import Change, ResourceType

if TYPE_CHECKING:
    from sandbox.arm.context import Context
    from sandbox.arm.store import Resource

DISK = "Microsoft.Compute/disks"


class Disks(ResourceType):
    name = DISK
    error_code = "InvalidParameter"
    created = 200

    def prepare(self, ctx: Context, change: Change) -> None:  # noqa: ARG002  # the base's signature
        change.body.setdefault("sku", {"name": "Standard_LRS", "tier": "Standard"})
        properties = change.properties
        old = change.old_properties
        properties.setdefault("diskSizeGB", old.get("diskSizeGB", 30))
        properties["diskState"] = old.get("diskState", "Unattached")
        properties["uniqueId"] = guid(change.id)
        properties["timeCreated"] = old.get("timeCreated", now())
        if change.old is not None and "managedBy" in change.old:
            change.body["managedBy"] = change.old["managedBy"]

    def check_delete(self, ctx: Context, resource: Resource) -> None:  # noqa: ARG002  # the base's signature
        if resource.get("managedBy"):
            raise ArmError(
                409,
                "OperationNotAllowed",
                f"Disk {resource['name']} is attached to VM {resource['managedBy']}.",
            )
