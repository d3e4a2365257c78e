"""azurerm_subnet."""

from __future__ import annotations

from typing import Any

from sandbox.terraform_provider.mapping import Field, Nested
from sandbox.terraform_provider.resource_id import name_of, parent_of, resource_group_of
from sandbox.terraform_provider.resources.base import Context, Resource, Values
from sandbox.terraform_provider.resources.common import NAME, RESOURCE_GROUP, ids, reference

API_VERSION = "2025-01-01"


def _policy(enabled: bool) -> str:
    return "Enabled" if enabled else "Disabled"


class Subnet(Resource):
    """Writes take turns on the virtual network."""

    type_name = "azurerm_subnet"
    title = "Subnet"
    api_version = API_VERSION
    parts = (
        NAME,
        RESOURCE_GROUP,
        Field("virtual_network_name", force_new=True),
        Field("address_prefixes", "properties.addressPrefixes"),
        Field("default_outbound_access_enabled", "properties.defaultOutboundAccess", default=True),
        Field(
            "private_endpoint_network_policies",
            "properties.privateEndpointNetworkPolicies",
            default="Disabled",
        ),
        Field(
            "private_link_service_network_policies_enabled",
            "properties.privateLinkServiceNetworkPolicies",
            default=True,
            write=_policy,
            read=lambda text: text == "Enabled",
        ),
        Field(
            "service_endpoint_policy_ids",
            "properties.serviceEndpointPolicies",
            empty=[],
            write=lambda names: [reference(name) for name in names],
            read=ids,
        ),
        Field("sharing_scope", "properties.sharingScope", empty=""),
        Field("network_security_group_id", "properties.networkSecurityGroup.id", read_only=True),
        Field("route_table_id", "properties.routeTable.id", read_only=True),
        Nested("service_endpoint", "properties.serviceEndpoints", (Field("service", "service"),), many=True),
        Nested(
            "delegation",
            "properties.delegations",
            (
                Field("name", "name"),
                Nested(
                    "service_delegation",
                    "properties",
                    (Field("name", "serviceName"), Field("actions", "actions", read=sorted)),
                ),
            ),
            many=True,
        ),
    )

    def resource_id(self, values: Values, context: Context) -> str:
        group = f"{context.subscription}/resourceGroups/{values['resource_group_name']}"
        network = f"{group}/providers/Microsoft.Network/virtualNetworks/{values['virtual_network_name']}"
        return f"{network}/subnets/{values['name']}"

    def template(self, values: Values) -> dict[str, Any]:
        return {"name": values["name"], "properties": {}}

    def lock_name(self, resource_id: str) -> str:
        return parent_of(resource_id)

    def identity(self, resource_id: str) -> Values:
        return {
            "name": name_of(resource_id),
            "resource_group_name": resource_group_of(resource_id),
            "virtual_network_name": name_of(parent_of(resource_id)),
        }
