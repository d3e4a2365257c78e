"""The official Python client works against an emulated cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from kubernetes import client, watch
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import ConflictError

from tests.sandbox.kubernetes.conftest import MEMBER, TOKEN, Server

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:kubernetes")


def _api(server: Server, token: str) -> client.ApiClient:
    configuration = client.Configuration()
    configuration.host = server.url
    configuration.ssl_ca_cert = str(server.ca_file)
    configuration.api_key = {"authorization": token}
    configuration.api_key_prefix = {"authorization": "Bearer"}
    configuration.proxy = None
    return client.ApiClient(configuration)


@contextmanager
def _connected(server: Server, token: str) -> Iterator[client.ApiClient]:
    with _api(server, token) as found:
        yield found
        pool: Any = found.rest_client
        pool.pool_manager.clear()


@pytest.fixture
def api(server: Server) -> Iterator[client.ApiClient]:
    with _connected(server, TOKEN) as found:
        yield found


@pytest.fixture
def dynamic(api: client.ApiClient, tmp_path: Path) -> Any:
    make: Any = DynamicClient
    return make(api, cache_file=str(tmp_path / "discovery.json"))


def _apply(dynamic: Any, body: dict[str, Any], **options: Any) -> Any:
    resource = dynamic.resources.get(api_version=body["apiVersion"], kind=body["kind"])
    return dynamic.server_side_apply(resource, body=body, field_manager="tenants", **options)


def _namespace(dynamic: Any, name: str) -> None:
    _apply(dynamic, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})


def _quota(namespace: str, gpus: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "gpu", "namespace": namespace},
        "spec": {"hard": {"requests.nvidia.com/gpu": gpus}},
    }


def test_apply_twice_changes_nothing(dynamic: Any) -> None:
    _namespace(dynamic, "twice")
    first = _apply(dynamic, _quota("twice", "4"))
    version = dynamic.resources.get(api_version="v1", kind="ResourceQuota").get(name="gpu", namespace="twice")
    again = _apply(dynamic, _quota("twice", "4"))
    assert first.spec.hard["requests.nvidia.com/gpu"] == "4"
    assert again.metadata.resourceVersion == version.metadata.resourceVersion
    assert dict(version.status.used) == {"requests.nvidia.com/gpu": "0"}


def test_dry_run_stores_nothing(dynamic: Any, api: client.ApiClient) -> None:
    _namespace(dynamic, "dry")
    _apply(dynamic, _quota("dry", "4"), dry_run="All")
    core: Any = client.CoreV1Api(api)
    assert core.list_namespaced_resource_quota("dry").items == []


def test_conflict_names_field_and_manager(dynamic: Any, api: client.ApiClient) -> None:
    _namespace(dynamic, "conflict")
    _apply(dynamic, _quota("conflict", "4"))
    patch = {"spec": {"hard": {"requests.nvidia.com/gpu": "8"}}}
    core: Any = client.CoreV1Api(api)
    core.patch_namespaced_resource_quota("gpu", "conflict", patch, field_manager="hand")
    with pytest.raises(ConflictError, match=r'conflict with \\\\?"hand\\\\?" using v1'):
        _apply(dynamic, _quota("conflict", "4"))
    assert _apply(dynamic, _quota("conflict", "4"), force_conflicts=True)


def test_pods_run_on_a_node_and_count(dynamic: Any, api: client.ApiClient) -> None:
    _namespace(dynamic, "running")
    _apply(dynamic, _quota("running", "1"))
    core: Any = client.CoreV1Api(api)
    resources = {"limits": {"nvidia.com/gpu": "1"}}
    pod = {
        "metadata": {"name": "train"},
        "spec": {"containers": [{"name": "main", "image": "train:1", "resources": resources}]},
    }
    core.create_namespaced_pod("running", pod)
    found = core.read_namespaced_pod("train", "running")
    assert (found.spec.node_name, found.status.phase) == ("aks-gpu-1-vmss000000", "Running")
    with pytest.raises(client.ApiException, match="exceeded quota: gpu"):
        core.create_namespaced_pod("running", {**pod, "metadata": {"name": "second"}})


def test_gpu_nodes_have_a_device_plugin(api: client.ApiClient) -> None:
    core: Any = client.CoreV1Api(api)
    nodes = {item.metadata.name: item for item in core.list_node().items}
    gpu = nodes["aks-gpu-1-vmss000000"]
    assert gpu.status.allocatable["nvidia.com/gpu"] == "2"
    assert gpu.status.allocatable["cpu"] != gpu.status.capacity["cpu"]
    plugin = core.list_namespaced_pod("kube-system", label_selector="name=nvidia-device-plugin-ds").items
    assert [item.spec.node_name for item in plugin] == ["aks-gpu-1-vmss000000"]


def test_roles_decide(server: Server, dynamic: Any) -> None:
    _namespace(dynamic, "team-a")
    binding = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": {"name": "members", "namespace": "team-a"},
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "ClusterRole",
            "name": "kueue-batch-user-role",
        },
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "team-a"}],
    }
    _apply(dynamic, binding)
    with _connected(server, MEMBER) as member:
        batch: Any = client.BatchV1Api(member)
        assert batch.list_namespaced_job("team-a").items == []
        with pytest.raises(client.ApiException) as refused:
            client.CoreV1Api(member).list_namespaced_secret("team-a")
    assert refused.value.status == 403


def test_unknown_token_is_unauthorized(server: Server) -> None:
    with _connected(server, "wrong") as stranger, pytest.raises(client.ApiException) as refused:
        client.CoreV1Api(stranger).list_namespace()
    assert refused.value.status == 401


def test_local_queue_says_why_it_is_inactive(dynamic: Any) -> None:
    _namespace(dynamic, "queues")
    body = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": {"name": "gpu", "namespace": "queues"},
        "spec": {"clusterQueue": "nowhere"},
    }
    _apply(dynamic, body)
    resource = dynamic.resources.get(api_version="kueue.x-k8s.io/v1beta2", kind="LocalQueue")
    condition = resource.get(name="gpu", namespace="queues").status.conditions[0]
    assert (condition.type, condition.status, condition.reason) == (
        "Active",
        "False",
        "ClusterQueueDoesNotExist",
    )


def test_watch_sees_a_change(dynamic: Any, api: client.ApiClient) -> None:
    _namespace(dynamic, "watched")
    core: Any = client.CoreV1Api(api)
    start = core.list_namespaced_config_map("watched").metadata.resource_version
    core.create_namespaced_config_map("watched", {"metadata": {"name": "a"}, "data": {"k": "v"}})
    watcher: Any = watch
    stream = watcher.Watch().stream(
        core.list_namespaced_config_map, "watched", resource_version=start, timeout_seconds=1
    )
    assert [(event["type"], event["object"].metadata.name) for event in stream] == [("ADDED", "a")]


def test_a_deleted_namespace_is_gone_with_its_contents(dynamic: Any, api: client.ApiClient) -> None:
    _namespace(dynamic, "gone")
    _apply(dynamic, _quota("gone", "1"))
    core: Any = client.CoreV1Api(api)
    core.delete_namespace("gone")
    with pytest.raises(client.ApiException) as missing:
        core.read_namespace("gone")
    assert missing.value.status == 404
