"""Virtual networks and their subnets, which are resources of their own and shown inside the network."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any

from sandbox.arm import crud
from sandbox.arm.errors import ArmError
from sandbox.arm.fill import etag, guid
from sandbox.arm.resource import Change, ResourceType
from sandbox.arm.types.network_use import subnet_users

if TYPE_CHECKING:
    from sandbox.arm.context import Context
    from sandbox.arm.store import Resource

NETWORK = "Microsoft.Network/virtualNetworks"
SUBNET = f"{NETWORK}/subnets"


class VirtualNetworks(ResourceType):
    name = NETWORK
    error_code = "InvalidRequestFormat"

    def prepare(self, ctx: Context, change: Change) -> None:
        properties = change.properties
        prefixes = properties.get("addressSpace", {}).get("addressPrefixes") or []
        for prefix in prefixes:
            _network(prefix, change.name)
        properties["resourceGuid"] = guid(change.id)
        properties.setdefault("subnets", None)
        given = properties.get("subnets")
        if given is not None:
            wanted = {str(subnet.get("name", "")).lower() for subnet in given}
            for subnet in ctx.store.children(change.id, "subnets"):
                if subnet["name"].lower() not in wanted:
                    ctx.types[SUBNET.lower()].check_delete(ctx, subnet)
        change.body["etag"] = etag(change)

    def stored(self, ctx: Context, change: Change) -> None:
        """The subnets in the body replace those there are; without the property they stay."""
        given = change.properties.pop("subnets", None)
        ctx.store.put(change.body)
        if given is None:
            return
        wanted = {str(subnet["name"]).lower() for subnet in given}
        for subnet in ctx.store.children(change.id, "subnets"):
            if subnet["name"].lower() not in wanted:
                ctx.store.remove(subnet["id"])
        for subnet in given:
            crud.store_child(
                ctx, SUBNET, change, subnet["name"], {"properties": subnet.get("properties", {})}
            )

    def view(self, ctx: Context, resource: Resource, *, expand: str, listing: bool) -> Resource:  # noqa: ARG002  # the base's signature
        kind = ctx.types[SUBNET.lower()]
        subnets = ctx.store.children(resource["id"], "subnets")
        shown = [kind.view(ctx, subnet, expand="", listing=True) for subnet in subnets]
        properties = {"virtualNetworkPeerings": [], "enableDdosProtection": False, **resource["properties"]}
        return {**resource, "properties": {**properties, "subnets": shown}}

    def check_delete(self, ctx: Context, resource: Resource) -> None:
        for subnet in ctx.store.children(resource["id"], "subnets"):
            ctx.types[SUBNET.lower()].check_delete(ctx, subnet)


class Subnets(ResourceType):
    name = SUBNET
    error_code = "InvalidRequestFormat"
    methods = frozenset({"GET", "PUT", "DELETE", "LIST"})
    located = False

    def prepare(self, ctx: Context, change: Change) -> None:
        properties = change.properties
        mine = _prefixes(properties)
        if not mine:
            raise ArmError(400, "InvalidRequestFormat", f"Subnet '{change.name}' needs an address prefix.")
        parent = ctx.store.get(change.id.rsplit("/", 2)[0]) or {"properties": {}}
        space = parent["properties"].get("addressSpace", {}).get("addressPrefixes") or []
        networks = [_network(prefix, change.name) for prefix in mine]
        spaces = [_network(prefix, change.name) for prefix in space]
        for network in networks:
            if not any(_inside(network, outer) for outer in spaces):
                raise ArmError(
                    400,
                    "NetcfgInvalidSubnet",
                    f"Subnet '{change.name}' is not valid in virtual network '{parent.get('name', '')}'.",
                )
        self._require_free(ctx, change, networks, str(parent.get("name", "")))
        for name in ("privateEndpointNetworkPolicies", "privateLinkServiceNetworkPolicies"):
            properties.setdefault(name, "Disabled" if name.startswith("privateEndpoint") else "Enabled")
        properties.setdefault("delegations", [])
        change.body["etag"] = etag(change)

    def _require_free(self, ctx: Context, change: Change, networks: list[Any], vnet: str) -> None:
        for other in ctx.store.children(change.id.rsplit("/", 2)[0], "subnets"):
            if other["id"].lower() == change.id.lower():
                continue
            for prefix in _prefixes(other["properties"]):
                taken = _network(prefix, other["name"])
                if any(network.version == taken.version and network.overlaps(taken) for network in networks):
                    raise ArmError(
                        400,
                        "NetcfgSubnetRangesOverlap",
                        f"Subnet '{change.name}' is not valid because its IP address range overlaps with "
                        "that of "
                        f"an existing subnet in virtual network '{vnet}'.",
                    )

    def check_delete(self, ctx: Context, resource: Resource) -> None:
        users = subnet_users(ctx, resource["id"])
        if users:
            raise ArmError(
                400,
                "InUseSubnetCannotBeDeleted",
                f"Subnet {resource['name']} is in use by {', '.join(users)} and cannot be deleted. In order "
                "to "
                "delete the subnet, delete all the resources within the subnet.",
            )


def _prefixes(properties: dict[str, Any]) -> list[str]:
    many = properties.get("addressPrefixes") or []
    one = properties.get("addressPrefix")
    return [*many, *([one] if one and one not in many else [])]


def _network(prefix: str, name: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    try:
        return ipaddress.ip_network(prefix)
    except ValueError as error:
        raise ArmError(
            400,
            "InvalidCIDRNotation",
            f"The address prefix {prefix} in resource {name} has an invalid CIDR notation: {error}.",
        ) from error


def _inside(
    network: ipaddress.IPv4Network | ipaddress.IPv6Network,
    outer: ipaddress.IPv4Network | ipaddress.IPv6Network,
) -> bool:
    if isinstance(network, ipaddress.IPv4Network) and isinstance(outer, ipaddress.IPv4Network):
        return network.subnet_of(outer)
    if isinstance(network, ipaddress.IPv6Network) and isinstance(outer, ipaddress.IPv6Network):
        return network.subnet_of(outer)
    return False
