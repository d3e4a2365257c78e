"""Replays what the Azure CLI sent, command after command: the answers must have the recorded status."""

from __future__ import annotations

import pytest

from tests.sandbox.arm.conftest import GROUP, Client
from tests.sandbox.arm.doubles import IDENTITY, network_body
from tests.sandbox.arm.recordings import RECORDINGS, load
from tests.sandbox.arm.test_compute import driver_body, vm_body
from tests.sandbox.arm.test_kubernetes_service import cluster_body, pool_body

_FILE = RECORDINGS / "az-cli.json"
_NOT_EMULATED = ("/policy", "/deployments/", "KeyVault", "ContainerRegistry", "ScaleSets")
_A100 = "Standard_NC24ads_A100_v4"

pytestmark = pytest.mark.skipif(not _FILE.exists(), reason="the recordings are not here")


async def _what_was_there(client: Client) -> None:
    """The resources that the recorded commands found."""
    for usage in ("StandardNCADSA100v4Family", "cores", "standardDSv5Family"):
        client.arm.context.quota.set_limit(IDENTITY.subscription_id, "eastus", usage, 1000)
    await client.group()
    network, compute = f"{GROUP}/providers/Microsoft.Network", f"{GROUP}/providers/Microsoft.Compute"
    subnet = {"name": "s", "properties": {"addressPrefix": "10.10.1.0/24"}}
    await client.put(f"{network}/virtualNetworks/v", network_body(subnets=[subnet]))
    await client.put(f"{network}/publicIPAddresses/pip1", {"location": "eastus", "properties": {}})
    inner = {"subnet": {"id": f"{network}/virtualNetworks/v/subnets/s"}}
    nic = {"location": "eastus", "properties": {"ipConfigurations": [{"name": "c", "properties": inner}]}}
    await client.put(f"{network}/networkInterfaces/nic1", nic)
    await client.put(
        f"{compute}/virtualMachines/gpu1", vm_body(_A100, nic=f"{network}/networkInterfaces/nic1")
    )
    await client.put(f"{compute}/virtualMachines/gpu1/extensions/NvidiaGpuDriverLinux", driver_body())
    clusters = f"{GROUP}/providers/Microsoft.ContainerService/managedClusters"
    await client.put(f"{clusters}/aks1", cluster_body())
    await client.put(f"{clusters}/aks1/agentPools/gpu", pool_body(vmSize=_A100))
    entra = cluster_body(aadProfile={"managed": True}, disableLocalAccounts=True)
    await client.put(f"{clusters}/aksaad", entra)


async def test_the_cli_would_be_content(client: Client) -> None:
    client.arm.context.operations.pace = 0.1
    await _what_was_there(client)
    replayed = 0
    for command in load(_FILE)["commands"]:
        for request in command["requests"]:
            path = request.get("path", "")
            if request.get("host") != "management.azure.com" or "{operation}" in path:
                continue
            if any(part in path for part in _NOT_EMULATED):
                continue
            query = dict(request.get("query") or {})
            version = query.pop("api-version", None)
            answer = await client.send(request["method"], path, request.get("body"), version=version, **query)
            where = f"{command['command']}: {request['method']} {path}: {answer.status} {answer.body}"
            assert answer.status == request["status"], where
            replayed += 1
            if request["method"] != "GET" and {"Azure-AsyncOperation", "Location"} & set(answer.headers):
                ended = await client.settle(answer)
                assert (ended or {}).get("status", "Succeeded") == "Succeeded", where
    assert replayed > 100
