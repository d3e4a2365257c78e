"""Resource group, network, security group, association, network interface."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.terraform_provider.errors import ProviderError
from tests.sandbox.terraform_provider.fake_azure import GROUP, FakeAzure
from tests.sandbox.terraform_provider.steps import Steps

NETWORK = f"{GROUP}/providers/Microsoft.Network"
SUBNET = f"{NETWORK}/virtualNetworks/vnet/subnets/s"
SECURITY_GROUP = f"{NETWORK}/networkSecurityGroups/nsg"

GROUP_CONFIG: dict[str, Any] = {"name": "rg", "location": "eastus", "tags": {"v": "1"}}
NETWORK_CONFIG: dict[str, Any] = {
    "name": "vnet",
    "location": "eastus",
    "resource_group_name": "rg",
    "address_space": ["10.10.0.0/16"],
    "tags": {"v": "1"},
}
SUBNET_CONFIG: dict[str, Any] = {
    "name": "s",
    "resource_group_name": "rg",
    "virtual_network_name": "vnet",
    "address_prefixes": ["10.10.1.0/24"],
}
RULE: dict[str, Any] = {
    "name": "ssh",
    "priority": 100,
    "direction": "Inbound",
    "access": "Allow",
    "protocol": "Tcp",
    "source_port_range": "*",
    "destination_port_range": "22",
    "source_address_prefix": "10.0.0.0/8",
    "destination_address_prefix": "*",
    # As Terraform sends a rule written as a block: what is not written is null.
    "description": None,
    "destination_address_prefixes": None,
    "destination_port_ranges": None,
    "source_address_prefixes": None,
    "source_port_ranges": None,
    "destination_application_security_group_ids": None,
    "source_application_security_group_ids": None,
}
SECURITY_GROUP_CONFIG: dict[str, Any] = {
    "name": "nsg",
    "location": "eastus",
    "resource_group_name": "rg",
    "security_rule": [RULE],
}
INTERFACE_CONFIG: dict[str, Any] = {
    "name": "nic",
    "location": "eastus",
    "resource_group_name": "rg",
    "ip_configuration": [
        {"name": "c1", "subnet_id": SUBNET, "private_ip_address_allocation": "Dynamic"},
    ],
}


def fill(path: str, body: dict[str, Any]) -> None:
    """What the network service adds."""
    for entry in body.get("properties", {}).get("ipConfigurations", []):
        entry["properties"].setdefault("privateIPAddress", "10.10.1.4")
    if path.endswith("/nic"):
        body["properties"]["macAddress"] = "00-0D-3A-00-00-01"


@pytest.fixture
def azure() -> FakeAzure:
    return FakeAzure(fill=fill)


def test_resource_group_life(azure: FakeAzure) -> None:
    group = Steps("azurerm_resource_group", azure)
    group.apply(GROUP_CONFIG)
    assert azure.sent("PUT") == [{"location": "eastus", "tags": {"v": "1"}}]
    assert group.differences(GROUP_CONFIG) == {}
    assert group.plan({**GROUP_CONFIG, "location": "westus3"}).replace == [("location",)]
    assert group.plan({**GROUP_CONFIG, "location": "East US"}).replace == []
    group.apply({**GROUP_CONFIG, "tags": {"v": "2"}})
    assert azure.sent("PATCH") == [{"tags": {"v": "2"}}]
    group.destroy()
    assert azure.resources == {}
    assert {r.api_version for r in azure.requests} == {"2023-07-01"}


def test_a_group_that_is_not_empty_is_not_deleted(azure: FakeAzure) -> None:
    group = Steps("azurerm_resource_group", azure)
    group.apply(GROUP_CONFIG)
    Steps("azurerm_virtual_network", azure).apply(NETWORK_CONFIG)
    with pytest.raises(ProviderError, match="the Resource Group still contains Resources"):
        group.destroy()
    group.context.features = {"resource_group": [{"prevent_deletion_if_contains_resources": False}]}
    group.destroy()
    assert GROUP not in azure.resources


def test_network_and_subnet_bodies(azure: FakeAzure) -> None:
    network, subnet = Steps("azurerm_virtual_network", azure), Steps("azurerm_subnet", azure)
    network.apply(NETWORK_CONFIG)
    subnet.apply(SUBNET_CONFIG)
    assert azure.sent("PUT") == [
        {
            "location": "eastus",
            "name": "vnet",
            "properties": {
                "addressSpace": {"addressPrefixes": ["10.10.0.0/16"]},
                "dhcpOptions": {"dnsServers": []},
                "privateEndpointVNetPolicies": "Disabled",
                "subnets": [],
            },
            "tags": {"v": "1"},
        },
        {
            "name": "s",
            "properties": {
                "addressPrefixes": ["10.10.1.0/24"],
                "defaultOutboundAccess": True,
                "delegations": [],
                "privateEndpointNetworkPolicies": "Disabled",
                "privateLinkServiceNetworkPolicies": "Enabled",
                "serviceEndpointPolicies": [],
                "serviceEndpoints": [],
                "sharingScope": "",
            },
        },
    ]
    assert network.differences(NETWORK_CONFIG) == {}
    assert subnet.differences(SUBNET_CONFIG) == {}


def test_a_change_of_the_network_keeps_its_subnets(azure: FakeAzure) -> None:
    network = Steps("azurerm_virtual_network", azure)
    network.apply(NETWORK_CONFIG)
    inside = {"id": SUBNET, "name": "s", "properties": {"addressPrefixes": ["10.10.1.0/24"]}}
    azure.resources[f"{NETWORK}/virtualNetworks/vnet"]["properties"]["subnets"] = [inside]
    network.apply({**NETWORK_CONFIG, "tags": {"v": "2"}})
    assert azure.sent("PUT")[-1]["properties"]["subnets"] == [inside]
    assert network.state is not None
    assert network.state["subnet"][0]["address_prefixes"] == ["10.10.1.0/24"]


def test_service_endpoints_and_delegations(azure: FakeAzure) -> None:
    config = {
        **SUBNET_CONFIG,
        "service_endpoint": [{"service": "Microsoft.Storage"}],
        "delegation": [{"name": "d", "service_delegation": [{"name": "Microsoft.Web/serverFarms"}]}],
    }
    subnet = Steps("azurerm_subnet", azure)
    subnet.apply(config)
    properties = azure.sent("PUT")[0]["properties"]
    assert properties["serviceEndpoints"] == [{"service": "Microsoft.Storage"}]
    assert properties["delegations"] == [
        {"name": "d", "properties": {"serviceName": "Microsoft.Web/serverFarms"}}
    ]
    assert subnet.differences(config) == {}
    subnet.apply(SUBNET_CONFIG)
    assert azure.sent("PUT")[-1]["properties"]["serviceEndpoints"] == []


def test_security_group_rule(azure: FakeAzure) -> None:
    group = Steps("azurerm_network_security_group", azure)
    group.apply(SECURITY_GROUP_CONFIG)
    assert azure.sent("PUT")[0]["properties"]["securityRules"] == [
        {
            "name": "ssh",
            "properties": {
                "access": "Allow",
                "destinationAddressPrefix": "*",
                "destinationPortRange": "22",
                "direction": "Inbound",
                "priority": 100,
                "protocol": "Tcp",
                "sourceAddressPrefix": "10.0.0.0/8",
                "sourcePortRange": "*",
            },
        }
    ]
    assert group.differences(SECURITY_GROUP_CONFIG) == {}
    rule = azure.resources[SECURITY_GROUP]["properties"]["securityRules"][0]
    rule["properties"]["sourceAddressPrefix"] = "Internet"
    assert set(group.differences(SECURITY_GROUP_CONFIG)) == {"security_rule"}


def test_association_writes_the_subnet(azure: FakeAzure) -> None:
    Steps("azurerm_subnet", azure).apply(SUBNET_CONFIG)
    config = {"subnet_id": SUBNET, "network_security_group_id": SECURITY_GROUP}
    association = Steps("azurerm_subnet_network_security_group_association", azure)
    association.apply(config)
    assert azure.resources[SUBNET]["properties"]["networkSecurityGroup"] == {"id": SECURITY_GROUP}
    assert azure.resources[SUBNET]["properties"]["addressPrefixes"] == ["10.10.1.0/24"]
    assert association.differences(config) == {}
    other = Steps("azurerm_subnet_network_security_group_association", azure)
    with pytest.raises(ProviderError, match="already exists - to be managed via Terraform"):
        other.apply(config)
    association.destroy()
    assert "networkSecurityGroup" not in azure.resources[SUBNET]["properties"]


def test_association_that_is_gone_leaves_the_state(azure: FakeAzure) -> None:
    Steps("azurerm_subnet", azure).apply(SUBNET_CONFIG)
    association = Steps("azurerm_subnet_network_security_group_association", azure)
    association.apply({"subnet_id": SUBNET, "network_security_group_id": SECURITY_GROUP})
    del azure.resources[SUBNET]["properties"]["networkSecurityGroup"]
    assert association.read() is None


def test_network_interface(azure: FakeAzure) -> None:
    interface = Steps("azurerm_network_interface", azure)
    state = interface.apply(INTERFACE_CONFIG)
    assert azure.sent("PUT")[0]["properties"] == {
        "enableAcceleratedNetworking": False,
        "enableIPForwarding": False,
        "ipConfigurations": [
            {
                "name": "c1",
                "properties": {
                    "primary": False,
                    "privateIPAddressVersion": "IPv4",
                    "privateIPAllocationMethod": "Dynamic",
                    "subnet": {"id": SUBNET},
                },
            }
        ],
    }
    assert (state["private_ip_address"], state["mac_address"]) == ("10.10.1.4", "00-0D-3A-00-00-01")
    assert interface.differences(INTERFACE_CONFIG) == {}


def test_what_exists_already_must_be_imported(azure: FakeAzure) -> None:
    Steps("azurerm_virtual_network", azure).apply(NETWORK_CONFIG)
    with pytest.raises(
        ProviderError, match=r'"azurerm_virtual_network" for more information|already exists - to be managed'
    ):
        Steps("azurerm_virtual_network", azure).apply(NETWORK_CONFIG)


def test_an_import_reads_everything_from_the_id(azure: FakeAzure) -> None:
    Steps("azurerm_virtual_network", azure).apply(NETWORK_CONFIG)
    imported = Steps("azurerm_virtual_network", azure)
    imported.state = {**imported.block.empty(), "id": f"{NETWORK}/virtualNetworks/vnet"}
    assert imported.differences(NETWORK_CONFIG) == {}
