"""azurerm_virtual_network."""

from __future__ import annotations

from typing import Any

from sandbox.terraform_provider.mapping import Field, dig
from sandbox.terraform_provider.resources.base import Context, Resource, Values
from sandbox.terraform_provider.resources.common import LOCATION, NAME, RESOURCE_GROUP, TAGS, ids


def _subnets(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [_subnet(entry) for entry in found]


def _subnet(entry: dict[str, Any]) -> dict[str, Any]:
    properties = entry.get("properties", {})
    return {
        "address_prefixes": properties.get("addressPrefixes") or [],
        "default_outbound_access_enabled": properties.get("defaultOutboundAccess", True),
        "delegation": [
            {
                "name": d["name"],
                "service_delegation": [
                    {
                        "actions": sorted(dig(d, "properties.actions") or []),
                        "name": dig(d, "properties.serviceName"),
                    }
                ],
            }
            for d in properties.get("delegations") or []
        ],
        "id": entry.get("id"),
        "name": entry.get("name"),
        "private_endpoint_network_policies": properties.get("privateEndpointNetworkPolicies"),
        "private_link_service_network_policies_enabled": (
            properties.get("privateLinkServiceNetworkPolicies") == "Enabled"
        ),
        "route_table_id": dig(properties, "routeTable.id") or "",
        "security_group": dig(properties, "networkSecurityGroup.id") or "",
        "service_endpoint": [
            {"network_identifier": dig(s, "networkIdentifier.id") or "", "service": s.get("service")}
            for s in properties.get("serviceEndpoints") or []
        ],
        "service_endpoint_policy_ids": ids(properties.get("serviceEndpointPolicies") or []),
    }


class VirtualNetwork(Resource):
    """Inline subnets are read, not written: `azurerm_subnet` makes them."""

    type_name = "azurerm_virtual_network"
    title = "Virtual Network"
    api_version = "2025-01-01"
    parts = (
        NAME,
        RESOURCE_GROUP,
        LOCATION,
        TAGS,
        Field("address_space", "properties.addressSpace.addressPrefixes", read=sorted),
        Field("dns_servers", "properties.dhcpOptions.dnsServers", empty=[]),
        Field("flow_timeout_in_minutes", "properties.flowTimeoutInMinutes"),
        Field("private_endpoint_vnet_policies", "properties.privateEndpointVNetPolicies", default="Disabled"),
        Field("guid", "properties.resourceGuid", read_only=True),
        Field("subnet", "properties.subnets", read_only=True, read=_subnets),
    )

    def resource_id(self, values: Values, context: Context) -> str:
        group = f"{context.subscription}/resourceGroups/{values['resource_group_name']}"
        return f"{group}/providers/Microsoft.Network/virtualNetworks/{values['name']}"

    def template(self, values: Values) -> dict[str, Any]:
        return {"name": values["name"], "properties": {"subnets": []}}
