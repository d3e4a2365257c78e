"""Capacity reservation groups and reservations: they take quota when made, and show who uses them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.arm.errors import ArmError
from sandbox.arm.fill import guid
from sandbox.arm.operations import now
from sandbox.arm.resource import Change, ResourceType
from sandbox.arm.types.instance_view import power_state
from sandbox.arm.types.sizes import require_size

if TYPE_CHECKING:
    from sandbox.arm.context import Context
    from sandbox.arm.store import Resource

GROUP = "Microsoft.Compute/capacityReservationGroups"
RESERVATION = f"{GROUP}/capacityReservations"
# Azure refuses reservations of these (Microsoft's list of supported series leaves them out).
_UNSUPPORTED = ("Standard_ND", "Standard_NC40ads_H100", "Standard_NC80adis_H100", "Standard_NCC40ads_H100")


def _members(ctx: Context, group_id: str) -> list[Resource]:
    """The machines that are associated with a group."""
    return [
        machine
        for machine in ctx.store.all("Microsoft.Compute/virtualMachines")
        if machine["properties"]
        .get("capacityReservation", {})
        .get("capacityReservationGroup", {})
        .get("id", "")
        .lower()
        == group_id.lower()
    ]


class CapacityReservationGroups(ResourceType):
    name = GROUP
    error_code = "InvalidParameter"
    deleted = 200
    polls = False
    has_state = False

    def view(self, ctx: Context, resource: Resource, *, expand: str, listing: bool) -> Resource:  # noqa: ARG002  # the base's signature
        properties: dict[str, Any] = {**resource.get("properties", {})}
        reservations = ctx.store.children(resource["id"], "capacityReservations")
        properties["capacityReservations"] = [{"id": row["id"]} for row in reservations]
        properties["virtualMachinesAssociated"] = [{"id": row["id"]} for row in _members(ctx, resource["id"])]
        if "instanceview" in expand:
            properties["instanceView"] = {
                "capacityReservations": [{"name": r["name"], **_instance_view(ctx, r)} for r in reservations]
            }
        return {**resource, "properties": properties}

    def check_delete(self, ctx: Context, resource: Resource) -> None:
        if ctx.store.children(resource["id"], "capacityReservations"):
            raise ArmError(
                409,
                "OperationNotAllowed",
                f"Capacity reservation group '{resource['name']}' cannot be deleted because it has capacity "
                "reservations.",
            )


class CapacityReservations(ResourceType):
    name = RESERVATION
    error_code = "InvalidParameter"
    creating = (("Creating", 0.2),)
    updating = (("Updating", 0.2),)
    deleting = (("Deleting", 0.1),)

    def prepare(self, ctx: Context, change: Change) -> None:
        sku = change.body.get("sku", {})
        name, capacity = str(sku.get("name", "")), sku.get("capacity", 1)
        location, zones = change.body["location"], change.body.get("zones") or []
        size = require_size(ctx, name, location, zones, change.id)
        if size.name.startswith(_UNSUPPORTED):
            raise ArmError(
                409,
                "OperationNotAllowed",
                f"Capacity Reservation is not supported for the VM size '{size.name}' in location "
                f"'{location}'.",
            )
        if change.old is not None and change.old["sku"]["name"].lower() != name.lower():
            raise ArmError(
                409,
                "PropertyChangeNotAllowed",
                "Changing property 'sku.name' is not allowed.",
                target="sku.name",
            )
        before = change.old["sku"]["capacity"] if change.old is not None else 0
        members = [
            machine
            for machine in _members(ctx, change.id.rsplit("/", 2)[0])
            if machine["properties"]["hardwareProfile"]["vmSize"].lower() == size.name.lower()
        ]
        extra = max(0, capacity - max(before, len(members)))
        ctx.quota.require({"id": change.id, "location": location}, size, extra, spot=False)
        properties = change.properties
        properties["reservationId"] = guid(change.id)
        properties["provisioningTime"] = change.old_properties.get("provisioningTime", now())
        properties["timeCreated"] = change.old_properties.get("timeCreated", now())

    def view(self, ctx: Context, resource: Resource, *, expand: str, listing: bool) -> Resource:  # noqa: ARG002  # the base's signature
        properties = dict(resource["properties"])
        used = _used(ctx, resource)
        properties["virtualMachinesAssociated"] = [{"id": machine["id"]} for machine in used]
        if "instanceview" in expand:
            properties["instanceView"] = _instance_view(ctx, resource)
        return {**resource, "properties": properties}


def _used(ctx: Context, reservation: Resource) -> list[Resource]:
    size = reservation["sku"]["name"].lower()
    return [
        machine
        for machine in _members(ctx, reservation["id"].rsplit("/", 2)[0])
        if machine["properties"]["hardwareProfile"]["vmSize"].lower() == size
    ]


def _instance_view(ctx: Context, reservation: Resource) -> dict[str, Any]:
    allocated = [m for m in _used(ctx, reservation) if power_state(ctx, m) != "deallocated"]
    return {
        "utilizationInfo": {
            "currentCapacity": reservation["sku"]["capacity"],
            "virtualMachinesAllocated": [{"id": machine["id"]} for machine in allocated],
        },
        "statuses": [
            {
                "code": "ProvisioningState/succeeded",
                "level": "Info",
                "displayStatus": "Provisioning succeeded",
                "time": reservation["properties"]["provisioningTime"],
            }
        ],
    }
