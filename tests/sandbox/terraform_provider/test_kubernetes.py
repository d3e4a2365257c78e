"""Cluster and node pools: the requests, the plan's verdicts, rotation, drift."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from sandbox.terraform_provider.errors import ProviderError
from tests.sandbox.terraform_provider.fake_azure import GROUP, FakeAzure
from tests.sandbox.terraform_provider.steps import Steps

CLUSTER = f"{GROUP}/providers/Microsoft.ContainerService/managedClusters/aks"

CLUSTER_CONFIG: dict[str, Any] = {
    "name": "aks",
    "location": "East US",
    "resource_group_name": "rg",
    "dns_prefix": "aks",
    "kubernetes_version": "1.33",
    "tags": {"v": "1"},
    "default_node_pool": [
        {
            "name": "system",
            "vm_size": "Standard_D4s_v5",
            "node_count": 2,
            "temporary_name_for_rotation": "tmp",
            "upgrade_settings": [{"max_surge": "33%"}],
        }
    ],
    "identity": [{"type": "SystemAssigned"}],
    "network_profile": [{"network_plugin": "azure", "network_policy": "calico"}],
    "node_provisioning_profile": [{"mode": "Manual"}],
}

POOL_CONFIG: dict[str, Any] = {
    "name": "gpu",
    "kubernetes_cluster_id": CLUSTER,
    "vm_size": "Standard_NC24ads_A100_v4",
    "os_disk_size_gb": 256,
    "auto_scaling_enabled": True,
    "min_count": 0,
    "max_count": 4,
    "node_taints": ["sku=gpu:NoSchedule"],
    "node_labels": {"hardware": "gpu"},
    "tags": {"v": "1"},
}


def fill(path: str, body: dict[str, Any]) -> None:
    """What AKS adds to a cluster or pool."""
    properties = body["properties"]
    properties["provisioningState"] = "Succeeded"
    pools = properties.get("agentPoolProfiles", [])
    if "/agentPools/" in path:
        pools = [properties]
    else:
        properties.setdefault("fqdn", "aks.hcp.eastus.azmk8s.io")
        properties["nodeResourceGroup"] = properties.get("nodeResourceGroup") or "MC_rg_aks_eastus"
        properties["networkProfile"].setdefault("serviceCidr", "10.0.0.0/16")
        body["identity"] = {**body["identity"], "principalId": "p", "tenantId": "t"}
    for pool in pools:
        pool.setdefault("maxPods", 110)
        pool["osDiskSizeGB"] = pool.get("osDiskSizeGB", 128)
        pool["kubeletDiskType"] = pool.get("kubeletDiskType") or "OS"
        pool["orchestratorVersion"] = pool["currentOrchestratorVersion"] = "1.33.4"
        pool["osSKU"] = "Ubuntu"


@pytest.fixture
def azure() -> FakeAzure:
    return FakeAzure(fill=fill)


@pytest.fixture
def cluster(azure: FakeAzure) -> Steps:
    steps = Steps("azurerm_kubernetes_cluster", azure)
    steps.apply(CLUSTER_CONFIG)
    return steps


@pytest.fixture
def pool(azure: FakeAzure, cluster: Steps) -> Steps:
    assert cluster.state is not None
    steps = Steps("azurerm_kubernetes_cluster_node_pool", azure)
    steps.apply(POOL_CONFIG)
    return steps


# What azurerm 5.2.0 sends for this configuration, recorded from the released provider.
RECORDED_CLUSTER = {
    "addonProfiles": {"azurepolicy": {"config": {"version": "v2"}, "enabled": False}},
    "agentPoolProfiles": [
        {
            "count": 2,
            "enableAutoScaling": False,
            "enableEncryptionAtHost": False,
            "enableFIPS": False,
            "enableNodePublicIP": False,
            "enableUltraSSD": False,
            "kubeletDiskType": "",
            "mode": "System",
            "name": "system",
            "nodeLabels": {},
            "osDiskType": "Managed",
            "osType": "Linux",
            "scaleDownMode": "Delete",
            "tags": {},
            "type": "VirtualMachineScaleSets",
            "upgradeSettings": {
                "drainTimeoutInMinutes": 0,
                "maxSurge": "33%",
                "nodeSoakDurationInMinutes": 0,
            },
            "vmSize": "Standard_D4s_v5",
        }
    ],
    "apiServerAccessProfile": {
        "disableRunCommand": False,
        "enablePrivateCluster": False,
        "enablePrivateClusterPublicFQDN": False,
    },
    "autoUpgradeProfile": {"nodeOSUpgradeChannel": "NodeImage", "upgradeChannel": "none"},
    "azureMonitorProfile": {"metrics": {"enabled": False}},
    "disableLocalAccounts": False,
    "dnsPrefix": "aks",
    "enableRBAC": True,
    "kubernetesVersion": "1.33",
    "metricsProfile": {"costAnalysis": {"enabled": False}},
    "networkProfile": {
        "advancedNetworking": {
            "enabled": False,
            "observability": {"enabled": False},
            "security": {"enabled": False},
        },
        "loadBalancerSku": "standard",
        "networkDataplane": "azure",
        "networkMode": "",
        "networkPlugin": "azure",
        "networkPolicy": "calico",
        "outboundType": "loadBalancer",
        "podCidrs": [],
        "serviceCidrs": [],
    },
    "nodeProvisioningProfile": {"defaultNodePools": "Auto", "mode": "Manual"},
    "nodeResourceGroup": "",
    "oidcIssuerProfile": {"enabled": True},
    "securityProfile": {},
    "servicePrincipalProfile": {"clientId": "msi"},
    "supportPlan": "KubernetesOfficial",
}

RECORDED_POOL = {
    "name": "gpu",
    "properties": {
        "count": 0,
        "enableAutoScaling": True,
        "enableEncryptionAtHost": False,
        "enableFIPS": False,
        "enableNodePublicIP": False,
        "enableUltraSSD": False,
        "kubeletDiskType": "",
        "maxCount": 4,
        "minCount": 0,
        "mode": "User",
        "nodeLabels": {"hardware": "gpu"},
        "nodeTaints": ["sku=gpu:NoSchedule"],
        "osDiskSizeGB": 256,
        "osDiskType": "Managed",
        "osType": "Linux",
        "scaleDownMode": "Delete",
        "scaleSetPriority": "Regular",
        "tags": {"v": "1"},
        "type": "VirtualMachineScaleSets",
        "vmSize": "Standard_NC24ads_A100_v4",
    },
}


@pytest.mark.usefixtures("cluster")
def test_cluster_body_is_the_released_providers(azure: FakeAzure) -> None:
    (body,) = azure.sent("PUT", "/aks")
    assert body["properties"] == RECORDED_CLUSTER
    assert body["sku"] == {"name": "Base", "tier": "Free"}
    assert body["location"] == "eastus"
    assert {r.api_version for r in azure.requests} == {"2025-10-01"}


@pytest.mark.usefixtures("pool")
def test_pool_body_is_the_released_providers(azure: FakeAzure) -> None:
    assert azure.sent("PUT", "/gpu") == [RECORDED_POOL]


def test_entra_profile_and_workload_identity(azure: FakeAzure) -> None:
    config = {
        **CLUSTER_CONFIG,
        "local_account_disabled": True,
        "workload_identity_enabled": True,
        "azure_active_directory_role_based_access_control": [{"azure_rbac_enabled": True}],
    }
    steps = Steps("azurerm_kubernetes_cluster", azure)
    steps.apply(config)
    properties = azure.sent("PUT")[0]["properties"]
    assert properties["aadProfile"] == {
        "adminGroupObjectIDs": [],
        "enableAzureRBAC": True,
        "managed": True,
        "tenantID": "",
    }
    assert properties["securityProfile"] == {"workloadIdentity": {"enabled": True}}
    assert steps.differences(config) == {}


def test_no_change_after_apply(cluster: Steps, pool: Steps) -> None:
    assert cluster.differences(CLUSTER_CONFIG) == {}
    assert pool.differences(POOL_CONFIG) == {}


def test_kubeconfig_is_in_the_state(cluster: Steps) -> None:
    assert cluster.state is not None
    assert cluster.state["kube_config"][0]["host"] == "https://aks.hcp.eastus.azmk8s.io:443"
    assert cluster.state["kube_admin_config"] == []


def test_scaling_the_default_pool_writes_the_pool_alone(azure: FakeAzure, cluster: Steps) -> None:
    config = copy.deepcopy(CLUSTER_CONFIG)
    config["default_node_pool"][0]["node_count"] = 3
    azure.resources[f"{CLUSTER}/agentPools/system"] = {}
    cluster.apply(config)
    assert len(azure.sent("PUT", "/aks")) == 1
    assert azure.sent("PUT", "/agentPools/system")[0]["properties"]["count"] == 3


def test_tag_change_sends_no_read_only_identity(azure: FakeAzure, cluster: Steps) -> None:
    cluster.apply({**CLUSTER_CONFIG, "tags": {"v": "2"}})
    body = azure.sent("PUT", "/aks")[-1]
    assert body["tags"] == {"v": "2"}
    assert body["identity"] == {"type": "SystemAssigned"}


@pytest.mark.parametrize(
    ("name", "value"),
    [("vm_size", "Standard_NC48ads_A100_v4"), ("os_disk_size_gb", 512), ("zones", ["1"]), ("max_pods", 50)],
)
def test_rebuilding_a_pool_is_an_update(azure: FakeAzure, pool: Steps, name: str, value: Any) -> None:
    config = {**POOL_CONFIG, name: value, "temporary_name_for_rotation": "gputmp"}
    assert pool.plan(config).replace == []
    before = len(azure.requests)
    pool.apply(config)
    writes = [
        (r.method, r.path.rpartition("/")[2])
        for r in azure.requests[before:]
        if r.method in ("PUT", "DELETE")
    ]
    assert writes == [("PUT", "gputmp"), ("DELETE", "gpu"), ("PUT", "gpu"), ("DELETE", "gputmp")]
    assert "provisioningState" not in azure.sent("PUT", "/gpu")[-1]["properties"]
    assert pool.differences(config) == {}


def test_rotation_needs_a_temporary_name(pool: Steps) -> None:
    with pytest.raises(
        ProviderError, match=r"`temporary_name_for_rotation` must be specified .* \[\"vm_size\"\]"
    ):
        pool.apply({**POOL_CONFIG, "vm_size": "Standard_NC48ads_A100_v4"})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gpu_driver", "None"),
        ("gpu_instance", "MIG1g"),
        ("priority", "Spot"),
        ("capacity_reservation_group_id", "/subscriptions/x/resourceGroups/y/providers/z/groups/g"),
        ("name", "gpu2"),
    ],
)
def test_attributes_that_replace_a_pool(pool: Steps, name: str, value: Any) -> None:
    assert pool.plan({**POOL_CONFIG, name: value}).replace == [(name,)]


def test_lowering_the_maximum_is_an_update_that_clamps_the_count(azure: FakeAzure, pool: Steps) -> None:
    path = f"{CLUSTER}/agentPools/gpu"
    azure.resources[path]["properties"]["count"] = 4
    pool.read()
    pool.apply({**POOL_CONFIG, "max_count": 2})
    assert azure.sent("PUT", "/gpu")[-1]["properties"]["count"] == 2


def test_autoscaler_changes_are_no_difference_but_label_drift_is(azure: FakeAzure, pool: Steps) -> None:
    properties = azure.resources[f"{CLUSTER}/agentPools/gpu"]["properties"]
    properties["count"] = 3
    assert pool.differences(POOL_CONFIG) == {}
    properties["nodeLabels"] = {"hardware": "cpu"}
    assert pool.differences(POOL_CONFIG) == {"node_labels": ({"hardware": "cpu"}, {"hardware": "gpu"})}


def test_what_is_taken_out_of_the_configuration_goes(azure: FakeAzure, pool: Steps) -> None:
    more = {**POOL_CONFIG, "upgrade_settings": [{"max_surge": "1"}], "orchestrator_version": "1.33.4"}
    pool.apply(more)
    less = {k: v for k, v in POOL_CONFIG.items() if k not in ("node_taints", "tags")}
    pool.apply(less)
    properties = azure.sent("PUT", "/gpu")[-1]["properties"]
    assert "nodeTaints" not in properties
    assert "upgradeSettings" not in properties
    assert properties["tags"] == {}
    assert properties["orchestratorVersion"] == "1.33.4"
    assert pool.differences(less) == {}


def test_a_deleted_pool_leaves_the_state(azure: FakeAzure, pool: Steps) -> None:
    del azure.resources[f"{CLUSTER}/agentPools/gpu"]
    assert pool.read() is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_count": None}, "must be configured when `auto_scaling_enabled` is set to `true`"),
        ({"min_count": 5}, "`max_count` must be >= `min_count`"),
        ({"auto_scaling_enabled": False}, "must be set to `null` when `auto_scaling_enabled`"),
        ({"eviction_policy": "Delete"}, "can only be set when `priority` is set to `Spot`"),
    ],
)
def test_refusals_at_plan(azure: FakeAzure, change: dict[str, Any], message: str) -> None:
    steps = Steps("azurerm_kubernetes_cluster_node_pool", azure)
    with pytest.raises(ProviderError, match=message):
        steps.plan({**POOL_CONFIG, **change})


@pytest.mark.usefixtures("cluster")
def test_spot_pool_sends_price_and_eviction(azure: FakeAzure) -> None:
    config = {**POOL_CONFIG, "priority": "Spot", "eviction_policy": "Delete", "spot_max_price": -1}
    steps = Steps("azurerm_kubernetes_cluster_node_pool", azure)
    steps.apply(config)
    properties = azure.sent("PUT", "/gpu")[-1]["properties"]
    assert properties["spotMaxPrice"] == -1
    assert properties["scaleSetEvictionPolicy"] == "Delete"
    assert steps.differences(config) == {}
