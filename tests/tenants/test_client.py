"""Tenants in a Kubernetes API: server-side apply, conflicts, quota and queue states, few requests."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from gpuplatform.environments import EnvironmentName
from gpuplatform.errors import Conflict, NotFound
from gpuplatform.settings import Settings
from gpuplatform.tenants.client import ClusterObjects
from gpuplatform.tenants.manifests.quota import resource_quotas
from gpuplatform.tenants.onboarding import apply_tenant
from gpuplatform.tenants.preparation import apply_platform
from gpuplatform.tenants.request import TenantRequest
from gpuplatform.tenants.results import Outcome, Tenancy, TenantOutcome
from tests.tenants.emulator import Emulator, emulator
from tests.tenants.requests import tenant
from tests.tenants.test_manifests import A100_SPOT, T4

LIMITS = Settings(tenant_timeout_seconds=10, queue_timeout_seconds=5)
POOLS = (T4, A100_SPOT)


@pytest.fixture(autouse=True)
def direct(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def kueue() -> Iterator[Emulator]:
    with emulator(kueue=True) as running:
        yield running


@pytest.fixture
def plain() -> Iterator[Emulator]:
    with emulator(kueue=False) as running:
        yield running


def tenancy(version: str | None) -> Tenancy:
    return Tenancy(
        environment=EnvironmentName.DEV,
        resource_group="rg-ai-dev",
        cluster_name="aks-ai-dev",
        cluster_id="/x",
        kueue_version=version,
        network_engine=True,
        pools=POOLS,
    )


def onboard(running: Emulator, request: TenantRequest, log: list[str] | None = None) -> TenantOutcome:
    objects = ClusterObjects(running.cluster)
    shared = tenancy(objects.kueue_version())
    apply_platform(objects, POOLS, shared.kueue_version, lambda _: None)
    return apply_tenant(objects, shared, request, LIMITS, (log if log is not None else []).append)


def pod(name: str, **spec: Any) -> dict[str, Any]:
    container = {"name": "main", "image": "registry.example/app:1", "resources": spec.pop("resources", {})}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "team-nlp"},
        "spec": {"containers": [container], **spec},
    }


def create(running: Emulator, body: dict[str, Any]) -> Any:
    resource = running.cluster.resource(body["apiVersion"], body["kind"])
    return resource.create(body=body, namespace=body["metadata"]["namespace"])


def test_a_platform_and_a_tenant_from_nothing(kueue: Emulator) -> None:
    objects = ClusterObjects(kueue.cluster)
    version = objects.kueue_version()
    assert version == "v1beta2"
    shared = apply_platform(objects, POOLS, version, print)
    assert {item.outcome for item in shared} == {Outcome.CREATED}
    log: list[str] = []
    outcome = onboard(kueue, tenant(shared_services=[{"namespace": "registry", "port": 5000}]), log)
    assert (outcome.failures, outcome.notes) == ((), ())
    assert {item.outcome for item in outcome.objects} == {Outcome.CREATED}
    assert len(log) == len(outcome.objects) == 11
    quota = objects.get("v1", "ResourceQuota", "gpu-quota", "team-nlp")
    assert quota is not None
    assert quota["status"]["hard"]["requests.nvidia.com/gpu"] == "2"
    managers = {item["manager"] for item in quota["metadata"]["managedFields"] if not item.get("subresource")}
    assert managers == {"azure-gpu-platform"}


def test_the_second_run_changes_nothing_and_is_quick(kueue: Emulator) -> None:
    def both() -> tuple[bool, float]:
        started = time.monotonic()
        objects = ClusterObjects(kueue.cluster)
        version = objects.kueue_version()
        shared = apply_platform(objects, POOLS, version, print)
        outcome = apply_tenant(objects, tenancy(version), tenant(), LIMITS, print)
        assert outcome.failures == ()
        return any(item.changed for item in (*shared, *outcome.objects)), time.monotonic() - started

    assert both()[0]
    kueue.requests.clear()
    changed, seconds = both()
    assert not changed
    assert seconds < 2
    gets = [line for line in kueue.requests if line.startswith("GET")]
    patches = [line for line in kueue.requests if line.startswith("PATCH")]
    assert len(patches) == 6 + 10
    assert len(gets) <= 20, gets


def test_without_kueue_there_is_no_queue_and_no_error(plain: Emulator) -> None:
    objects = ClusterObjects(plain.cluster)
    assert objects.kueue_version() is None
    assert [item.kind for item in apply_platform(objects, POOLS, None, print)] == ["PriorityClass"] * 3
    outcome = onboard(plain, tenant())
    assert outcome.failures == ()
    assert "LocalQueue" not in [item.kind for item in outcome.objects]


def test_a_queue_without_its_cluster_queue_says_so(kueue: Emulator) -> None:
    outcome = apply_tenant(
        ClusterObjects(kueue.cluster),
        tenancy("v1beta2"),
        tenant(),
        Settings(tenant_timeout_seconds=10, queue_timeout_seconds=0.5),
        print,
    )
    assert outcome.failures == ()
    (note,) = outcome.notes
    assert note.startswith(
        "the queue nlp-queue takes no jobs yet: Can't submit new workloads to clusterQueue"
    )
    assert note.endswith("(ClusterQueueDoesNotExist)")


def test_somebody_elses_edit_is_reported_with_field_and_manager(kueue: Emulator) -> None:
    onboard(kueue, tenant())
    kueue.cluster.dynamic.patch(  # type: ignore[no-untyped-call] # the SDK's
        kueue.cluster.resource("v1", "ResourceQuota"),
        body={"spec": {"hard": {"requests.nvidia.com/gpu": "16"}}},
        name="gpu-quota",
        namespace="team-nlp",
        content_type="application/merge-patch+json",
        field_manager="kubectl-edit",
    )
    outcome = onboard(kueue, tenant())
    (failure,) = outcome.failures
    assert failure.startswith("ResourceQuota gpu-quota: conflict (applying ResourceQuota gpu-quota: ")
    assert 'conflict with "kubectl-edit" using v1: .spec.hard.requests.nvidia.com/gpu' in failure
    others = {item.outcome for item in outcome.objects if item.name != "gpu-quota"}
    assert others == {Outcome.UNCHANGED}


def test_an_edit_that_we_do_not_own_is_left_alone(kueue: Emulator) -> None:
    onboard(kueue, tenant())
    kueue.cluster.dynamic.patch(  # type: ignore[no-untyped-call] # the SDK's
        kueue.cluster.resource("v1", "Namespace"),
        body={"metadata": {"labels": {"istio-injection": "enabled"}}},
        name="team-nlp",
        content_type="application/merge-patch+json",
    )
    assert not onboard(kueue, tenant()).changed


def test_the_quota_holds_and_lowering_it_says_how_far_use_is_above(kueue: Emulator) -> None:
    onboard(kueue, tenant(gpus=3))
    create(kueue, pod("train", resources={"limits": {"nvidia.com/gpu": "3"}}))
    with pytest.raises(Exception, match="exceeded quota: gpu-quota"):
        create(kueue, pod("more", resources={"limits": {"nvidia.com/gpu": "1"}}))
    outcome = onboard(kueue, tenant(gpus=1))
    assert outcome.failures == ()
    assert any(note.startswith("3 GPUs are in use, 2 more than the quota of 1") for note in outcome.notes)


def test_a_pod_without_gpus_or_sizes_is_welcome(kueue: Emulator) -> None:
    onboard(kueue, tenant())
    made = create(kueue, pod("notebook")).to_dict()
    assert made["spec"]["containers"][0]["resources"]["limits"] == {"cpu": "1", "memory": "4Gi"}


def test_a_pod_may_not_be_production_or_privileged(kueue: Emulator) -> None:
    onboard(kueue, tenant())
    with pytest.raises(Exception, match="exceeded quota: no-production-inference"):
        create(kueue, pod("sly", priorityClassName="production-inference"))
    with pytest.raises(Exception, match="violates PodSecurity"):
        create(kueue, pod("root", hostNetwork=True))
    create(kueue, pod("train", priorityClassName="scheduled-training"))


def test_a_binding_to_another_role_is_made_anew(kueue: Emulator) -> None:
    onboard(kueue, tenant())
    bindings = kueue.cluster.resource("rbac.authorization.k8s.io/v1", "RoleBinding")
    body = bindings.get(name="gpu-workload-users", namespace="team-nlp").to_dict()
    bindings.delete(name="gpu-workload-users", namespace="team-nlp")
    metadata = {key: body["metadata"][key] for key in ("name", "namespace", "labels")}
    body = {**body, "metadata": metadata, "roleRef": {**body["roleRef"], "name": "admin"}}
    bindings.create(body=body, namespace="team-nlp")
    outcome = onboard(kueue, tenant())
    assert [str(item) for item in outcome.objects if item.changed or item.failed] == [
        "RoleBinding gpu-workload-users: recreated (it gave another role)"
    ]
    after = bindings.get(name="gpu-workload-users", namespace="team-nlp").to_dict()
    assert after["roleRef"]["name"] == "gpu-workload-role"


def test_a_tightened_request_takes_its_allowances_back(kueue: Emulator) -> None:
    onboard(kueue, tenant(shared_services=[{"namespace": "registry", "port": 5000}]))
    outcome = onboard(kueue, tenant(isolation="deny-all"))
    removed = sorted(item.name for item in outcome.objects if item.outcome is Outcome.REMOVED)
    assert removed == ["allow-same-namespace", "allow-shared-services"]
    found = ClusterObjects(kueue.cluster).list_all([("networking.k8s.io/v1", "NetworkPolicy")], "team-nlp")
    assert {name for _, name in found} == {"default-deny", "allow-dns"}


def test_a_namespace_being_deleted_is_not_used(kueue: Emulator) -> None:
    onboard(kueue, tenant())
    hold = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "hold", "namespace": "team-nlp", "finalizers": ["example.com/hold"]},
    }
    create(kueue, hold)
    ClusterObjects(kueue.cluster).delete("v1", "Namespace", "team-nlp")
    with pytest.raises(Conflict, match="the namespace team-nlp is being deleted; run this again"):
        onboard(kueue, tenant())


def test_what_is_not_there(kueue: Emulator) -> None:
    objects = ClusterObjects(kueue.cluster)
    assert objects.get("v1", "Namespace", "team-nlp") is None
    objects.delete("v1", "ResourceQuota", "gpu-quota", "team-nlp")
    with pytest.raises(NotFound, match='namespaces "team-nlp" not found'):
        objects.apply(resource_quotas(tenant())[0])
    with pytest.raises(NotFound, match="does not serve this kind"):
        objects.get("kueue.x-k8s.io/v1beta2", "Nothing", "x")


def test_the_older_kueue_api_works_as_well(kueue: Emulator) -> None:
    objects = ClusterObjects(kueue.cluster)
    shared = apply_platform(objects, POOLS, "v1beta1", print)
    outcome = apply_tenant(objects, tenancy("v1beta1"), tenant(), LIMITS, print)
    assert (outcome.failures, outcome.notes) == ((), ())
    again = apply_platform(objects, POOLS, "v1beta1", print)
    assert {item.outcome for item in shared} == {Outcome.CREATED}
    assert {item.outcome for item in again} == {Outcome.UNCHANGED}
