"""Clusters, their nodes and what a restart keeps."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sandbox.kubernetes.clusters import Clusters, User
from sandbox.state import State
from tests.sandbox.kubernetes.serve import node

TOKEN = "t"
HOST = "demo-1234.hcp.westeurope.azmk8s.io"


def _clusters(state: State) -> Clusters:
    admin = User("admin", ("system:masters",))
    return Clusters(state, lambda _host, token: admin if token == TOKEN else None)


@pytest.fixture
def clusters() -> Clusters:
    found = _clusters(State())
    found.create(HOST, kubernetes_version="1.33.5")
    return found


def ask(
    clusters: Clusters, method: str, path: str, body: Any = None, *, token: str = TOKEN
) -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    raw = b"" if body is None else json.dumps(body).encode()
    answer = clusters._apis[HOST].handle(method, path, {}, headers, raw)
    return answer.status, json.loads(answer.body)


def names(clusters: Clusters, path: str) -> list[str]:
    return [item["metadata"]["name"] for item in ask(clusters, "GET", path)[1]["items"]]


def test_a_new_cluster_has_its_built_in_objects(clusters: Clusters) -> None:
    assert names(clusters, "/api/v1/namespaces") == [
        "default",
        "kube-node-lease",
        "kube-public",
        "kube-system",
    ]
    roles = names(clusters, "/apis/rbac.authorization.k8s.io/v1/clusterroles")
    assert {"admin", "cluster-admin", "edit", "view", "kueue-batch-user-role"} <= set(roles)
    assert names(clusters, "/api/v1/namespaces/kube-system/services") == ["kube-dns"]


def test_the_queue_role_is_there_only_with_the_addon() -> None:
    plain = _clusters(State())
    plain.create(HOST, kubernetes_version="1.33.5", addons=frozenset())
    status, _ = ask(plain, "GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles/kueue-batch-user-role")
    assert status == 404


def test_nodes_come_and_go(clusters: Clusters) -> None:
    clusters.set_nodes(HOST, [node("aks-a-vmss000000"), node("aks-g-vmss000000", gpus=4)])
    assert names(clusters, "/api/v1/nodes") == ["aks-a-vmss000000", "aks-g-vmss000000"]
    assert any("device-plugin" in name for name in names(clusters, "/api/v1/namespaces/kube-system/pods"))
    clusters.set_nodes(HOST, [node("aks-a-vmss000000")])
    assert names(clusters, "/api/v1/nodes") == ["aks-a-vmss000000"]
    assert not any("device-plugin" in name for name in names(clusters, "/api/v1/namespaces/kube-system/pods"))


def test_a_spot_node_is_tainted_and_labelled(clusters: Clusters) -> None:
    clusters.set_nodes(
        HOST, [replace(node("aks-s-vmss000000", gpus=1), spot=True, taints=("sku=gpu:NoSchedule",))]
    )
    found = ask(clusters, "GET", "/api/v1/nodes/aks-s-vmss000000")[1]
    assert found["metadata"]["labels"]["kubernetes.azure.com/scalesetpriority"] == "spot"
    keys = [taint["key"] for taint in found["spec"]["taints"]]
    assert keys == ["sku", "kubernetes.azure.com/scalesetpriority"]


def test_pods_wait_until_a_node_comes(clusters: Clusters) -> None:
    pod = {
        "metadata": {"name": "train"},
        "spec": {
            "containers": [{"name": "main", "image": "t:1", "resources": {"limits": {"nvidia.com/gpu": 1}}}]
        },
    }
    assert ask(clusters, "POST", "/api/v1/namespaces/default/pods", pod)[0] == 201
    path = "/api/v1/namespaces/default/pods/train"
    assert ask(clusters, "GET", path)[1]["status"]["conditions"][0]["reason"] == "Unschedulable"
    clusters.set_nodes(HOST, [node("aks-g-vmss000000", gpus=1)])
    found = ask(clusters, "GET", path)[1]
    assert (found["spec"]["nodeName"], found["status"]["phase"]) == ("aks-g-vmss000000", "Running")


def test_a_restart_keeps_objects_and_versions(tmp_path: Path) -> None:
    state = State(tmp_path / "state.db")
    first = _clusters(state)
    first.create(HOST, kubernetes_version="1.33.5")
    ask(first, "POST", "/api/v1/namespaces", {"metadata": {"name": "kept"}})
    before = ask(first, "GET", "/api/v1/namespaces/kept")[1]
    state.close()
    state = State(tmp_path / "state.db")
    again = _clusters(state)
    assert ask(again, "GET", "/api/v1/namespaces/kept")[1] == before
    made = ask(again, "POST", "/api/v1/namespaces", {"metadata": {"name": "later"}})[1]
    assert int(made["metadata"]["resourceVersion"]) > int(before["metadata"]["resourceVersion"])
    state.close()


def test_a_deleted_cluster_forgets_everything(clusters: Clusters) -> None:
    ask(clusters, "POST", "/api/v1/namespaces", {"metadata": {"name": "old"}})
    clusters.delete(HOST)
    assert HOST not in clusters._apis
    clusters.create(HOST, kubernetes_version="1.33.5")
    assert "old" not in names(clusters, "/api/v1/namespaces")


def test_creating_twice_changes_nothing_but_the_version(clusters: Clusters) -> None:
    before = ask(clusters, "GET", "/api/v1/namespaces")[1]
    clusters.create(HOST, kubernetes_version="1.34.1")
    assert ask(clusters, "GET", "/api/v1/namespaces")[1] == before
    assert ask(clusters, "GET", "/version")[1]["gitVersion"] == "v1.34.1"


def test_an_unknown_token_is_refused(clusters: Clusters) -> None:
    assert ask(clusters, "GET", "/api/v1/namespaces", token="other")[0] == 401


def test_a_raised_quota_lets_refused_pods_in(clusters: Clusters) -> None:
    clusters.set_nodes(HOST, [node("aks-g-vmss000000", gpus=4)])
    base = "/api/v1/namespaces/default"
    quota: dict[str, Any] = {"metadata": {"name": "gpu"}, "spec": {"hard": {"requests.nvidia.com/gpu": "1"}}}
    ask(clusters, "POST", f"{base}/resourcequotas", quota)
    container = {"name": "main", "image": "t:1", "resources": {"limits": {"nvidia.com/gpu": 1}}}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    job = {"metadata": {"name": "train"}, "spec": {"parallelism": 2, "completions": 2, "template": template}}
    ask(clusters, "POST", "/apis/batch/v1/namespaces/default/jobs", job)
    assert len(names(clusters, f"{base}/pods")) == 1
    quota["spec"]["hard"]["requests.nvidia.com/gpu"] = "2"
    assert ask(clusters, "PUT", f"{base}/resourcequotas/gpu", quota)[0] == 200
    assert len(names(clusters, f"{base}/pods")) == 2
