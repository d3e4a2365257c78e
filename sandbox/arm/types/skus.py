"""Resource SKUs: VM sizes per region with their capabilities and restrictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.arm.catalog import Location, Size, normalize_location
from sandbox.arm.errors import ArmError
from sandbox.arm.filters import equals
from sandbox.arm.messages import ArmRequest, Reply
from sandbox.arm.routes import Route

if TYPE_CHECKING:
    from sandbox.arm.context import Context

VERSIONS = ("2017-03-30", "2017-09-01", "2019-04-01", "2021-07-01")


async def list_skus(ctx: Context, request: ArmRequest) -> Reply:
    """All regions' sizes, or one region's with `$filter=location eq '…'`; one entry per size and region."""
    locations = list(ctx.catalog.locations.values())
    wanted = request.query.get("$filter")
    if wanted is not None:
        name, value = equals(wanted)
        if name != "location":
            raise ArmError(400, "InvalidFilter", f"SKUs can be filtered by location only, not by '{name}'.")
        locations = [row for row in locations if row.name == normalize_location(value)]
    rows = [
        _shown(ctx, size, location)
        for location in locations
        for size in ctx.catalog.sizes.values()
        if ctx.catalog.offered(size, location.name)
    ]
    return Reply(200, {"value": rows})


def _shown(ctx: Context, size: Size, location: Location) -> dict[str, Any]:
    restriction = ctx.catalog.restriction(size, location.name)
    return {
        "resourceType": "virtualMachines",
        "name": size.name,
        "tier": "Standard",
        "size": size.name.removeprefix("Standard_"),
        "family": size.family,
        "locations": [location.name],
        "locationInfo": [{"location": location.name, "zones": list(location.zones), "zoneDetails": []}],
        "capabilities": _capabilities(size),
        "restrictions": [] if restriction is None else [_restriction(restriction)],
    }


def _capabilities(size: Size) -> list[dict[str, str]]:
    """`GPUs` as the real API gives it: absent or wrong for some sizes."""
    pairs = {
        "MaxResourceVolumeMB": "0",
        "OSVhdSizeMB": "1047552",
        "vCPUs": str(size.vcpus),
        "MemoryPreservingMaintenanceSupported": "True" if size.gpu is None else "False",
        "HyperVGenerations": "V1,V2",
        "MemoryGB": f"{size.memory_gb:g}",
        "CpuArchitectureType": "Arm64" if "GB200" in size.name or "GB300" in size.name else "x64",
        "LowPriorityCapable": "True",
        "PremiumIO": "True",
        "VMDeploymentTypes": "IaaS",
        "vCPUsAvailable": str(size.vcpus),
        "vCPUsPerCore": "2" if size.gpu is None else "1",
        "EncryptionAtHostSupported": "True",
    }
    if size.api_gpus:
        pairs["GPUs"] = f"{size.api_gpus:g}"
    return [{"name": name, "value": value} for name, value in pairs.items()]


def _restriction(row: dict[str, Any]) -> dict[str, Any]:
    info: dict[str, Any] = {"locations": [row["location"]]}
    if "zones" in row:
        info["zones"] = row["zones"]
    return {
        "type": "Zone" if "zones" in row else "Location",
        "values": [row["location"]],
        "restrictionInfo": info,
        "reasonCode": "NotAvailableForSubscription",
    }


ROUTES = [
    Route(
        "GET",
        "/subscriptions/{subscription}/providers/Microsoft.Compute/skus",
        list_skus,
        VERSIONS,
        "Microsoft.Compute/skus/read",
    )
]
