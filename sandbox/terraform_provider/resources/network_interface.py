"""azurerm_network_interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.terraform_provider.mapping import Field, Nested, dig
from sandbox.terraform_provider.resource_id import same_id
from sandbox.terraform_provider.resources.base import Context, Resource, Values
from sandbox.terraform_provider.resources.common import LOCATION, NAME, RESOURCE_GROUP, TAGS

if TYPE_CHECKING:
    from collections.abc import Mapping

API_VERSION = "2025-01-01"

_CONFIGURATION = Nested(
    "ip_configuration",
    "properties.ipConfigurations",
    (
        Field("name", "name"),
        Field("subnet_id", "properties.subnet.id", equal=same_id),
        Field("private_ip_address_allocation", "properties.privateIPAllocationMethod"),
        Field("private_ip_address_version", "properties.privateIPAddressVersion", default="IPv4"),
        Field("private_ip_address", "properties.privateIPAddress"),
        Field("primary", "properties.primary", empty=False),
        Field("public_ip_address_id", "properties.publicIPAddress.id", equal=same_id),
        Field(
            "gateway_load_balancer_frontend_ip_configuration_id",
            "properties.gatewayLoadBalancer.id",
            equal=same_id,
        ),
    ),
    many=True,
    key="name",
)


class NetworkInterface(Resource):
    """Its addresses are the service's to give."""

    type_name = "azurerm_network_interface"
    title = "Network Interface"
    api_version = API_VERSION
    parts = (
        NAME,
        RESOURCE_GROUP,
        LOCATION,
        TAGS,
        Field("accelerated_networking_enabled", "properties.enableAcceleratedNetworking", empty=False),
        Field("ip_forwarding_enabled", "properties.enableIPForwarding", empty=False),
        Field("dns_servers", "properties.dnsSettings.dnsServers"),
        Field("internal_dns_name_label", "properties.dnsSettings.internalDnsNameLabel"),
        Field("applied_dns_servers", "properties.dnsSettings.appliedDnsServers", read_only=True),
        Field(
            "internal_domain_name_suffix", "properties.dnsSettings.internalDomainNameSuffix", read_only=True
        ),
        Field("mac_address", "properties.macAddress", read_only=True),
        Field("virtual_machine_id", "properties.virtualMachine.id", read_only=True),
        _CONFIGURATION,
    )

    def resource_id(self, values: Values, context: Context) -> str:
        group = f"{context.subscription}/resourceGroups/{values['resource_group_name']}"
        return f"{group}/providers/Microsoft.Network/networkInterfaces/{values['name']}"

    def template(self, values: Values) -> dict[str, Any]:
        return {"name": values["name"]}

    def values_of(self, resource_id: str, body: Mapping[str, Any], prior: Values, context: Context) -> Values:
        values = super().values_of(resource_id, body, prior, context)
        addresses = private_addresses(body)
        values["private_ip_address"] = addresses[0] if addresses else ""
        values["private_ip_addresses"] = addresses
        return values


def private_addresses(body: Mapping[str, Any]) -> list[str]:
    """The private addresses of an ARM network interface, in the order of its configurations."""
    found = (
        dig(entry, "properties.privateIPAddress") for entry in dig(body, "properties.ipConfigurations") or []
    )
    return [address for address in found if address]
