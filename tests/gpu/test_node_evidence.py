"""A node of the cluster's API as evidence."""

from __future__ import annotations

import json

from kubernetes.client import V1Node

from gpuplatform.gpu.client_nodes import _node

NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {
        "name": "aks-gpu-12345678-vmss000000",
        "creationTimestamp": "2026-12-01T00:00:00Z",
        "labels": {
            "agentpool": "gpu",
            "kubernetes.azure.com/agentpool": "gpu",
            "node.kubernetes.io/instance-type": "Standard_NC4as_T4_v3",
        },
    },
    "spec": {
        "unschedulable": True,
        "taints": [
            {"key": "sku", "value": "gpu", "effect": "NoSchedule"},
            {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"},
        ],
    },
    "status": {
        "allocatable": {"cpu": "3860m", "nvidia.com/gpu": "1"},
        "conditions": [
            {"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown", "message": "silent"},
            {"type": "MemoryPressure", "status": "False"},
            {"type": "GPUMissing", "status": "True", "reason": "Xid", "message": "79"},
        ],
    },
}


def test_everything_that_counts_is_read() -> None:
    pool, node = _node(V1Node.from_json(json.dumps(NODE)))
    assert pool == "gpu"
    assert node.instance_type == "Standard_NC4as_T4_v3"
    assert node.taints == ("sku=gpu:NoSchedule", "node.kubernetes.io/unschedulable=:NoSchedule")
    assert node.allocatable["nvidia.com/gpu"] == "1"
    assert node.unschedulable
    assert not node.ready
    assert node.not_ready_reason == "NodeStatusUnknown silent"
    assert dict(node.conditions) == {"GPUMissing": "Xid 79"}
    assert node.created.tzinfo is not None


def test_a_node_of_which_nothing_is_known_yet() -> None:
    bare = {"metadata": {"name": "n", "creationTimestamp": "2026-12-01T00:00:00Z"}}
    pool, node = _node(V1Node.from_json(json.dumps(bare)))
    assert (pool, node.ready, node.not_ready_reason) == ("", False, "no Ready condition")
