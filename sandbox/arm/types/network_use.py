"""Who uses a network resource: what must be gone before it may be deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandbox.arm.context import Context
    from sandbox.arm.store import Resource

__all__ = ["configurations", "interface_users", "public_ip_users", "security_group_users", "subnet_users"]

_NIC = "Microsoft.Network/networkInterfaces"


def configurations(interface: Resource) -> list[dict[str, Any]]:
    """The IP configurations of a network interface."""
    found: list[dict[str, Any]] = interface["properties"].get("ipConfigurations") or []
    return found


def _refers(value: Any, resource_id: str) -> bool:
    return isinstance(value, dict) and str(value.get("id", "")).lower() == resource_id.lower()


def _interfaces_with(ctx: Context, member: str, resource_id: str) -> Iterator[str]:
    for interface in ctx.store.all(_NIC):
        for configuration in configurations(interface):
            if _refers(configuration.get("properties", {}).get(member), resource_id):
                yield f"{interface['id']}/ipConfigurations/{configuration['name']}"


def subnet_users(ctx: Context, subnet_id: str) -> list[str]:
    pools = [
        pool["id"]
        for pool in ctx.store.all("Microsoft.ContainerService/managedClusters/agentPools")
        if str(pool["properties"].get("vnetSubnetID", "")).lower() == subnet_id.lower()
    ]
    return [*_interfaces_with(ctx, "subnet", subnet_id), *pools]


def public_ip_users(ctx: Context, address_id: str) -> list[str]:
    return list(_interfaces_with(ctx, "publicIPAddress", address_id))


def security_group_users(ctx: Context, group_id: str) -> list[str]:
    subnets = ctx.store.all("Microsoft.Network/virtualNetworks/subnets")
    return [
        resource["id"]
        for resource in [*subnets, *ctx.store.all(_NIC)]
        if _refers(resource["properties"].get("networkSecurityGroup"), group_id)
    ]


def interface_users(ctx: Context, interface_id: str) -> list[str]:
    return [
        machine["id"]
        for machine in ctx.store.all("Microsoft.Compute/virtualMachines")
        if any(
            _refers(reference, interface_id)
            for reference in machine["properties"].get("networkProfile", {}).get("networkInterfaces") or ()
        )
    ]
