"""AKS: clusters, pools, nodes, credentials, quota."""

from __future__ import annotations

import base64
from typing import Any, cast

import yaml

from sandbox.arm.authorization import AKS_SERVER
from tests.sandbox.arm.conftest import GROUP, SUBSCRIPTION, Client
from tests.sandbox.arm.doubles import OWNER, STRANGER, principal

CLUSTER = f"{GROUP}/providers/Microsoft.ContainerService/managedClusters/aks1"
ADMINS = "99999999-9999-9999-9999-999999999999"


def cluster_body(**properties: Any) -> dict[str, Any]:
    pool = {"name": "system", "count": 2, "vmSize": "Standard_D4s_v5", "mode": "System"}
    return {
        "location": "eastus",
        "identity": {"type": "SystemAssigned"},
        "properties": {
            "dnsPrefix": "aks1",
            "kubernetesVersion": "1.33",
            "agentPoolProfiles": [pool],
            **properties,
        },
    }


def pool_body(**properties: Any) -> dict[str, Any]:
    base = {
        "vmSize": "Standard_NC4as_T4_v3",
        "mode": "User",
        "count": 1,
        "nodeTaints": ["sku=gpu:NoSchedule"],
    }
    return {"properties": {**base, **properties}}


async def test_a_cluster_with_pools_makes_nodes(client: Client) -> None:
    await client.group()
    made = await client.send("PUT", CLUSTER, cluster_body())
    assert made.status == 201
    assert made.body["properties"]["provisioningState"] == "Creating"
    assert not client.clusters.nodes
    conflict = await client.send("PUT", CLUSTER, cluster_body())
    assert (conflict.status, conflict.code) == (409, "OperationNotAllowed")
    assert (await client.settle(made))["status"] == "Succeeded"

    shown = (await client.get(CLUSTER)).body
    properties = shown["properties"]
    host = properties["fqdn"]
    assert host.startswith("aks1-")
    assert host.endswith(".hcp.eastus.azmk8s.io")
    assert len(host.split(".")[0]) == len("aks1-") + 8
    assert properties["currentKubernetesVersion"] == "1.33.5"
    assert properties["kubernetesVersion"] == "1.33"
    assert shown["identity"]["principalId"]
    assert client.clusters.versions[host] == "1.33.5"
    assert [node.mode for node in client.clusters.nodes[host]] == ["System", "System"]
    group = await client.get(f"{SUBSCRIPTION}/resourceGroups/{properties['nodeResourceGroup']}")
    assert group.body["managedBy"] == CLUSTER

    await client.put(
        f"{CLUSTER}/agentPools/gpu", pool_body(count=2, availabilityZones=["1", "2"], nodeLabels={"a": "b"})
    )
    nodes = [node for node in client.clusters.nodes[host] if node.pool == "gpu"]
    assert [node.name[-10:] for node in nodes] == ["vmss000000", "vmss000001"]
    assert nodes[0].name.startswith("aks-gpu-")
    assert (nodes[0].gpus, nodes[0].gpu_model, nodes[0].cpus, nodes[0].memory_mib) == (1, "T4", 4, 28 * 1024)
    assert nodes[0].taints == ("sku=gpu:NoSchedule",)
    assert [node.zone for node in nodes] == ["eastus-1", "eastus-2"]
    labels = nodes[0].labels
    assert labels["agentpool"] == labels["kubernetes.azure.com/agentpool"] == "gpu"
    assert labels["kubernetes.azure.com/accelerator"] == labels["accelerator"] == "nvidia"
    assert labels["node.kubernetes.io/instance-type"] == "Standard_NC4as_T4_v3"
    assert (labels["topology.kubernetes.io/region"], labels["a"]) == ("eastus", "b")
    inline = (await client.get(CLUSTER)).body["properties"]["agentPoolProfiles"]
    assert [pool["name"] for pool in inline] == ["gpu", "system"]

    assert (await client.delete(f"{CLUSTER}/agentPools/gpu")).status == 202
    assert {node.pool for node in client.clusters.nodes[host]} == {"system"}
    last = await client.send("DELETE", f"{CLUSTER}/agentPools/system")
    assert (last.status, last.code) == (400, "OperationNotAllowed")
    assert (await client.delete(CLUSTER)).status == 202
    assert host not in client.clusters.nodes
    assert (await client.get(CLUSTER)).status == 404
    assert (
        await client.get(f"{SUBSCRIPTION}/resourceGroups/{properties['nodeResourceGroup']}")
    ).status == 404


async def test_autoscaling_spot_and_driver(client: Client) -> None:
    await client.group()
    await client.put(CLUSTER, cluster_body())
    host = (await client.get(CLUSTER)).body["properties"]["fqdn"]
    bounds = {"enableAutoScaling": True, "minCount": 0, "maxCount": 4}
    gpu = await client.put(f"{CLUSTER}/agentPools/gpu", pool_body(count=0, **bounds))
    assert gpu.body["properties"]["count"] == 0
    clamped = await client.put(f"{CLUSTER}/agentPools/gpu", pool_body(count=9, **bounds))
    assert clamped.body["properties"]["count"] == 4
    wrong = await client.send(
        "PUT", f"{CLUSTER}/agentPools/x", pool_body(enableAutoScaling=True, minCount=3, maxCount=1)
    )
    assert (wrong.status, wrong.code) == (400, "InvalidParameter")

    client.arm.context.quota.set_limit(SUBSCRIPTION.rsplit("/", 1)[-1], "eastus", "lowPriorityCores", 8)
    spot = await client.put(f"{CLUSTER}/agentPools/spot", pool_body(scaleSetPriority="Spot"))
    key = "kubernetes.azure.com/scalesetpriority"
    assert spot.body["properties"]["nodeLabels"] == {key: "spot"}
    assert f"{key}=spot:NoSchedule" in spot.body["properties"]["nodeTaints"]
    assert spot.body["properties"]["scaleSetEvictionPolicy"] == "Delete"
    bare = await client.put(f"{CLUSTER}/agentPools/bare", pool_body(gpuProfile={"driver": "None"}))
    assert bare.status == 201
    by_pool = {node.pool: node for node in client.clusters.nodes[host]}
    assert by_pool["spot"].spot
    assert by_pool["bare"].gpus == 0
    fixed = await client.send("PUT", f"{CLUSTER}/agentPools/bare", pool_body(vmSize="Standard_NC8as_T4_v3"))
    assert (fixed.status, fixed.code) == (400, "PropertyChangeNotAllowed")


async def test_pools_are_checked_against_the_quota(client: Client) -> None:
    await client.group()
    await client.put(CLUSTER, cluster_body())
    refused = await client.send("PUT", f"{CLUSTER}/agentPools/gpu", pool_body(count=17))
    assert (refused.status, refused.code) == (400, "ErrCode_InsufficientVCPUQuota")
    assert "requested 68, remaining 64" in refused.message
    spot = await client.send("PUT", f"{CLUSTER}/agentPools/spot", pool_body(scaleSetPriority="Spot"))
    assert "remaining 3 for family lowPriorityCores" in spot.message
    assert (await client.get(f"{CLUSTER}/agentPools/gpu")).status == 404
    both = cluster_body()
    both["properties"]["agentPoolProfiles"].append(
        {"name": "gpu", "count": 30, "vmSize": "Standard_NC4as_T4_v3"}
    )
    assert (await client.send("PUT", CLUSTER + "2", both)).code == "ErrCode_InsufficientVCPUQuota"
    assert (await client.get(CLUSTER + "2")).status == 404
    usages = await client.get(f"{SUBSCRIPTION}/providers/Microsoft.Compute/locations/eastus/usages")
    cores = {row["name"]["value"]: row["currentValue"] for row in usages.body["value"]}
    assert cores["cores"] == 8


async def test_bad_clusters_are_refused(client: Client) -> None:
    await client.group()
    for change, code in (
        ({"kubernetesVersion": "1.19"}, "K8sVersionNotSupported"),
        ({"agentPoolProfiles": []}, "InvalidParameter"),
        (
            {"agentPoolProfiles": [{"name": "Bad-Name", "count": 1, "vmSize": "Standard_D4s_v5"}]},
            "InvalidParameter",
        ),
        (
            {"agentPoolProfiles": [{"name": "a", "count": "two", "vmSize": "Standard_D4s_v5"}]},
            "InvalidParameter",
        ),
        ({"agentPoolProfiles": [{"name": "a", "count": 1, "vmSize": "Standard_Z9"}]}, "InvalidParameter"),
    ):
        answer = await client.send("PUT", CLUSTER, cluster_body(**change))
        assert (answer.status, answer.code) == (400, code), change
    assert (await client.get(f"{SUBSCRIPTION}/resources")).body["value"] == []


def kubeconfig(answer: Any) -> dict[str, Any]:
    text = base64.b64decode(answer.body["kubeconfigs"][0]["value"]).decode()
    return cast("dict[str, Any]", yaml.safe_load(text))


async def test_credentials_of_a_cluster_with_local_accounts(client: Client) -> None:
    await client.group()
    await client.put(CLUSTER, cluster_body())
    host = (await client.get(CLUSTER)).body["properties"]["fqdn"]
    config = kubeconfig(await client.send("POST", f"{CLUSTER}/listClusterAdminCredential"))
    assert config["clusters"][0]["cluster"]["server"] == f"https://{host}:443"
    assert base64.b64decode(config["clusters"][0]["cluster"]["certificate-authority-data"]) == b"CA"
    assert config["current-context"] == "aks1"
    token = config["users"][0]["user"]["token"]
    user = client.arm.local_account(host, token)
    assert user is not None
    assert "system:masters" in user.groups
    assert client.arm.local_account(host, token + "x") is None
    assert (
        client.arm.data_plane.kubernetes_groups(principal(OWNER.object_id, audience=AKS_SERVER), host) is None
    )


async def test_credentials_of_an_entra_cluster(client: Client) -> None:
    await client.group()
    profile = {"managed": True, "enableAzureRBAC": True, "adminGroupObjectIDs": [ADMINS]}
    await client.put(CLUSTER, cluster_body(aadProfile=profile, disableLocalAccounts=True))
    host = (await client.get(CLUSTER)).body["properties"]["fqdn"]
    refused = await client.send("POST", f"{CLUSTER}/listClusterAdminCredential")
    assert (refused.status, refused.code) == (400, "BadRequest")
    config = kubeconfig(await client.send("POST", f"{CLUSTER}/listClusterUserCredential", format="exec"))
    execution = config["users"][0]["user"]["exec"]
    assert execution["command"] == "kubelogin"
    assert execution["args"][execution["args"].index("--server-id") + 1] == AKS_SERVER

    groups = client.arm.data_plane.kubernetes_groups
    assert groups(principal("a" * 8, "team", audience=AKS_SERVER), host) == ("team", "system:authenticated")
    assert groups(principal("a" * 8, ADMINS, audience=AKS_SERVER), host) == (
        "system:masters",
        "system:authenticated",
    )
    assert groups(OWNER, host) is None, "a token for ARM is not one for the cluster"
    assert groups(principal("a" * 8, audience=AKS_SERVER), "other.hcp.eastus.azmk8s.io") is None
    definitions = f"{SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions"
    role = f"{definitions}/b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b"
    body = {"properties": {"principalId": STRANGER.object_id, "roleDefinitionId": role}}
    name = "8489d2d6-3588-4e9b-b898-4505375cb83a"
    await client.put(f"{CLUSTER}/providers/Microsoft.Authorization/roleAssignments/{name}", body)
    assert groups(principal(STRANGER.object_id, audience=AKS_SERVER), host) == (
        "system:masters",
        "system:authenticated",
    )


async def test_versions_and_maintenance(client: Client) -> None:
    listed = await client.get(
        f"{SUBSCRIPTION}/providers/Microsoft.ContainerService/locations/eastus/kubernetesVersions"
    )
    assert [row["version"] for row in listed.body["values"] if row["isDefault"]] == ["1.33"]
    await client.group()
    await client.put(CLUSTER, cluster_body())
    assert (await client.get(f"{CLUSTER}/maintenanceConfigurations/default")).code == "ResourceNotFound"
    profile = await client.get(f"{CLUSTER}/upgradeProfiles/default")
    upgrades = profile.body["properties"]["controlPlaneProfile"]["upgrades"]
    assert {"kubernetesVersion": "1.34.1"} in upgrades
