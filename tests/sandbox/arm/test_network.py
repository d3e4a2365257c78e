"""Networks: children inline and alone, addresses, references."""

from __future__ import annotations

from typing import Any

from tests.sandbox.arm.conftest import GROUP, Client
from tests.sandbox.arm.doubles import network_body

NETWORK = f"{GROUP}/providers/Microsoft.Network"
VNET = f"{NETWORK}/virtualNetworks/v"


def rule(name: str, priority: int) -> dict[str, Any]:
    properties = {
        "priority": priority,
        "direction": "Inbound",
        "access": "Allow",
        "protocol": "Tcp",
        "sourcePortRange": "*",
        "destinationPortRange": "22",
        "sourceAddressPrefix": "*",
        "destinationAddressPrefix": "*",
    }
    return {"name": name, "properties": properties}


async def test_subnets_inline_and_alone(client: Client) -> None:
    await client.group()
    inline = [{"name": "a", "properties": {"addressPrefix": "10.10.1.0/24"}}]
    await client.put(VNET, network_body(subnets=inline))
    await client.put(f"{VNET}/subnets/b", {"properties": {"addressPrefixes": ["10.10.2.0/24"]}})

    async def names() -> list[str]:
        shown = [row["name"] for row in (await client.get(VNET)).body["properties"]["subnets"]]
        assert shown == [row["name"] for row in (await client.get(f"{VNET}/subnets")).body["value"]]
        return shown

    assert await names() == ["a", "b"]
    await client.put(VNET, network_body())
    assert await names() == ["a", "b"], "a body without subnets leaves them"
    await client.put(VNET, network_body(subnets=inline))
    assert await names() == ["a"], "a body with subnets replaces them"
    for prefix, code in (
        ("10.10.1.128/25", "NetcfgSubnetRangesOverlap"),
        ("192.168.0.0/24", "NetcfgInvalidSubnet"),
        ("10.10.1.7/24", "InvalidCIDRNotation"),
    ):
        refused = await client.send("PUT", f"{VNET}/subnets/x", {"properties": {"addressPrefix": prefix}})
        assert (refused.status, refused.code) == (400, code)
    orphan = await client.send("PUT", f"{NETWORK}/virtualNetworks/none/subnets/x", {"properties": {}})
    assert (orphan.status, orphan.code) == (404, "ParentResourceNotFound")


async def test_ids_keep_the_case_they_were_made_with(client: Client) -> None:
    await client.group("RG-Gpu")
    path = f"{NETWORK}/virtualNetworks/VNet1".replace("/resourceGroups/rg-gpu", "/resourcegroups/rg-GPU")
    made = await client.put(path, network_body())
    assert made.body["id"].endswith(
        "/resourceGroups/RG-Gpu/providers/Microsoft.Network/virtualNetworks/VNet1"
    )
    lowered = await client.get(path.lower())
    assert lowered.body["id"] == made.body["id"]
    assert (await client.put(path.lower(), network_body())).body["name"] == "VNet1"


async def test_security_groups_and_rules(client: Client) -> None:
    await client.group()
    group = f"{NETWORK}/networkSecurityGroups/nsg"
    made = await client.put(
        group, {"location": "eastus", "properties": {"securityRules": [rule("ssh", 100)]}}
    )
    assert made.body["properties"]["securityRules"][0]["properties"]["destinationPortRange"] == "22"
    assert len(made.body["properties"]["defaultSecurityRules"]) == 6
    clash = await client.send("PUT", f"{group}/securityRules/other", rule("other", 100))
    assert (clash.status, clash.code) == (400, "SecurityRuleConflict")
    assert (await client.put(f"{group}/securityRules/web", rule("web", 110))).status == 201
    assert [row["name"] for row in (await client.get(group)).body["properties"]["securityRules"]] == [
        "ssh",
        "web",
    ]
    await client.put(VNET, network_body())
    subnet = {"properties": {"addressPrefix": "10.10.1.0/24", "networkSecurityGroup": {"id": group}}}
    await client.put(f"{VNET}/subnets/a", subnet)
    assert (await client.send("DELETE", group)).code == "InUseNetworkSecurityGroupCannotBeDeleted"


async def test_addresses_are_the_same_every_time(client: Client) -> None:
    await client.group()
    await client.put(
        VNET, network_body(subnets=[{"name": "a", "properties": {"addressPrefix": "10.10.1.0/24"}}])
    )
    body = {
        "location": "eastus",
        "sku": {"name": "Standard"},
        "properties": {"publicIPAllocationMethod": "Static"},
    }
    first = await client.put(f"{NETWORK}/publicIPAddresses/p1", body)
    assert first.body["properties"]["ipAddress"] == "203.0.113.1"
    assert (await client.put(f"{NETWORK}/publicIPAddresses/p1", body)).body["properties"][
        "ipAddress"
    ] == "203.0.113.1"
    found = []
    for name in ("n1", "n2"):
        inner: dict[str, Any] = {"subnet": {"id": f"{VNET}/subnets/a"}}
        if name == "n1":
            inner["publicIPAddress"] = {"id": f"{NETWORK}/publicIPAddresses/p1"}
        nic = {"location": "eastus", "properties": {"ipConfigurations": [{"name": "c", "properties": inner}]}}
        made = await client.put(f"{NETWORK}/networkInterfaces/{name}", nic)
        found.append(made.body["properties"]["ipConfigurations"][0]["properties"]["privateIPAddress"])
    assert found == ["10.10.1.4", "10.10.1.5"]
    assert (
        await client.send("DELETE", f"{NETWORK}/publicIPAddresses/p1")
    ).code == "PublicIPAddressCannotBeDeleted"
    lost = {"subnet": {"id": f"{VNET}/subnets/none"}}
    nic = {"location": "eastus", "properties": {"ipConfigurations": [{"name": "c", "properties": lost}]}}
    assert (
        await client.send("PUT", f"{NETWORK}/networkInterfaces/n3", nic)
    ).code == "InvalidResourceReference"
