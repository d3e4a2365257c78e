"""What Kueue admits, keeps waiting and preempts, in cases that no recording has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pytest

from sandbox.kubernetes.clusters import Clusters
from sandbox.state import State
from tests.sandbox.kubernetes.serve import node
from tests.sandbox.kubernetes.test_clusters import HOST, _clusters, ask

_GPU = "nvidia.com/gpu"
_KUEUE = "/apis/kueue.x-k8s.io/v1beta2"


@dataclass
class Tenants:
    clusters: Clusters

    def post(self, path: str, body: Any) -> Any:
        status, answer = ask(self.clusters, "POST", path, body)
        assert status == 201, answer
        return answer

    def get(self, path: str) -> Any:
        status, answer = ask(self.clusters, "GET", path)
        assert status == 200, answer
        return answer

    def replace(self, path: str, **spec: Any) -> None:
        found = self.get(path)
        status, answer = ask(self.clusters, "PUT", path, {**found, "spec": {**found["spec"], **spec}})
        assert status == 200, answer

    def flavor(self, name: str, **spec: Any) -> None:
        self.post(f"{_KUEUE}/resourceflavors", {"metadata": {"name": name}, "spec": spec})

    def team(self, name: str, gpus: str, flavors: Iterable[str] = ("any",), **more: Any) -> None:
        limits = more.pop("limits", {})
        quota = {"name": _GPU, "nominalQuota": gpus, **limits}
        groups = [
            {"coveredResources": [_GPU], "flavors": [{"name": f, "resources": [quota]} for f in flavors]}
        ]
        spec = {"namespaceSelector": {}, "resourceGroups": groups, **more}
        self.post(f"{_KUEUE}/clusterqueues", {"metadata": {"name": name}, "spec": spec})
        self.post("/api/v1/namespaces", {"metadata": {"name": name}})
        queue = {"metadata": {"name": "queue"}, "spec": {"clusterQueue": name}}
        self.post(f"{_KUEUE}/namespaces/{name}/localqueues", queue)

    def job(self, team: str, name: str, gpus: int, **labels: str) -> None:
        container = {"name": "main", "image": "app", "resources": {"limits": {_GPU: str(gpus)}}}
        body = {
            "metadata": {"name": name, "labels": {"kueue.x-k8s.io/queue-name": "queue", **labels}},
            "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [container]}}},
        }
        self.post(f"/apis/batch/v1/namespaces/{team}/jobs", body)

    def runs(self, team: str, name: str) -> bool:
        return not self.get(f"/apis/batch/v1/namespaces/{team}/jobs/{name}")["spec"]["suspend"]

    def condition(self, team: str, prefix: str, kind: str) -> Any:
        for item in self.get(f"{_KUEUE}/namespaces/{team}/workloads")["items"]:
            if item["metadata"]["name"].startswith(prefix):
                return next((c for c in item["status"]["conditions"] if c["type"] == kind), None)
        raise LookupError(prefix)

    def usage(self, team: str) -> tuple[str, str]:
        status = self.get(f"{_KUEUE}/clusterqueues/{team}")["status"]
        entry = status["flavorsUsage"][0]["resources"][0]
        return entry["total"], entry["borrowed"]


@pytest.fixture
def tenants() -> Tenants:
    clusters = _clusters(State())
    clusters.create(HOST, kubernetes_version="1.33.5")
    out = Tenants(clusters)
    out.flavor("any")
    return out


def test_a_job_larger_than_the_quota_is_told_so(tenants: Tenants) -> None:
    tenants.team("a", "8")
    tenants.job("a", "big", 16)
    condition = tenants.condition("a", "job-big", "QuotaReserved")
    assert condition["reason"] == "ExceedsMaxQuota"
    assert condition["message"].endswith(
        "previously considered podsets requests (0) + current podset request (16) > maximum capacity (8)"
    )


def test_borrowing_stops_at_the_limit(tenants: Tenants) -> None:
    tenants.team("a", "4", cohortName="all", limits={"borrowingLimit": "2"})
    tenants.team("b", "8", cohortName="all")
    tenants.job("a", "fits", 6)
    tenants.job("a", "more", 1)
    assert tenants.runs("a", "fits")
    assert tenants.usage("a") == ("6", "2")
    assert not tenants.runs("a", "more")


def test_what_is_not_lent_stays_with_its_owner(tenants: Tenants) -> None:
    tenants.team("a", "4", cohortName="all")
    tenants.team("b", "8", cohortName="all", limits={"lendingLimit": "1"})
    tenants.job("a", "six", 6)
    tenants.job("a", "five", 5)
    assert not tenants.runs("a", "six")
    assert tenants.runs("a", "five")


def test_without_a_preemption_policy_priorities_reclaim_nothing(tenants: Tenants) -> None:
    tenants.team("a", "4", cohortName="all")
    tenants.team("b", "4", cohortName="all")
    tenants.job("a", "borrower", 8)
    tenants.job("b", "owner", 4)
    assert tenants.runs("a", "borrower")
    assert not tenants.runs("b", "owner")


def test_only_as_many_as_needed_are_preempted_and_the_newest_first(tenants: Tenants) -> None:
    tenants.team("a", "4", preemption={"withinClusterQueue": "LowerPriority"})
    for name, value in (("low", 1), ("high", 9)):
        body = {"metadata": {"name": name}, "value": value}
        tenants.post(f"{_KUEUE}/workloadpriorityclasses", body)
    low = {"kueue.x-k8s.io/priority-class": "low"}
    tenants.job("a", "first", 2, **low)
    tenants.job("a", "second", 2, **low)
    tenants.job("a", "urgent", 2, **{"kueue.x-k8s.io/priority-class": "high"})
    assert [tenants.runs("a", name) for name in ("first", "second", "urgent")] == [True, False, True]


def test_a_drained_queue_takes_its_work_back_when_it_opens(tenants: Tenants) -> None:
    tenants.team("a", "4")
    tenants.job("a", "one", 4)
    path = f"{_KUEUE}/clusterqueues/a"
    tenants.replace(path, stopPolicy="HoldAndDrain")
    assert not tenants.runs("a", "one")
    assert tenants.condition("a", "job-one", "QuotaReserved")["message"] == "ClusterQueue a is inactive"
    tenants.replace(path, stopPolicy="None")
    assert tenants.runs("a", "one")
    assert tenants.condition("a", "job-one", "Requeued")["reason"] == "ClusterQueueRestarted"
    assert (
        tenants.condition("a", "job-one", "Evicted")["message"] == "Previously: The ClusterQueue is stopped"
    )


def test_hold_lets_admitted_work_go_on(tenants: Tenants) -> None:
    tenants.team("a", "4")
    tenants.job("a", "one", 2)
    tenants.replace(f"{_KUEUE}/clusterqueues/a", stopPolicy="Hold")
    tenants.job("a", "two", 2)
    assert tenants.runs("a", "one")
    assert not tenants.runs("a", "two")


def test_strict_order_lets_nothing_pass_the_first(tenants: Tenants) -> None:
    tenants.team("strict", "4", queueingStrategy="StrictFIFO")
    tenants.team("best", "4")
    for team in ("strict", "best"):
        tenants.job(team, "running", 3)
        tenants.job(team, "large", 4)
        tenants.job(team, "small", 1)
    assert not tenants.runs("strict", "small")
    assert tenants.runs("best", "small")


def test_a_flavor_with_a_taint_needs_a_toleration_and_gives_its_own(tenants: Tenants) -> None:
    taint = {"key": "sku", "value": "gpu", "effect": "NoSchedule"}
    tenants.flavor("tainted", nodeTaints=[taint])
    tolerated = {"key": "sku", "operator": "Equal", "value": "gpu", "effect": "NoSchedule"}
    tenants.flavor("tolerated", nodeTaints=[taint], tolerations=[tolerated])
    tenants.team("a", "4", ("tainted",))
    tenants.team("b", "4", ("tainted", "tolerated"))
    tenants.job("a", "j", 1)
    tenants.job("b", "j", 1)
    assert tenants.condition("a", "job-j", "QuotaReserved")["reason"] == "NoMatchingFlavor"
    pod = tenants.get("/apis/batch/v1/namespaces/b/jobs/j")["spec"]["template"]["spec"]
    assert pod["tolerations"] == [tolerated]


def test_a_namespace_outside_of_the_selector_waits(tenants: Tenants) -> None:
    tenants.team("a", "4", namespaceSelector={"matchLabels": {"team": "other"}})
    tenants.job("a", "j", 1)
    message = tenants.condition("a", "job-j", "QuotaReserved")["message"]
    assert message == "Workload namespace doesn't match ClusterQueue selector"


def test_a_pod_waits_behind_a_gate(tenants: Tenants) -> None:
    tenants.team("a", "1")
    container = {"name": "main", "image": "app", "resources": {"limits": {_GPU: "1"}}}
    for name in ("one", "two"):
        labels = {"kueue.x-k8s.io/queue-name": "queue"}
        body = {"metadata": {"name": name, "labels": labels}, "spec": {"containers": [container]}}
        made = tenants.post("/api/v1/namespaces/a/pods", body)
        assert made["spec"]["schedulingGates"] == [{"name": "kueue.x-k8s.io/admission"}]
    assert "schedulingGates" not in tenants.get("/api/v1/namespaces/a/pods/one")["spec"]
    assert "schedulingGates" in tenants.get("/api/v1/namespaces/a/pods/two")["spec"]
    ask(tenants.clusters, "DELETE", "/api/v1/namespaces/a/pods/one")
    if any(p["metadata"]["name"] == "one" for p in tenants.get("/api/v1/namespaces/a/pods")["items"]):
        pytest.fail("the pod is still there")
    assert "schedulingGates" not in tenants.get("/api/v1/namespaces/a/pods/two")["spec"]


def test_the_pods_of_a_deployment_are_admitted_one_by_one(tenants: Tenants) -> None:
    tenants.team("a", "2")
    container = {"name": "main", "image": "app", "resources": {"limits": {_GPU: "1"}}}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}
    spec = {"replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    metadata = {"name": "web", "labels": {"kueue.x-k8s.io/queue-name": "queue"}}
    tenants.post("/apis/apps/v1/namespaces/a/deployments", {"metadata": metadata, "spec": spec})
    status = tenants.get(f"{_KUEUE}/clusterqueues/a")["status"]
    assert (status["admittedWorkloads"], status["pendingWorkloads"]) == (2, 1)


def test_a_cohort_tree_shares_what_its_root_has(tenants: Tenants) -> None:
    resources = [{"name": _GPU, "nominalQuota": "6"}]
    groups = [{"coveredResources": [_GPU], "flavors": [{"name": "any", "resources": resources}]}]
    tenants.post(f"{_KUEUE}/cohorts", {"metadata": {"name": "root"}, "spec": {"resourceGroups": groups}})
    tenants.post(f"{_KUEUE}/cohorts", {"metadata": {"name": "left"}, "spec": {"parentName": "root"}})
    tenants.team("a", "1", cohortName="left")
    tenants.job("a", "seven", 7)
    tenants.job("a", "one", 1)
    assert tenants.runs("a", "seven")
    assert tenants.usage("a") == ("7", "6")
    assert not tenants.runs("a", "one")


def test_a_used_cluster_queue_is_deleted_when_its_work_is_gone(tenants: Tenants) -> None:
    tenants.team("a", "4")
    tenants.job("a", "one", 1)
    ask(tenants.clusters, "DELETE", f"{_KUEUE}/clusterqueues/a")
    assert tenants.get(f"{_KUEUE}/clusterqueues/a")["metadata"]["deletionTimestamp"]
    path = "/apis/batch/v1/namespaces/a/jobs/one"
    ask(tenants.clusters, "DELETE", path, {"propagationPolicy": "Background"})
    assert ask(tenants.clusters, "GET", f"{_KUEUE}/clusterqueues/a")[0] == 404


def test_an_older_version_shows_the_same_workload(tenants: Tenants) -> None:
    tenants.team("a", "4")
    tenants.job("a", "one", 4)
    tenants.replace(f"{_KUEUE}/clusterqueues/a", stopPolicy="HoldAndDrain")
    found = tenants.get("/apis/kueue.x-k8s.io/v1beta1/namespaces/a/workloads")["items"][0]["status"]
    assert found["accumulatedPastExexcutionTimeSeconds"] >= 0
    assert "accumulatedPastExecutionTimeSeconds" not in found


def test_a_failed_job_gives_its_quota_back(tenants: Tenants) -> None:
    tenants.team("a", "4")
    tenants.job("a", "one", 4)
    tenants.job("a", "two", 4)
    for _ in range(7):
        path = "/api/v1/namespaces/a/pods"
        pod = next(p for p in tenants.get(path)["items"] if p["status"]["phase"] == "Pending")
        pod["status"]["phase"] = "Failed"
        status, _ = ask(tenants.clusters, "PUT", f"{path}/{pod['metadata']['name']}/status", pod)
        assert status == 200
    assert tenants.condition("a", "job-one", "Finished")["reason"] == "Failed"
    assert tenants.runs("a", "two")


def test_a_preempted_job_leaves_the_node_to_the_other(tenants: Tenants) -> None:
    tenants.clusters.set_nodes(HOST, [node("aks-g-vmss000000", gpus=4)])
    tenants.team("a", "4", preemption={"withinClusterQueue": "LowerPriority"})
    body = {"metadata": {"name": "high"}, "value": 9}
    tenants.post(f"{_KUEUE}/workloadpriorityclasses", body)
    tenants.job("a", "low", 4)
    assert tenants.condition("a", "job-low", "PodsReady")["reason"] == "Started"
    tenants.job("a", "urgent", 4, **{"kueue.x-k8s.io/priority-class": "high"})
    pods = tenants.get("/api/v1/namespaces/a/pods")["items"]
    assert [(p["metadata"]["labels"]["job-name"], p["status"]["phase"]) for p in pods] == [
        ("urgent", "Running")
    ]
    assert tenants.condition("a", "job-low", "PodsReady")["reason"] == "WaitForStart"
    assert tenants.condition("a", "job-low", "Preempted")["reason"] == "InClusterQueue"


def test_an_evicted_pod_is_gone_and_its_owner_makes_a_new_one_that_waits(tenants: Tenants) -> None:
    tenants.clusters.set_nodes(HOST, [node("aks-g-vmss000000", gpus=4)])
    tenants.team("a", "4")
    container = {"name": "main", "image": "app", "resources": {"limits": {_GPU: "4"}}}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    metadata = {"name": "web", "labels": {"kueue.x-k8s.io/queue-name": "queue"}}
    tenants.post("/apis/apps/v1/namespaces/a/deployments", {"metadata": metadata, "spec": spec})
    assert tenants.get("/api/v1/namespaces/a/pods")["items"][0]["status"]["phase"] == "Running"
    tenants.replace(f"{_KUEUE}/clusterqueues/a", stopPolicy="HoldAndDrain")
    pods = tenants.get("/api/v1/namespaces/a/pods")["items"]
    assert [p["spec"].get("schedulingGates") for p in pods] == [[{"name": "kueue.x-k8s.io/admission"}]]


def test_a_deactivated_workload_stops_until_it_is_active_again(tenants: Tenants) -> None:
    tenants.team("a", "4")
    tenants.job("a", "one", 4)
    workload = tenants.get(f"{_KUEUE}/namespaces/a/workloads")["items"][0]["metadata"]["name"]
    path = f"{_KUEUE}/namespaces/a/workloads/{workload}"
    tenants.replace(path, active=False)
    assert not tenants.runs("a", "one")
    assert tenants.condition("a", "job-one", "Evicted")["reason"] == "Deactivated"
    tenants.replace(path, active=True)
    assert tenants.runs("a", "one")
    assert tenants.condition("a", "job-one", "Requeued")["message"] == "The workload was reactivated"
