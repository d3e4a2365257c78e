"""Nodes as AKS makes them, and the system pods that run on them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from sandbox.kubernetes.jsontypes import Object, now

__all__ = ["NodeSpec", "device_plugin_pod", "node_object"]

_OS_IMAGE = "Ubuntu 22.04.5 LTS"
_KERNEL = "5.15.0-1092-azure"
_RUNTIME = "containerd://1.7.29-1"


@dataclass(frozen=True)
class NodeSpec:
    """One node that a pool has. Taints are `key=value:Effect`."""

    name: str
    pool: str
    mode: str
    vm_size: str
    labels: Mapping[str, str]
    taints: tuple[str, ...]
    zone: str | None
    region: str
    cpus: int
    memory_mib: int
    gpus: int
    gpu_model: str | None
    kubernetes_version: str
    spot: bool


def _reserved_memory_mib(memory_mib: int) -> int:
    """What AKS keeps back: 20 MiB a pod slot and 50 MiB, at most a quarter, and the 100 MiB eviction mark."""
    return min(20 * 110 + 50, memory_mib // 4) + 100


def _reserved_cpu(cpus: int) -> int:
    """Millicores AKS keeps back, by the cores of the node."""
    steps = ((1, 60), (2, 100), (4, 140), (8, 180), (16, 260), (32, 420), (64, 740))
    return next((milli for cores, milli in steps if cpus <= cores), 740 + (cpus - 64) * 10)


def taint(text: str) -> Object:
    pair, _, effect = text.rpartition(":")
    key, _, value = pair.partition("=")
    out: Object = {"key": key, "effect": effect}
    if value:
        out["value"] = value
    return out


def _labels(spec: NodeSpec) -> dict[str, str]:
    out = {
        "agentpool": spec.pool,
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/instance-type": spec.vm_size,
        "beta.kubernetes.io/os": "linux",
        "failure-domain.beta.kubernetes.io/region": spec.region,
        "failure-domain.beta.kubernetes.io/zone": spec.zone or "0",
        "kubernetes.azure.com/agentpool": spec.pool,
        "kubernetes.azure.com/mode": spec.mode.lower(),
        "kubernetes.azure.com/os-sku": "Ubuntu",
        "kubernetes.azure.com/role": "agent",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": spec.name,
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": spec.vm_size,
        "topology.kubernetes.io/region": spec.region,
        "topology.kubernetes.io/zone": spec.zone or "0",
    }
    if spec.gpus:
        out |= {"accelerator": "nvidia", "kubernetes.azure.com/accelerator": "nvidia"}
    if spec.spot:
        out["kubernetes.azure.com/scalesetpriority"] = "spot"
    return out | dict(spec.labels)


def node_object(spec: NodeSpec, number: int) -> Object:
    """The Node of a machine that has joined and is ready."""
    digest = hashlib.sha256(spec.name.encode()).hexdigest()
    machine = f"{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}"
    disk = "129886128Ki"
    capacity: Object = {
        "cpu": str(spec.cpus),
        "ephemeral-storage": disk,
        "hugepages-1Gi": "0",
        "hugepages-2Mi": "0",
        "memory": f"{spec.memory_mib * 1024}Ki",
        "pods": "110",
    }
    allocatable = capacity | {
        "cpu": f"{spec.cpus * 1000 - _reserved_cpu(spec.cpus)}m",
        "ephemeral-storage": "119703055367",
        "memory": f"{(spec.memory_mib - _reserved_memory_mib(spec.memory_mib)) * 1024}Ki",
    }
    if spec.gpus:
        capacity["nvidia.com/gpu"] = allocatable["nvidia.com/gpu"] = str(spec.gpus)
    taints = [taint(text) for text in spec.taints]
    if spec.spot and not any(item["key"] == "kubernetes.azure.com/scalesetpriority" for item in taints):
        taints.append(
            {"key": "kubernetes.azure.com/scalesetpriority", "value": "spot", "effect": "NoSchedule"}
        )
    scale_set = spec.name[:-6]
    inner: Object = {
        "podCIDR": f"10.244.{number}.0/24",
        "podCIDRs": [f"10.244.{number}.0/24"],
        "providerID": f"azure:///subscriptions/virtualMachineScaleSets/{scale_set}/virtualMachines/{number}",
    }
    if taints:
        inner["taints"] = taints
    version = f"v{spec.kubernetes_version.removeprefix('v')}"
    return {
        "metadata": {"name": spec.name, "labels": _labels(spec)},
        "spec": inner,
        "status": {
            "addresses": [
                {"type": "InternalIP", "address": f"10.224.{number // 250}.{number % 250 + 4}"},
                {"type": "Hostname", "address": spec.name},
            ],
            "capacity": capacity,
            "allocatable": allocatable,
            "conditions": _conditions(),
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "nodeInfo": {
                "architecture": "amd64",
                "bootID": machine,
                "containerRuntimeVersion": _RUNTIME,
                "kernelVersion": _KERNEL,
                "kubeProxyVersion": version,
                "kubeletVersion": version,
                "machineID": digest[:32],
                "operatingSystem": "linux",
                "osImage": _OS_IMAGE,
                "systemUUID": machine,
            },
        },
    }


def _conditions() -> list[Object]:
    facts = (
        ("NetworkUnavailable", "False", "RouteCreated", "RouteController created a route"),
        ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
    )
    time = now()
    return [
        {
            "type": kind,
            "status": status,
            "lastHeartbeatTime": time,
            "lastTransitionTime": time,
            "reason": reason,
            "message": message,
        }
        for kind, status, reason, message in facts
    ]


def device_plugin_pod(spec: NodeSpec) -> Object:
    """The NVIDIA device plugin's pod on a GPU node; it is why the node offers `nvidia.com/gpu`."""
    suffix = hashlib.sha256(spec.name.encode()).hexdigest()[:5]
    return {
        "metadata": {
            "name": f"nvidia-device-plugin-daemonset-{suffix}",
            "namespace": "kube-system",
            "generateName": "nvidia-device-plugin-daemonset-",
            "labels": {"name": "nvidia-device-plugin-ds", "controller-revision-hash": "5f6f6c8d9b"},
        },
        "spec": {
            "nodeName": spec.name,
            "priorityClassName": "system-node-critical",
            "priority": 2000001000,
            "containers": [
                {
                    "name": "nvidia-device-plugin-ctr",
                    "image": "mcr.microsoft.com/oss/v2/nvidia/k8s-device-plugin:v0.17.2",
                }
            ],
            "tolerations": [
                {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
                {"key": "sku", "operator": "Equal", "value": "gpu", "effect": "NoSchedule"},
            ],
        },
    }
