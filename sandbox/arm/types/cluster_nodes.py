"""The nodes that a cluster's pools stand for, given to the Kubernetes API emulator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.arm.fill import digits
from sandbox.kubernetes.clusters import NodeSpec

if TYPE_CHECKING:
    from sandbox.arm.context import Context
    from sandbox.arm.store import Resource

__all__ = ["POOL", "nodes_of", "sync_nodes"]

POOL = "Microsoft.ContainerService/managedClusters/agentPools"
_BASE36 = "0123456789abcdefghijklmnopqrstuvwxyz"


def sync_nodes(ctx: Context, cluster: Resource) -> None:
    """Tell the emulator which nodes there are now; a stopped cluster has none."""
    specs: list[NodeSpec] = []
    if cluster["properties"].get("powerState", {}).get("code") != "Stopped":
        for pool in ctx.store.children(cluster["id"], "agentPools"):
            specs += nodes_of(ctx, cluster, pool)
    ctx.clusters.set_nodes(cluster["properties"]["fqdn"], specs)


def nodes_of(ctx: Context, cluster: Resource, pool: Resource) -> list[NodeSpec]:
    """One spec a machine of the pool, with the labels that AKS gives it."""
    properties = pool["properties"]
    size = ctx.catalog.size(properties["vmSize"])
    if size is None or properties.get("powerState", {}).get("code") == "Stopped":
        return []
    zones = properties.get("availabilityZones") or []
    driver = (properties.get("gpuProfile") or {}).get("driver", "Install")
    gpus = size.nvidia_gpus if driver != "None" else 0
    spot = properties.get("scaleSetPriority") == "Spot"
    base = f"aks-{pool['name']}-{digits(8, cluster['id'])}-vmss"
    return [
        NodeSpec(
            name=f"{base}{_base36(index)}",
            pool=pool["name"],
            mode=properties.get("mode", "User"),
            vm_size=size.name,
            labels=_labels(cluster, pool, gpu=size.nvidia_gpus > 0, zone=_zone(cluster, zones, index)),
            taints=tuple(properties.get("nodeTaints") or ()),
            zone=_zone(cluster, zones, index),
            region=cluster["location"],
            cpus=size.vcpus,
            memory_mib=int(size.memory_gb * 1024),
            gpus=gpus,
            gpu_model=size.gpu if size.nvidia_gpus else None,
            kubernetes_version=properties["currentOrchestratorVersion"],
            spot=spot,
        )
        for index in range(properties.get("count", 0))
    ]


def _base36(number: int) -> str:
    text = ""
    while number:
        number, rest = divmod(number, 36)
        text = _BASE36[rest] + text
    return text.rjust(6, "0")


def _zone(cluster: Resource, zones: list[str], index: int) -> str | None:
    return f"{cluster['location']}-{zones[index % len(zones)]}" if zones else None


def _labels(cluster: Resource, pool: Resource, *, gpu: bool, zone: str | None) -> dict[str, str]:
    properties: dict[str, Any] = pool["properties"]
    labels = {
        "agentpool": pool["name"],
        "kubernetes.azure.com/agentpool": pool["name"],
        "kubernetes.azure.com/cluster": cluster["properties"]["nodeResourceGroup"],
        "kubernetes.azure.com/mode": properties.get("mode", "User").lower(),
        "kubernetes.azure.com/node-image-version": properties["nodeImageVersion"],
        "kubernetes.azure.com/os-sku": properties["osSKU"],
        "kubernetes.azure.com/role": "agent",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/os": properties["osType"].lower(),
        "beta.kubernetes.io/instance-type": properties["vmSize"],
        "node.kubernetes.io/instance-type": properties["vmSize"],
        "topology.kubernetes.io/region": cluster["location"],
        "topology.kubernetes.io/zone": zone or "0",
    }
    if gpu:
        labels["accelerator"] = labels["kubernetes.azure.com/accelerator"] = "nvidia"
    if properties.get("scaleSetPriority") == "Spot":
        labels["kubernetes.azure.com/scalesetpriority"] = "spot"
    return {**labels, **(properties.get("nodeLabels") or {})}
