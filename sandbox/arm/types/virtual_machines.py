"""Virtual machines: quota, OS disk, power states, instance view, Run Command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.arm.errors import ArmError, operation_in_progress
from sandbox.arm.fill import fill_identity, guid, hexes, keep
from sandbox.arm.messages import Reply
from sandbox.arm.operations import now
from sandbox.arm.polling import operation_headers
from sandbox.arm.resource import Action, Call, Change, ResourceType
from sandbox.arm.types import run_command
from sandbox.arm.types.disks import DISK
from sandbox.arm.types.instance_view import POWER, instance_view
from sandbox.arm.types.sizes import require_size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandbox.arm.context import Context
    from sandbox.arm.operations import Operation
    from sandbox.arm.store import Resource

MACHINE = "Microsoft.Compute/virtualMachines"


class VirtualMachines(ResourceType):
    name = MACHINE
    error_code = "InvalidParameter"
    system_data = True
    creating = (("Creating", 0.3),)
    deleting = (("Deleting", 0.2),)

    def prepare(self, ctx: Context, change: Change) -> None:
        properties = change.properties
        size_name = properties.get("hardwareProfile", {}).get("vmSize")
        if not size_name:
            raise ArmError(
                400, "InvalidParameter", "Required parameter 'vmSize' is missing (null).", target="vmSize"
            )
        location, zones = change.body["location"], change.body.get("zones") or []
        size = require_size(ctx, size_name, location, zones, change.id)
        old_size = change.old_properties.get("hardwareProfile", {}).get("vmSize", "")
        if old_size.lower() != size.name.lower():
            before = ctx.catalog.size(old_size) if old_size else None
            spared = before is not None and before.family == size.family
            probe = {"id": change.id, "location": location}
            if not (spared and before is not None and before.vcpus >= size.vcpus) and not self._reserved(
                ctx, change, size.name
            ):
                ctx.quota.require(probe, size, 1, spot=properties.get("priority") == "Spot")
        self._check_interfaces(ctx, change)
        self._fill(change)
        fill_identity(ctx, change)

    def _reserved(self, ctx: Context, change: Change, size: str) -> bool:
        """Whether an idle reserved machine of the group takes this one: it skips the quota check."""
        group = change.properties.get("capacityReservation", {}).get("capacityReservationGroup", {}).get("id")
        if not group:
            return False
        reservations = ctx.store.children(group, "capacityReservations")
        reserved: int = sum(
            r["sku"]["capacity"] for r in reservations if r["sku"]["name"].lower() == size.lower()
        )
        members = [
            machine
            for machine in ctx.store.all(MACHINE)
            if machine["properties"]
            .get("capacityReservation", {})
            .get("capacityReservationGroup", {})
            .get("id", "")
            .lower()
            == group.lower()
            and machine["properties"]["hardwareProfile"]["vmSize"].lower() == size.lower()
        ]
        return len(members) < reserved

    def _check_interfaces(self, ctx: Context, change: Change) -> None:
        for reference in change.properties.get("networkProfile", {}).get("networkInterfaces") or ():
            interface = ctx.store.get(str(reference.get("id", "")))
            if interface is None:
                raise ArmError(
                    400,
                    "InvalidResourceReference",
                    f"Resource {reference.get('id')} referenced by resource {change.id} was not found. "
                    "Please make "
                    "sure that the referenced resource exists, and that both resources are in the same "
                    "region.",
                )
            owner = interface["properties"].get("virtualMachine", {}).get("id", change.id)
            if owner.lower() != change.id.lower():
                raise ArmError(
                    409,
                    "NicInUse",
                    f"Network Interface {interface['id']} is used by existing resource {owner}.",
                )

    def _fill(self, change: Change) -> None:
        properties = change.properties
        properties["vmId"] = guid(change.id, "vm")
        properties["timeCreated"] = change.old_properties.get("timeCreated", now())
        keep(change, "osProfile")
        os_profile = properties.setdefault("osProfile", {})
        os_profile.setdefault("computerName", change.name)
        os_profile.setdefault("allowExtensionOperations", True)
        os_profile.setdefault("requireGuestProvisionSignal", True)
        os_profile.setdefault("secrets", [])
        os_profile.pop("adminPassword", None)  # write-only in Azure
        storage = properties.setdefault("storageProfile", {})
        storage.setdefault("dataDisks", [])
        image = storage.get("imageReference")
        if isinstance(image, dict) and "publisher" in image:
            image["exactVersion"] = (
                "22.04.202611100" if image.get("version") == "latest" else image.get("version")
            )
        disk = storage.setdefault("osDisk", {"createOption": "FromImage"})
        linux = "windowsConfiguration" not in os_profile
        disk.setdefault("osType", "Linux" if linux else "Windows")
        disk.setdefault("caching", "ReadWrite")
        disk.setdefault("deleteOption", "Detach")
        disk.setdefault("diskSizeGB", 30 if linux else 127)
        disk.setdefault("name", f"{change.name}_OsDisk_1_{hexes(32, change.id)}")
        managed = disk.setdefault("managedDisk", {})
        managed.setdefault("storageAccountType", "Premium_LRS")
        managed["id"] = f"{change.id.split('/providers/')[0]}/providers/{DISK}/{disk['name']}"

    def stored(self, ctx: Context, change: Change) -> None:
        """The OS disk and the interfaces belong to the machine from now on; it starts running."""
        disk = change.properties["storageProfile"]["osDisk"]
        tier = disk["managedDisk"]["storageAccountType"]
        if disk["managedDisk"]["id"] not in ctx.store:
            ctx.store.put(
                {
                    "id": disk["managedDisk"]["id"],
                    "name": disk["name"],
                    "type": DISK,
                    "location": change.body["location"],
                    "managedBy": change.id,
                    "sku": {"name": tier, "tier": tier.split("_")[0]},
                    "properties": {
                        "osType": disk["osType"],
                        "creationData": {"createOption": disk.get("createOption", "FromImage")},
                        "diskSizeGB": disk["diskSizeGB"],
                        "diskState": "Attached",
                        "provisioningState": "Succeeded",
                        "uniqueId": guid(disk["managedDisk"]["id"]),
                        "timeCreated": now(),
                    },
                }
            )
        self._claim(ctx, change.body, {"id": change.id})
        power = ctx.state.table(POWER)
        power.setdefault(change.id.lower(), "running")

    def _claim(self, ctx: Context, machine: Resource, owner: dict[str, str] | None) -> None:
        for reference in machine["properties"].get("networkProfile", {}).get("networkInterfaces") or ():
            interface = ctx.store.get(reference["id"])
            if interface is None:
                continue
            interface["properties"].pop("virtualMachine", None)
            if owner is not None:
                interface["properties"]["virtualMachine"] = owner
            ctx.store.put(interface)

    async def removed(self, ctx: Context, resource: Resource) -> None:
        """Detach the disk and the interfaces; they stay unless their `deleteOption` says Delete."""
        self._claim(ctx, resource, None)
        os_disk = resource["properties"]["storageProfile"]["osDisk"]
        disk = ctx.store.get(os_disk["managedDisk"]["id"])
        if disk is not None:
            disk.pop("managedBy", None)
            disk["properties"]["diskState"] = "Unattached"
            ctx.store.put(disk)
            if os_disk.get("deleteOption") == "Delete":
                ctx.store.remove(disk["id"])
        ctx.state.table(POWER).pop(resource["id"].lower(), None)

    def view(self, ctx: Context, resource: Resource, *, expand: str, listing: bool) -> Resource:
        """A single machine shows its extensions in full, a list shows their ids only."""
        extensions = ctx.store.children(resource["id"], "extensions")
        shown = {**resource, "properties": dict(resource["properties"])}
        if extensions:
            shown["resources"] = [{"id": row["id"]} if listing else row for row in extensions]
        if "instanceview" in expand and not listing:
            shown["properties"]["instanceView"] = instance_view(ctx, resource)
        return shown

    def parts(self) -> Mapping[str, Action]:
        return {"instanceview": self._instance_view}

    async def _instance_view(self, ctx: Context, call: Call) -> Reply:
        return Reply(200, instance_view(ctx, call.resource))

    def posts(self) -> Mapping[str, Action]:
        powers = dict.fromkeys(("start", "restart", "deallocate", "poweroff"), self._power)
        return {**powers, "runcommand": run_command.start}

    async def _power(self, ctx: Context, call: Call) -> Reply:
        machine = call.resource
        if ctx.operations.in_progress(machine["id"]):
            raise operation_in_progress(f"VM '{machine['name']}'")
        verb = (call.target.tail or "").lower()
        operation = await ctx.operations.start(
            f"action:{verb}", machine["id"], machine["location"], (("Updating", 0.1),)
        )
        return Reply(202, None, operation_headers(operation, call.request.api_version, location=True))

    async def finish_action(self, ctx: Context, operation: Operation) -> dict[str, Any] | None:
        verb = operation["kind"].partition(":")[2]
        if verb == "runcommand":
            return run_command.finish(ctx, operation)
        states = {"deallocate": "deallocated", "poweroff": "stopped"}
        ctx.state.table(POWER)[operation["resourceId"].lower()] = states.get(verb, "running")
        return None
