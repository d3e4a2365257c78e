"""Network interfaces: private addresses come from the subnet, the fourth one first, as in Azure."""

from __future__ import annotations

import ipaddress
from itertools import islice
from typing import TYPE_CHECKING, Any

from sandbox.arm.errors import ArmError
from sandbox.arm.fill import etag, guid, hexes
from sandbox.arm.resource import Change, ResourceType
from sandbox.arm.types.network_use import configurations, interface_users

if TYPE_CHECKING:
    from sandbox.arm.context import Context
    from sandbox.arm.store import Resource


class NetworkInterfaces(ResourceType):
    name = "Microsoft.Network/networkInterfaces"
    error_code = "InvalidRequestFormat"

    def prepare(self, ctx: Context, change: Change) -> None:
        properties = change.properties
        given = properties.get("ipConfigurations") or []
        if not given:
            raise ArmError(
                400,
                "NetworkInterfaceMustHaveAtLeastOneIpConfiguration",
                f"Network interface {change.id} must have at least one IP configuration.",
            )
        for number, configuration in enumerate(given):
            self._configure(ctx, change, configuration, primary=number == 0)
        properties["resourceGuid"] = guid(change.id)
        properties["macAddress"] = _mac(change.id)
        properties.setdefault("enableAcceleratedNetworking", False)
        properties.setdefault("enableIPForwarding", False)
        properties.setdefault("dnsSettings", {"dnsServers": []})
        properties["dnsSettings"].update(
            appliedDnsServers=[], internalDomainNameSuffix="sandbox.bx.internal.cloudapp.net"
        )
        properties["nicType"] = "Standard"
        change.body["etag"] = etag(change)

    def _configure(
        self, ctx: Context, change: Change, configuration: dict[str, Any], *, primary: bool
    ) -> None:
        inner = configuration.setdefault("properties", {})
        name = configuration.get("name", "")
        configuration.update(id=f"{change.id}/ipConfigurations/{name}", type=f"{self.name}/ipConfigurations")
        inner.setdefault("privateIPAllocationMethod", "Dynamic")
        inner.setdefault("privateIPAddressVersion", "IPv4")
        inner.setdefault("primary", primary)
        inner["provisioningState"] = "Succeeded"
        for member in ("subnet", "publicIPAddress"):
            reference = inner.get(member)
            if reference is not None and str(reference.get("id", "")) not in ctx.store:
                raise ArmError(
                    400,
                    "InvalidResourceReference",
                    f"Resource {reference.get('id')} referenced by resource {change.id} was not found. "
                    "Please make "
                    "sure that the referenced resource exists, and that both resources are in the same "
                    "region.",
                )
        if inner["privateIPAllocationMethod"] == "Dynamic" and "subnet" in inner:
            inner["privateIPAddress"] = self._address(ctx, change, str(name), inner["subnet"]["id"])

    def _address(self, ctx: Context, change: Change, name: str, subnet_id: str) -> str:
        """The address this configuration already has in that subnet, or the lowest free one."""
        taken: set[str] = set()
        for interface in ctx.store.all(self.name):
            for configuration in configurations(interface):
                inner = configuration["properties"]
                if inner.get("subnet", {}).get("id", "").lower() != subnet_id.lower():
                    continue
                if interface["id"].lower() == change.id.lower() and configuration["name"] == name:
                    return str(inner["privateIPAddress"])
                taken.add(inner.get("privateIPAddress", ""))
        subnet = ctx.store.get(subnet_id) or {"properties": {}}
        properties = subnet["properties"]
        prefix = properties.get("addressPrefix") or (properties.get("addressPrefixes") or ["10.0.0.0/24"])[0]
        for host in islice(ipaddress.ip_network(prefix).hosts(), 3, 4096):  # Azure keeps the first three
            if str(host) not in taken:
                return str(host)
        raise ArmError(
            400, "SubnetIsFull", f"Subnet {subnet_id} does not have enough capacity for 1 IP addresses."
        )

    def check_delete(self, ctx: Context, resource: Resource) -> None:
        users = interface_users(ctx, resource["id"])
        if users:
            raise ArmError(
                400,
                "NicInUse",
                f"Network Interface {resource['id']} is used by existing resource {users[0]}. In order to "
                "delete the "
                "network interface, it must be dissociated from the resource.",
            )


def _mac(interface_id: str) -> str:
    tail = hexes(6, interface_id).upper()
    return f"00-0D-3A-{tail[:2]}-{tail[2:4]}-{tail[4:]}"
