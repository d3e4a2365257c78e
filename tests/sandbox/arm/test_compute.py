"""VMs, their driver extension, Run Command, quota, SKUs, capacity reservations."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox.arm.conftest import GROUP, SUBSCRIPTION, Client
from tests.sandbox.arm.doubles import network_body

COMPUTE = f"{GROUP}/providers/Microsoft.Compute"
NETWORK = f"{GROUP}/providers/Microsoft.Network"
VM = f"{COMPUTE}/virtualMachines/gpu1"
DRIVER = f"{VM}/extensions/NvidiaGpuDriverLinux"
USAGES = f"{SUBSCRIPTION}/providers/Microsoft.Compute/locations/eastus/usages"


def driver_body(**properties: Any) -> dict[str, Any]:
    base = {"publisher": "Microsoft.HpcCompute", "type": "NvidiaGpuDriverLinux", "typeHandlerVersion": "1.9"}
    return {"location": "eastus", "properties": {**base, "autoUpgradeMinorVersion": True, **properties}}


def vm_body(size: str = "Standard_NC4as_T4_v3", nic: str | None = None, **properties: Any) -> dict[str, Any]:
    interfaces = [{"id": nic}] if nic else []
    return {
        "location": "eastus",
        "properties": {
            "hardwareProfile": {"vmSize": size},
            "storageProfile": {"osDisk": {"createOption": "FromImage"}},
            "osProfile": {
                "computerName": "gpu1",
                "adminUsername": "azureuser",
                "adminPassword": "not-kept-9",
            },
            "networkProfile": {"networkInterfaces": interfaces},
            **properties,
        },
    }


async def run(client: Client, *script: str) -> tuple[str, str]:
    """The code and the message of a script's result, by way of the operation's output and its Location."""
    started = await client.send(
        "POST", f"{VM}/runCommand", {"commandId": "RunShellScript", "script": list(script)}
    )
    assert started.status == 202
    ended = await client.settle(started)
    value = ended["properties"]["output"]["value"][0]
    path, _, query = started.headers["Location"].removeprefix("https://management.azure.com").partition("?")
    parameters = dict(pair.split("=", 1) for pair in query.split("&"))
    result = await client.send("GET", path, version=parameters.pop("api-version"), **parameters)
    assert result.body["value"][0] == value
    return value["code"], value["message"]


async def test_a_gpu_machine_from_network_to_driver(client: Client) -> None:
    await client.group()
    await client.put(
        f"{NETWORK}/virtualNetworks/v",
        network_body(subnets=[{"name": "s", "properties": {"addressPrefix": "10.10.1.0/24"}}]),
    )
    subnet = f"{NETWORK}/virtualNetworks/v/subnets/s"
    configuration = {"name": "c1", "properties": {"subnet": {"id": subnet}}}
    nic = f"{NETWORK}/networkInterfaces/nic1"
    made = await client.put(nic, {"location": "eastus", "properties": {"ipConfigurations": [configuration]}})
    assert made.body["properties"]["ipConfigurations"][0]["properties"]["privateIPAddress"] == "10.10.1.4"
    answer = await client.put(VM, vm_body(nic=nic))
    assert answer.status == 201
    machine = (await client.get(VM)).body
    assert machine["properties"]["hardwareProfile"]["vmSize"] == "Standard_NC4as_T4_v3"
    assert "adminPassword" not in machine["properties"]["osProfile"]
    disk = await client.get(machine["properties"]["storageProfile"]["osDisk"]["managedDisk"]["id"])
    assert disk.body["properties"]["diskState"] == "Attached"
    assert (await client.send("DELETE", nic)).code == "NicInUse"
    assert (await client.send("DELETE", subnet)).code == "InUseSubnetCannotBeDeleted"

    code, message = await run(client, "nvidia-smi --query-gpu=name --format=csv; echo rc=$?")
    assert code == "ProvisioningState/succeeded"
    assert "[stdout]\nrc=127\n" in message
    assert "script.sh: 1: nvidia-smi: not found" in message

    started = await client.send("PUT", DRIVER, driver_body())
    assert started.status == 201
    view = (await client.get(VM, **{"$expand": "instanceView"})).body["properties"]["instanceView"]
    assert view["extensions"][0]["statuses"] is None
    assert (await client.settle(started))["status"] == "Succeeded"
    view = (await client.get(f"{VM}/instanceView")).body
    extension = view["extensions"][0]
    assert extension["type"] == "Microsoft.HpcCompute.NvidiaGpuDriverLinux"
    assert extension["typeHandlerVersion"] == "1.11.0.0"
    assert extension["statuses"][0]["code"] == "ProvisioningState/succeeded"
    assert [row["code"] for row in view["statuses"]] == ["ProvisioningState/succeeded", "PowerState/running"]

    query = "nvidia-smi --query-gpu=index,name,driver_version,memory.total --format=csv,noheader; echo rc=$?"
    code, message = await run(client, query)
    assert "[stdout]\n0, Tesla T4, 580.95.05, 15360 MiB\nrc=0\n\n[stderr]\n" in message

    listed = await client.get(f"{COMPUTE}/virtualMachines")
    assert [set(row) for row in listed.body["value"][0]["resources"]] == [{"id"}]
    assert set((await client.get(VM)).body["resources"][0]) > {"id", "properties"}
    assert (await client.delete(VM)).status == 202
    assert (await client.get(DRIVER)).status == 404
    assert (await client.delete(nic)).status == 202


async def test_power_states_and_one_command_at_a_time(client: Client) -> None:
    await client.group()
    await client.put(VM, vm_body())
    body = {"commandId": "RunShellScript", "script": ["echo hi"]}
    first = await client.send("POST", f"{VM}/runCommand", body)
    second = await client.send("POST", f"{VM}/runCommand", body)
    assert (second.status, second.code) == (409, "Conflict")
    await client.settle(first)
    await client.settle(await client.send("POST", f"{VM}/deallocate"))
    view = (await client.get(f"{VM}/instanceView")).body
    assert view["statuses"][1]["code"] == "PowerState/deallocated"
    assert view["vmAgent"]["statuses"][0]["displayStatus"] == "Not Ready"
    assert (await client.send("POST", f"{VM}/runCommand", body)).code == "OperationNotAllowed"
    await client.settle(await client.send("POST", f"{VM}/start"))
    assert (await client.get(f"{VM}/instanceView")).body["statuses"][1]["code"] == "PowerState/running"
    absent = await client.send("POST", f"{COMPUTE}/virtualMachines/nope/runCommand", body)
    assert (absent.status, absent.code) == (404, "ResourceNotFound")


async def test_output_keeps_its_last_4096_bytes(client: Client) -> None:
    await client.group()
    await client.put(VM, vm_body())
    _, message = await run(client, *(f"echo {number:05d}-{'x' * 90}" for number in range(60)), "exit 3")
    head, _, rest = message.partition("[stdout]\n")
    assert head == "Enable failed: failed to execute command: command terminated with exit status=3\n"
    stdout = rest.partition("\n[stderr]\n")[0]
    assert len(stdout) == 4096
    assert "00059-" in stdout
    assert "00000-" not in stdout


@pytest.mark.parametrize(
    ("properties", "status", "code"),
    [
        ({"type": "NvidiaDriver"}, 404, "ArtifactNotFound"),
        ({"publisher": "Contoso"}, 404, "ArtifactNotFound"),
        ({"typeHandlerVersion": "1.99"}, 404, "ArtifactVersionNotFound"),
        ({"typeHandlerVersion": 1.9}, 400, "InvalidParameter"),
    ],
)
async def test_wrong_extensions_are_refused(
    client: Client, properties: dict[str, Any], status: int, code: str
) -> None:
    await client.group()
    await client.put(VM, vm_body())
    answer = await client.send("PUT", DRIVER, driver_body(**properties))
    assert (answer.status, answer.code) == (status, code)


async def test_the_driver_fails_without_a_gpu(client: Client) -> None:
    await client.group()
    await client.put(VM, vm_body("Standard_D4s_v5"))
    ended = await client.settle(await client.send("PUT", DRIVER, driver_body()))
    assert ended["status"] == "Failed"
    assert ended["error"]["code"] == "VMExtensionProvisioningError"
    view = (await client.get(DRIVER, **{"$expand": "instanceView"})).body["properties"]
    assert view["provisioningState"] == "Failed"
    assert view["instanceView"]["statuses"][0]["code"].startswith("ProvisioningState/failed")


async def test_secure_boot_keeps_the_driver_from_loading(client: Client) -> None:
    await client.group()
    security = {"securityType": "TrustedLaunch", "uefiSettings": {"secureBootEnabled": True}}
    await client.put(VM, vm_body(securityProfile=security))
    await client.put(DRIVER, driver_body())
    _, message = await run(client, "nvidia-smi -L; echo rc=$?; mokutil --sb-state")
    assert "couldn't communicate with the NVIDIA driver" in message
    assert "rc=9\nSecureBoot enabled" in message


async def test_quota_is_counted_and_enforced(client: Client) -> None:
    await client.group()
    await client.put(VM, vm_body("Standard_NC24ads_A100_v4"))
    rows: list[dict[str, Any]] = []
    query: dict[str, str] = {}
    for _ in range(9):
        listed = await client.get(USAGES, **query)
        rows += listed.body["value"]
        if "nextLink" not in listed.body:
            break
        query = {"$skiptoken": listed.body["nextLink"].rsplit("$skiptoken=", 1)[1]}
    assert len(rows) > 40, "one page is not all"
    usages = {row["name"]["value"]: (row["currentValue"], row["limit"]) for row in rows}
    assert usages["StandardNCADSA100v4Family"] == (24, 48)
    assert usages["cores"] == (24, 350)
    assert usages["virtualMachines"] == (1, 25000)
    assert usages["lowPriorityCores"] == (0, 3)
    assert usages["Standard NCASv3_T4 Family"] == (0, 64)
    refused = await client.send("PUT", f"{VM}b", vm_body("Standard_NC48ads_A100_v4"))
    assert (refused.status, refused.code) == (409, "OperationNotAllowed")
    assert (
        "Current Limit: 48, Current Usage: 24, Additional Required: 48, (Minimum) New Limit Required: 72"
        in refused.message
    )
    nowhere = await client.get(USAGES.replace("eastus", "jioindiacentral"))
    assert (nowhere.status, nowhere.code) == (400, "NoRegisteredProviderFound")
    client.arm.context.quota.set_limit(
        SUBSCRIPTION.rsplit("/", 1)[-1], "eastus", "StandardNCADSA100v4Family", 72
    )
    assert (await client.put(f"{VM}b", vm_body("Standard_NC48ads_A100_v4"))).status == 201


async def test_skus_have_restrictions_and_the_gpu_quirks(client: Client) -> None:
    path = f"{SUBSCRIPTION}/providers/Microsoft.Compute/skus"
    listed = await client.get(path, **{"$filter": "location eq 'eastus'"})
    skus = {row["name"]: row for row in listed.body["value"]}
    assert {tuple(row["locations"]) for row in listed.body["value"]} == {("eastus",)}
    t4 = {row["name"]: row["value"] for row in skus["Standard_NC4as_T4_v3"]["capabilities"]}
    assert (t4["vCPUs"], t4["GPUs"], t4["MemoryGB"]) == ("4", "1", "28")
    gb200 = {row["name"] for row in skus["Standard_ND128isr_NDR_GB200_v6"]["capabilities"]}
    assert "GPUs" not in gb200
    assert skus["Standard_ND96isr_H100_v5"]["restrictions"][0]["type"] == "Location"
    assert skus["Standard_NC6s_v3"]["restrictions"][0]["restrictionInfo"]["zones"] == ["1", "2", "3"]
    await client.group()
    refused = await client.send("PUT", VM, vm_body("Standard_ND96isr_H100_v5"))
    assert (refused.status, refused.code) == (409, "SkuNotAvailable")
    assert (await client.send("PUT", VM, vm_body("Standard_Made_Up"))).code == "InvalidParameter"


async def test_capacity_reservations_take_quota_and_show_their_use(client: Client) -> None:
    await client.group()
    group = f"{COMPUTE}/capacityReservationGroups/crg"
    reservation = f"{group}/capacityReservations/cr"
    assert (await client.put(group, {"location": "eastus"})).status == 201
    body = {"location": "eastus", "sku": {"name": "Standard_NC24ads_A100_v4", "capacity": 2}}
    assert (await client.put(reservation, body)).status == 201

    async def used() -> int:
        for row in (await client.get(USAGES)).body["value"]:
            if row["name"]["value"] == "StandardNCADSA100v4Family":
                return int(row["currentValue"])
        raise AssertionError("the family is not on the first page")

    assert await used() == 48
    reserved = {"capacityReservationGroup": {"id": group}}
    assert (
        await client.put(VM, vm_body("Standard_NC24ads_A100_v4", capacityReservation=reserved))
    ).status == 201
    assert await used() == 48, "the machine uses what was reserved"
    view = (await client.get(reservation, **{"$expand": "instanceView"})).body["properties"]["instanceView"]
    assert view["utilizationInfo"]["currentCapacity"] == 2
    assert [row["id"] for row in view["utilizationInfo"]["virtualMachinesAllocated"]] == [VM]
    assert (await client.send("DELETE", group)).code == "OperationNotAllowed"
    more = await client.send(
        "PATCH", reservation, {"sku": {"name": "Standard_NC24ads_A100_v4", "capacity": 3}}
    )
    assert more.code == "OperationNotAllowed"
    nd = {"location": "eastus", "sku": {"name": "Standard_ND40rs_v2", "capacity": 1}}
    assert "not supported" in (await client.send("PUT", f"{group}/capacityReservations/nd", nd)).message
