"""Applying a tenant: what is reported, what is left alone, what stops and what does not."""

from __future__ import annotations

import time
from typing import Any

import pytest

from gpuplatform.environments import EnvironmentName
from gpuplatform.errors import Conflict, PlatformError, Retryable
from gpuplatform.settings import Settings
from gpuplatform.tenants.manifests.tenant import tenant_manifests
from gpuplatform.tenants.onboarding import apply_tenant
from gpuplatform.tenants.preparation import apply_platform
from gpuplatform.tenants.request import TenantRequest
from gpuplatform.tenants.results import ObjectResult, Outcome, Tenancy, TenantOutcome
from tests.tenants.memory_cluster import MemoryCluster
from tests.tenants.requests import tenant
from tests.tenants.test_manifests import A100_SPOT, T4

LIMITS = Settings(tenant_timeout_seconds=0.2, queue_timeout_seconds=0.1)
TENANCY = Tenancy(
    environment=EnvironmentName.DEV, resource_group="rg-ai-dev", cluster_name="aks-ai-dev",
    cluster_id="/x", kueue_version="v1beta2", network_engine=True, pools=(T4,),
)  # fmt: skip

OVER_USE = (
    "3 GPUs are in use, 2 more than the quota of 1: running pods stay, new ones are refused until the use"
    " falls"
)


@pytest.fixture
def cluster() -> MemoryCluster:
    return MemoryCluster()


def onboard(
    cluster: MemoryCluster, request: TenantRequest, log: list[str] | None = None, tenancy: Tenancy = TENANCY
) -> TenantOutcome:
    return apply_tenant(cluster, tenancy, request, LIMITS, (log if log is not None else []).append)


def by_name(results: Any) -> dict[str, ObjectResult]:
    return {item.name: item for item in results}


def test_a_new_tenant(cluster: MemoryCluster) -> None:
    log: list[str] = []
    outcome = onboard(cluster, tenant(), log)
    assert {item.outcome for item in outcome.objects} == {Outcome.CREATED}
    assert len(outcome.objects) == 10
    assert (outcome.failures, outcome.notes) == ((), ())
    assert log[0] == "Namespace team-nlp: created"
    assert len(log) == 10
    assert cluster.writes()[0] == ("apply", "Namespace", "team-nlp")


def test_the_second_time_nothing_changes(cluster: MemoryCluster) -> None:
    onboard(cluster, tenant())
    log: list[str] = []
    outcome = onboard(cluster, tenant(), log)
    assert {item.outcome for item in outcome.objects} == {Outcome.UNCHANGED}
    assert not outcome.changed
    assert log == []


def test_a_lower_quota_says_what_changed_and_how_far_use_is_above(cluster: MemoryCluster) -> None:
    onboard(cluster, tenant(gpus=3))
    cluster.used_gpus = "3"
    outcome = onboard(cluster, tenant(gpus=1))
    changed = by_name(outcome.objects)["gpu-quota"]
    assert changed.outcome is Outcome.CHANGED
    assert changed.detail == "spec.hard.requests.nvidia.com/gpu: 3 → 1"
    assert outcome.notes == (OVER_USE,)
    assert outcome.failures == ()


def test_what_is_no_longer_asked_for_is_removed(cluster: MemoryCluster) -> None:
    onboard(cluster, tenant(shared_services=[{"namespace": "registry", "port": 5000}]))
    outcome = onboard(cluster, tenant(isolation="deny-all"))
    removed = [item.name for item in outcome.objects if item.outcome is Outcome.REMOVED]
    assert sorted(removed) == ["allow-same-namespace", "allow-shared-services"]
    left = {name for kind, name, _ in cluster.items if kind == "NetworkPolicy"}
    assert left == {"default-deny", "allow-dns"}


def test_what_others_made_in_the_namespace_stays(cluster: MemoryCluster) -> None:
    onboard(cluster, tenant())
    theirs = {"kind": "NetworkPolicy", "metadata": {"name": "theirs", "namespace": "team-nlp"}, "spec": {}}
    cluster.put(theirs)
    assert not onboard(cluster, tenant()).changed
    assert ("NetworkPolicy", "theirs", "team-nlp") in cluster.items


def test_a_conflict_is_reported_and_the_rest_is_done(cluster: MemoryCluster) -> None:
    message = (
        'Apply failed with 1 conflict: conflict with "kubectl-edit" using v1: .spec.hard.pods (HTTP 409)'
    )
    cluster.refusals["ResourceQuota", "gpu-quota"] = Conflict(message)
    outcome = onboard(cluster, tenant())
    assert outcome.failures == (f"ResourceQuota gpu-quota: conflict ({message})",)
    others = [item.outcome for item in outcome.objects if item.name != "gpu-quota"]
    assert others == [Outcome.CREATED] * 9


def test_a_refused_object_does_not_stop_the_others(cluster: MemoryCluster) -> None:
    cluster.refusals["LocalQueue", "nlp-queue"] = PlatformError("field is immutable")
    outcome = onboard(cluster, tenant())
    assert outcome.failures == ("LocalQueue nlp-queue: failed (field is immutable)",)


def test_an_outage_is_for_the_task_to_try_again(cluster: MemoryCluster) -> None:
    cluster.refusals["LocalQueue", "nlp-queue"] = Retryable("failed calling webhook")
    with pytest.raises(Retryable):
        onboard(cluster, tenant())
    del cluster.refusals["LocalQueue", "nlp-queue"]
    outcome = onboard(cluster, tenant())
    assert [str(item) for item in outcome.objects if item.changed] == ["LocalQueue nlp-queue: created"]


def test_a_refused_namespace_stops_the_tenant(cluster: MemoryCluster) -> None:
    cluster.refusals["Namespace", "team-nlp"] = Conflict("owned by somebody")
    with pytest.raises(Conflict, match="owned by somebody"):
        onboard(cluster, tenant())
    assert len(cluster.writes()) == 1


def test_somebody_elses_namespace_is_left_alone(cluster: MemoryCluster) -> None:
    cluster.put({"kind": "Namespace", "metadata": {"name": "team-nlp", "labels": {"team": "nlp"}}})
    with pytest.raises(Conflict) as caught:
        onboard(cluster, tenant())
    assert str(caught.value) == (
        "the namespace team-nlp exists and is not the platform's; to hand it over:"
        " kubectl label namespace team-nlp app.kubernetes.io/managed-by=azure-gpu-platform --overwrite"
    )
    assert cluster.writes() == []


def test_a_namespace_handed_over_is_taken(cluster: MemoryCluster) -> None:
    labels = {"app.kubernetes.io/managed-by": "azure-gpu-platform"}
    cluster.put({"kind": "Namespace", "metadata": {"name": "team-nlp", "labels": labels}})
    outcome = onboard(cluster, tenant())
    assert by_name(outcome.objects)["team-nlp"].outcome is Outcome.CHANGED
    assert outcome.failures == ()


def test_a_namespace_on_its_way_out_says_what_holds_it(cluster: MemoryCluster) -> None:
    condition = {"type": "NamespaceFinalizersRemaining", "status": "True", "message": "hold in 1 resource"}
    item = {
        "kind": "Namespace",
        "metadata": {"name": "team-nlp"},
        "status": {"phase": "Terminating", "conditions": [condition, {"status": "False", "message": "ok"}]},
    }
    cluster.put(item)
    with pytest.raises(Conflict) as caught:
        onboard(cluster, tenant())
    assert str(caught.value) == (
        "the namespace team-nlp is being deleted; run this again when it is gone: hold in 1 resource"
    )
    assert cluster.writes() == []


def test_a_binding_to_another_role_is_made_anew(cluster: MemoryCluster) -> None:
    onboard(cluster, tenant())
    key = ("RoleBinding", "gpu-workload-users", "team-nlp")
    cluster.items[key]["roleRef"]["name"] = "admin"
    cluster.calls.clear()
    outcome = onboard(cluster, tenant())
    assert by_name(outcome.objects)["gpu-workload-users"].outcome is Outcome.RECREATED
    assert [call for call in cluster.writes() if call[0] == "delete"] == [
        ("delete", "RoleBinding", "gpu-workload-users")
    ]


def test_a_quota_that_is_not_in_force_is_a_failure(cluster: MemoryCluster) -> None:
    cluster.in_force = False
    outcome = onboard(cluster, tenant())
    assert outcome.failures == (
        "ResourceQuota gpu-quota: failed (not in force after 0.2 s: everything is admitted)",
        "ResourceQuota no-production-inference: failed (not in force after 0.2 s: everything is admitted)",
    )


@pytest.mark.parametrize(
    ("active", "said"),
    [(False, "Can't submit new workloads (ClusterQueueDoesNotExist)"),
     (None, "Kueue said nothing about it in 0.1 s")],
)  # fmt: skip
def test_a_queue_that_takes_no_jobs_is_said(cluster: MemoryCluster, active: bool | None, said: str) -> None:
    cluster.queue_active = active
    outcome = onboard(cluster, tenant())
    assert outcome.notes == (f"the queue nlp-queue takes no jobs yet: {said}",)


def test_without_kueue_everything_else_is_done(cluster: MemoryCluster) -> None:
    outcome = onboard(cluster, tenant(), tenancy=TENANCY.model_copy(update={"kueue_version": None}))
    assert len(outcome.objects) == 9
    assert (outcome.failures, outcome.notes) == ((), ())


def test_more_than_the_pools_hold_is_said(cluster: MemoryCluster) -> None:
    outcome = onboard(cluster, tenant(gpus=8))
    assert outcome.notes == ("the quota is 8 GPUs, the node pools grow to 3 GPUs in all",)


def test_few_requests_for_a_tenant_that_is_there(cluster: MemoryCluster) -> None:
    onboard(cluster, tenant())
    cluster.calls.clear()
    started = time.monotonic()
    onboard(cluster, tenant())
    assert time.monotonic() - started < 0.2
    assert len(cluster.calls) == 1 + 10 + 6 + 3  # namespace, applies, a list a kind, quotas and queue


def test_the_platforms_objects_come_in_order(cluster: MemoryCluster) -> None:
    results = apply_platform(cluster, (T4, A100_SPOT), "v1beta2", print)
    assert [str(item) for item in results] == [
        "PriorityClass production-inference: created",
        "PriorityClass scheduled-training: created",
        "PriorityClass exploratory: created",
        "ResourceFlavor gpu: created",
        "ResourceFlavor spot: created",
        "ClusterQueue gpu-cluster-queue: created",
    ]
    again = apply_platform(cluster, (T4, A100_SPOT), "v1beta2", print)
    assert {item.outcome for item in again} == {Outcome.UNCHANGED}


def test_a_grown_pool_changes_the_queue_only(cluster: MemoryCluster) -> None:
    apply_platform(cluster, (T4,), "v1beta2", print)
    bigger = T4.model_copy(update={"max_nodes": 5})
    results = apply_platform(cluster, (bigger,), "v1beta2", print)
    assert [str(item) for item in results if item.changed] == [
        "ClusterQueue gpu-cluster-queue: changed (spec.resourceGroups)"
    ]


@pytest.mark.parametrize(("pools", "version"), [((), "v1beta2"), ((T4,), None)])
def test_no_queue_without_pools_or_without_kueue(
    cluster: MemoryCluster, pools: Any, version: str | None
) -> None:
    results = apply_platform(cluster, pools, version, print)
    assert [item.kind for item in results] == ["PriorityClass"] * 3


def test_a_class_of_another_value_is_never_written(cluster: MemoryCluster) -> None:
    cluster.put({"kind": "PriorityClass", "metadata": {"name": "scheduled-training"}, "value": 5})
    results = by_name(apply_platform(cluster, (), None, print))
    assert results["scheduled-training"].outcome is Outcome.CONFLICT
    assert ("apply", "PriorityClass", "scheduled-training") not in cluster.calls
    assert results["exploratory"].outcome is Outcome.CREATED


def test_manifests_are_not_shared_between_tenants() -> None:
    one, two = tenant_manifests(tenant(), "v1beta2"), tenant_manifests(tenant(team="cv"), "v1beta2")
    one[0]["metadata"]["labels"]["x"] = "y"
    assert "x" not in two[0]["metadata"]["labels"]


def test_an_allowance_that_cannot_be_taken_back_is_a_failure(
    cluster: MemoryCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    onboard(cluster, tenant())

    def refuse(*_: Any) -> None:
        raise PlatformError("admission said no")

    monkeypatch.setattr(cluster, "delete", refuse)
    outcome = onboard(cluster, tenant(isolation="deny-all"))
    assert outcome.failures == ("NetworkPolicy allow-same-namespace: failed (admission said no)",)
