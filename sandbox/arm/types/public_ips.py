"""Public IP addresses: made-up ones from the documentation range 203.0.113.0/24."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.arm.errors import ArmError
from sandbox.arm.fill import etag, guid
from sandbox.arm.resource import Change, ResourceType
from sandbox.arm.types.network_use import public_ip_users

if TYPE_CHECKING:
    from sandbox.arm.context import Context
    from sandbox.arm.store import Resource


class PublicIpAddresses(ResourceType):
    name = "Microsoft.Network/publicIPAddresses"
    error_code = "InvalidRequestFormat"

    def prepare(self, ctx: Context, change: Change) -> None:
        properties = change.properties
        sku = change.body.setdefault("sku", {"name": "Basic", "tier": "Regional"})
        sku.setdefault("tier", "Regional")
        properties.setdefault("publicIPAddressVersion", "IPv4")
        properties.setdefault(
            "publicIPAllocationMethod", "Dynamic" if sku.get("name") == "Basic" else "Static"
        )
        properties.setdefault("idleTimeoutInMinutes", 4)
        properties["resourceGuid"] = guid(change.id)
        if properties["publicIPAllocationMethod"] == "Static":
            properties["ipAddress"] = change.old_properties.get("ipAddress") or self._free(ctx)
        label = properties.get("dnsSettings", {}).get("domainNameLabel")
        if label:
            properties["dnsSettings"]["fqdn"] = f"{label}.{change.body['location']}.cloudapp.azure.com"
        change.body["etag"] = etag(change)

    def _free(self, ctx: Context) -> str:
        """The lowest address that no other resource has."""
        taken = {row["properties"].get("ipAddress") for row in ctx.store.all(self.name)}
        for host in range(1, 255):
            if f"203.0.113.{host}" not in taken:
                return f"203.0.113.{host}"
        raise ArmError(
            400,
            "PublicIPCountLimitReached",
            "Cannot create more than 254 public IP addresses in the sandbox.",
        )

    def check_delete(self, ctx: Context, resource: Resource) -> None:
        users = public_ip_users(ctx, resource["id"])
        if users:
            raise ArmError(
                400,
                "PublicIPAddressCannotBeDeleted",
                f"Public IP address {resource['id']} can not be deleted since it is still allocated to "
                "resource "
                f"{users[0]}.",
            )
