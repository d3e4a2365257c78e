"""kubectl works against an emulated cluster."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.sandbox.kubernetes.conftest import Server

_KUBECTL = shutil.which("kubectl")
pytestmark = pytest.mark.skipif(_KUBECTL is None, reason="kubectl is not on PATH")

_MANIFEST = """
apiVersion: v1
kind: Namespace
metadata: {name: manifest}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: manifest}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "web:1"}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: gpu, namespace: manifest}
spec: {clusterQueue: shared}
"""


@pytest.fixture
def kubectl(server: Server, tmp_path: Path) -> Kubectl:
    return Kubectl(server, tmp_path)


class Kubectl:
    def __init__(self, server: Server, folder: Path) -> None:
        self._server = server
        self._folder = folder

    def __call__(self, *arguments: str, text: str = "") -> str:
        command = [str(_KUBECTL), f"--cache-dir={self._folder / 'cache'}", *arguments]
        environment = {
            "PATH": os.environ["PATH"],
            "KUBECONFIG": str(self._server.kubeconfig),
            "HOME": str(self._folder),
        }
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, timeout=60, check=False, env=environment
        )
        return done.stdout + done.stderr


def test_get_nodes_wide(kubectl: Kubectl) -> None:
    out = kubectl("get", "nodes", "-o", "wide")
    assert "aks-gpu-1-vmss000000" in out
    assert "v1.33.5" in out
    assert "containerd://" in out


def test_apply_is_repeatable(kubectl: Kubectl) -> None:
    first = kubectl("apply", "-f", "-", text=_MANIFEST)
    assert "deployment.apps/web created" in first
    again = kubectl("apply", "-f", "-", text=_MANIFEST)
    assert again.count("unchanged") == 3, again
    assert "2/2" in kubectl("get", "deployment", "web", "-n", "manifest")
    assert "successfully rolled out" in kubectl(
        "rollout", "status", "deployment/web", "-n", "manifest", "--timeout=5s"
    )


def test_server_side_apply_and_describe(kubectl: Kubectl) -> None:
    text = _MANIFEST.replace("manifest", "server-side")
    assert "serverside-applied" in kubectl("apply", "--server-side", "-f", "-", text=text)
    described = kubectl("describe", "localqueue", "gpu", "-n", "server-side")
    assert "ClusterQueueDoesNotExist" in described


def test_typed_requests_in_protobuf(kubectl: Kubectl) -> None:
    assert kubectl("auth", "can-i", "create", "pods").strip() == "yes"
    assert kubectl("auth", "can-i", "create", "pods", "--as", "jane").strip() == "no"
    made = kubectl("create", "quota", "q", "--hard=requests.nvidia.com/gpu=2", "-n", "default")
    assert made.strip() == "resourcequota/q created"
    assert "requests.nvidia.com/gpu: 0/2" in kubectl("get", "quota", "q", "-n", "default")


def test_delete_waits_until_it_is_gone(kubectl: Kubectl) -> None:
    kubectl("create", "namespace", "short")
    assert 'namespace "short" deleted' in kubectl("delete", "namespace", "short", "--timeout=10s")
    assert "NotFound" in kubectl("get", "namespace", "short")


def test_api_resources_and_explain(kubectl: Kubectl) -> None:
    out = kubectl("api-resources")
    assert "localqueues" in out
    assert "vcjob" in out
