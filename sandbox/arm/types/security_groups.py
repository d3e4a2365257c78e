"""Network security groups and their rules, inline or as resources of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.arm import crud
from sandbox.arm.errors import ArmError
from sandbox.arm.fill import etag, guid
from sandbox.arm.resource import Change, ResourceType
from sandbox.arm.types.network_use import security_group_users

if TYPE_CHECKING:
    from sandbox.arm.context import Context
    from sandbox.arm.store import Resource

GROUP = "Microsoft.Network/networkSecurityGroups"
RULE = f"{GROUP}/securityRules"
# The rules that every group has: name, priority, direction, access, source, destination.
_DEFAULTS = (
    ("AllowVnetInBound", 65000, "Inbound", "Allow", "VirtualNetwork", "VirtualNetwork"),
    ("AllowAzureLoadBalancerInBound", 65001, "Inbound", "Allow", "AzureLoadBalancer", "*"),
    ("DenyAllInBound", 65500, "Inbound", "Deny", "*", "*"),
    ("AllowVnetOutBound", 65000, "Outbound", "Allow", "VirtualNetwork", "VirtualNetwork"),
    ("AllowInternetOutBound", 65001, "Outbound", "Allow", "*", "Internet"),
    ("DenyAllOutBound", 65500, "Outbound", "Deny", "*", "*"),
)


class SecurityGroups(ResourceType):
    name = GROUP
    error_code = "InvalidRequestFormat"

    def prepare(self, ctx: Context, change: Change) -> None:  # noqa: ARG002  # the base's signature
        rules = change.properties.get("securityRules") or []
        seen: set[tuple[Any, Any]] = set()
        for rule in rules:
            properties = rule.get("properties", {})
            place = (properties.get("priority"), properties.get("direction"))
            if place in seen:
                raise _conflict(str(rule.get("name", "")), place)
            seen.add(place)
        change.properties["resourceGuid"] = guid(change.id)
        change.body["etag"] = etag(change)

    def stored(self, ctx: Context, change: Change) -> None:
        """The rules in the body replace those there are; without the property they stay."""
        given = change.properties.pop("securityRules", None)
        ctx.store.put(change.body)
        if given is None:
            return
        for rule in ctx.store.children(change.id, "securityRules"):
            ctx.store.remove(rule["id"])
        for rule in given:
            crud.store_child(ctx, RULE, change, rule["name"], {"properties": rule.get("properties", {})})

    def view(self, ctx: Context, resource: Resource, *, expand: str, listing: bool) -> Resource:  # noqa: ARG002  # the base's signature
        rules = ctx.store.children(resource["id"], "securityRules")
        defaults = [_default(resource["id"], row) for row in _DEFAULTS]
        shown = {**resource["properties"], "securityRules": rules, "defaultSecurityRules": defaults}
        return {**resource, "properties": shown}

    def check_delete(self, ctx: Context, resource: Resource) -> None:
        users = security_group_users(ctx, resource["id"])
        if users:
            raise ArmError(
                400,
                "InUseNetworkSecurityGroupCannotBeDeleted",
                f"Network security group {resource['id']} cannot be deleted because it is in use by the "
                "following "
                f"resources: {', '.join(users)}.",
            )


class SecurityRules(ResourceType):
    name = RULE
    error_code = "InvalidRequestFormat"
    methods = frozenset({"GET", "PUT", "DELETE", "LIST"})
    located = False

    def prepare(self, ctx: Context, change: Change) -> None:
        place = (change.properties.get("priority"), change.properties.get("direction"))
        for other in ctx.store.children(change.id.rsplit("/", 2)[0], "securityRules"):
            properties = other["properties"]
            if other["id"].lower() != change.id.lower() and place == (
                properties.get("priority"),
                properties.get("direction"),
            ):
                raise _conflict(change.name, place)
        change.body["etag"] = etag(change)


def _conflict(name: str, place: tuple[Any, Any]) -> ArmError:
    return ArmError(
        400,
        "SecurityRuleConflict",
        f"Security rule {name} conflicts with another rule. Rules cannot have the same Priority and "
        "Direction "
        f"({place[0]}, {place[1]}).",
    )


def _default(group: str, row: tuple[str, int, str, str, str, str]) -> Resource:
    name, priority, direction, access, source, destination = row
    return {
        "id": f"{group}/defaultSecurityRules/{name}",
        "name": name,
        "type": f"{GROUP}/defaultSecurityRules",
        "properties": {
            "provisioningState": "Succeeded",
            "protocol": "*",
            "sourcePortRange": "*",
            "destinationPortRange": "*",
            "sourceAddressPrefix": source,
            "destinationAddressPrefix": destination,
            "access": access,
            "priority": priority,
            "direction": direction,
        },
    }
