"""The objects of a tenant: what each allows and, above all, what it does not."""

from __future__ import annotations

from typing import Any

import pytest

from gpuplatform.tenants.manifests.access import role, role_binding
from gpuplatform.tenants.manifests.namespace import namespace
from gpuplatform.tenants.manifests.network import network_policies
from gpuplatform.tenants.manifests.priorities import priority_classes, priority_difference
from gpuplatform.tenants.manifests.queues import cluster_queue, resource_flavors
from gpuplatform.tenants.manifests.quota import limit_range, resource_quotas
from gpuplatform.tenants.manifests.tenant import tenant_manifests
from gpuplatform.tenants.pools import SPOT_TAINT, TenantPool, capacity_gap
from tests.tenants.requests import GROUP, tenant

T4 = TenantPool(
    name="gpu", sku="Standard_NC4as_T4_v3", model="T4", gpus_per_node=1, vcpus=4, memory_gib=28, max_nodes=3,
    taints=("sku=gpu:NoSchedule",),
)  # fmt: skip
A100_SPOT = TenantPool(
    name="spot", sku="Standard_NC48ads_A100_v4", model="A100 80GB PCIe", gpus_per_node=2, vcpus=48,
    memory_gib=440, max_nodes=4, spot=True, taints=("sku=gpu:NoSchedule", "dedicated:NoExecute"),
)  # fmt: skip


def test_order_and_kinds() -> None:
    kinds = [item["kind"] for item in tenant_manifests(tenant(), "v1beta2")]
    assert kinds == [
        "Namespace", "ResourceQuota", "ResourceQuota", "LimitRange",
        "NetworkPolicy", "NetworkPolicy", "NetworkPolicy", "Role", "RoleBinding", "LocalQueue",
    ]  # fmt: skip


def test_every_object_is_in_the_namespace_with_our_labels() -> None:
    request = tenant(shared_services=[{"namespace": "registry", "port": 5000}])
    for item in tenant_manifests(request, "v1beta2"):
        metadata = item["metadata"]
        assert (
            metadata["labels"].items()
            >= {
                "app.kubernetes.io/managed-by": "azure-gpu-platform",
                "azure-gpu-platform/team": "nlp",
                "azure-gpu-platform/environment": "dev",
                "azure-gpu-platform/cost-center": "language-1",
            }.items()
        )
        assert metadata["name"] == "team-nlp" or metadata["namespace"] == "team-nlp"


def test_without_kueue_there_is_no_queue() -> None:
    assert "LocalQueue" not in [item["kind"] for item in tenant_manifests(tenant(), None)]


def test_the_namespace_refuses_privileged_pods() -> None:
    metadata = namespace(tenant())["metadata"]
    assert metadata["labels"]["pod-security.kubernetes.io/enforce"] == "baseline"
    assert metadata["labels"]["pod-security.kubernetes.io/warn"] == "restricted"
    assert metadata["annotations"]["azure-gpu-platform/owner"] == "rui@example.com"


def may(verb: str, group: str, resource: str) -> bool:
    return any(
        verb in rule["verbs"] and group in rule["apiGroups"] and resource in rule["resources"]
        for rule in role(tenant())["rules"]
    )


@pytest.mark.parametrize(
    ("group", "resource"),
    [("", "pods"), ("", "services"), ("", "configmaps"), ("", "persistentvolumeclaims"),
     ("batch", "jobs"), ("apps", "deployments")],
)  # fmt: skip
def test_what_kubectl_apply_needs_is_granted(group: str, resource: str) -> None:
    assert all(may(verb, group, resource) for verb in ("get", "list", "create", "patch", "delete", "watch"))


@pytest.mark.parametrize(
    ("verb", "group", "resource"),
    [("get", "", "secrets"), ("create", "", "pods/exec"), ("patch", "", "resourcequotas"),
     ("delete", "", "resourcequotas"), ("patch", "", "limitranges"), ("patch", "", "namespaces"),
     ("update", "", "namespaces"), ("create", "rbac.authorization.k8s.io", "rolebindings"),
     ("delete", "networking.k8s.io", "networkpolicies"), ("create", "kueue.x-k8s.io", "localqueues"),
     ("delete", "kueue.x-k8s.io", "workloads")],
)  # fmt: skip
def test_nothing_that_moves_the_walls_is_granted(verb: str, group: str, resource: str) -> None:
    assert not may(verb, group, resource)


def test_no_rule_holds_a_wildcard() -> None:
    for rule in role(tenant())["rules"]:
        assert "*" not in [*rule["apiGroups"], *rule["resources"], *rule["verbs"]]


def test_a_member_sees_quota_queue_and_logs() -> None:
    assert may("list", "", "resourcequotas")
    assert may("get", "", "pods/log")
    assert may("watch", "", "events")
    assert may("list", "kueue.x-k8s.io", "localqueues")
    assert may("watch", "kueue.x-k8s.io", "workloads")


def test_the_role_is_bound_to_the_groups_object_id() -> None:
    binding = role_binding(tenant())
    assert binding["subjects"] == [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": GROUP}]
    assert binding["roleRef"]["name"] == role(tenant())["metadata"]["name"]


def test_the_quota_counts_gpus_where_kubernetes_enforces_it() -> None:
    hard = resource_quotas(tenant(gpus=8))[0]["spec"]["hard"]
    assert hard == {
        "requests.nvidia.com/gpu": "8",
        "requests.cpu": "8",
        "limits.cpu": "16",
        "requests.memory": "64Gi",
        "limits.memory": "128Gi",
        "requests.storage": "100Gi",
        "pods": "50",
    }


def test_only_production_may_be_production() -> None:
    quota, guard = resource_quotas(tenant())
    assert "scopeSelector" not in quota["spec"]
    assert guard["spec"] == {
        "hard": {"pods": "0"},
        "scopeSelector": {
            "matchExpressions": [
                {"scopeName": "PriorityClass", "operator": "In", "values": ["production-inference"]}
            ]
        },
    }
    assert len(resource_quotas(tenant(default_priority_class="production-inference"))) == 1


def test_defaults_never_hand_out_or_demand_gpus() -> None:
    (limit,) = limit_range(tenant())["spec"]["limits"]
    assert limit["type"] == "Container"
    assert limit.keys() == {"type", "default", "defaultRequest"}
    assert limit["default"].keys() == limit["defaultRequest"].keys() == {"cpu", "memory"}


def policies(**changes: Any) -> dict[str, dict[str, Any]]:
    return {item["metadata"]["name"]: item["spec"] for item in network_policies(tenant(**changes))}


def test_everything_is_denied_first() -> None:
    assert policies(isolation="deny-all").keys() == {"default-deny", "allow-dns"}
    assert policies()["default-deny"] == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}


def test_dns_is_allowed_over_both_protocols_to_the_resolver_only() -> None:
    (rule,) = policies()["allow-dns"]["egress"]
    assert rule["ports"] == [{"protocol": "UDP", "port": 53}, {"protocol": "TCP", "port": 53}]
    # One peer with both selectors: two peers would allow all of kube-system.
    assert rule["to"] == [
        {
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}},
            "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}},
        }
    ]


def test_the_own_namespace_is_allowed_both_ways() -> None:
    spec = policies()["allow-same-namespace"]
    assert spec["ingress"] == [{"from": [{"podSelector": {}}]}]
    assert spec["egress"] == [{"to": [{"podSelector": {}}]}]


def test_shared_services_are_allowed_by_namespace_and_port() -> None:
    spec = policies(
        shared_services=[
            {"namespace": "registry", "port": 5000},
            {"namespace": "monitoring", "port": 8125, "protocol": "UDP"},
            {"namespace": "registry", "port": 443},
        ]
    )["allow-shared-services"]
    assert spec["policyTypes"] == ["Egress"]
    assert spec["egress"] == [
        {
            "to": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}],
            "ports": [{"protocol": "UDP", "port": 8125}],
        },
        {
            "to": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "registry"}}}],
            "ports": [{"protocol": "TCP", "port": 5000}, {"protocol": "TCP", "port": 443}],
        },
    ]


def test_the_local_queue() -> None:
    queue = tenant_manifests(tenant(), "v1beta1")[-1]
    assert queue["apiVersion"] == "kueue.x-k8s.io/v1beta1"
    assert queue["metadata"]["name"] == "nlp-queue"
    assert queue["spec"] == {"clusterQueue": "gpu-cluster-queue"}


def test_flavors_tolerate_what_the_nodes_are_tainted_with() -> None:
    gpu, spot = (item["spec"] for item in resource_flavors([T4, A100_SPOT], "v1beta2"))
    assert gpu["nodeLabels"] == {"kubernetes.azure.com/agentpool": "gpu"}
    sku = {"key": "sku", "operator": "Equal", "value": "gpu", "effect": "NoSchedule"}
    assert gpu["tolerations"] == [sku]
    assert spot["tolerations"] == [
        sku,
        {"key": "dedicated", "operator": "Exists", "effect": "NoExecute"},
        {
            "key": "kubernetes.azure.com/scalesetpriority",
            "operator": "Equal",
            "value": "spot",
            "effect": "NoSchedule",
        },
    ]


def test_the_spot_taint_is_not_listed_twice() -> None:
    pool = A100_SPOT.model_copy(update={"taints": (SPOT_TAINT,)})
    assert pool.all_taints == (SPOT_TAINT,)


def test_the_cluster_queue_holds_what_the_pools_can_grow_to() -> None:
    spec = cluster_queue([T4, A100_SPOT], "v1beta2")["spec"]
    (group,) = spec["resourceGroups"]
    assert group["coveredResources"] == ["cpu", "memory", "nvidia.com/gpu"]
    assert [flavor["name"] for flavor in group["flavors"]] == ["spot", "gpu"]
    quotas = {
        flavor["name"]: [item["nominalQuota"] for item in flavor["resources"]] for flavor in group["flavors"]
    }
    assert quotas == {"spot": ["192", "1760Gi", "8"], "gpu": ["12", "84Gi", "3"]}
    for flavor in group["flavors"]:
        assert [item["name"] for item in flavor["resources"]] == group["coveredResources"]


def test_the_cluster_queue_admits_our_namespaces_and_preempts_within() -> None:
    spec = cluster_queue([T4], "v1beta2")["spec"]
    assert spec["namespaceSelector"] == {
        "matchLabels": {"app.kubernetes.io/managed-by": "azure-gpu-platform"}
    }
    assert spec["preemption"] == {"withinClusterQueue": "LowerPriority"}


def test_priority_classes_are_the_articles() -> None:
    facts = {
        item["metadata"]["name"]: (item["value"], item["globalDefault"], item["preemptionPolicy"])
        for item in priority_classes()
    }
    assert facts == {
        "production-inference": (1_000_000, False, "PreemptLowerPriority"),
        "scheduled-training": (100_000, False, "PreemptLowerPriority"),
        "exploratory": (1_000, True, "Never"),
    }


def difference(name: str, *found: dict[str, Any]) -> str | None:
    wanted = next(item for item in priority_classes() if item["metadata"]["name"] == name)
    return priority_difference(wanted, {("PriorityClass", item["metadata"]["name"]): item for item in found})


def test_a_class_as_it_should_be_is_no_difference() -> None:
    assert difference("exploratory") is None
    for item in priority_classes():
        assert difference(item["metadata"]["name"], item) is None


def test_another_value_is_reported_not_rewritten() -> None:
    found = {
        "metadata": {"name": "scheduled-training"},
        "value": 5,
        "preemptionPolicy": "PreemptLowerPriority",
    }
    text = difference("scheduled-training", found)
    assert text is not None
    assert text.startswith("its value is 5, the platform's is 100000, and it cannot be changed")


def test_an_absent_preemption_policy_is_the_servers_default() -> None:
    found = {"metadata": {"name": "exploratory"}, "value": 1_000}
    text = difference("exploratory", found)
    assert text is not None
    assert text.startswith("its preemptionPolicy is PreemptLowerPriority, the platform's is Never")


def test_a_second_default_class_is_reported() -> None:
    found = {"metadata": {"name": "legacy"}, "value": 7, "globalDefault": True}
    assert difference("exploratory", found) == (
        "the cluster's default class is legacy, and there can be one only"
    )
    assert difference("scheduled-training", found) is None


@pytest.mark.parametrize(
    ("gpus", "model", "text"),
    [
        (3, None, None),
        (11, None, None),
        (12, None, "the quota is 12 GPUs, the node pools grow to 11 GPUs in all"),
        (3, "T4", None),
        (4, "T4", "the quota is 4 GPUs, the node pools grow to 3 T4 GPUs in all"),
        (1, "A10", "no node pool has A10 GPUs: the cluster's GPU models: A100 80GB PCIe, T4"),
        (0, "A10", None),
    ],
)
def test_what_the_pools_cannot_give_is_said(gpus: int, model: str | None, text: str | None) -> None:
    assert capacity_gap(gpus, model, [T4, A100_SPOT]) == text


def test_no_pools_at_all() -> None:
    assert capacity_gap(1, None, []) == "no node pool has GPUs: the cluster's GPU models: none"
