"""The diagnosis of GPU node pools and their nodes: evidence in, verdicts out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from gpuplatform.gpu.catalog import Catalog, GpuFamily, GpuSku
from gpuplatform.gpu.findings import Category, Finding, Kind, Severity, Verdict, verdict
from gpuplatform.scrubbing import cap

__all__ = ["GPU_TAINT", "NodeEvidence", "PoolEvidence", "diagnose_node", "diagnose_pool", "settled"]

GPU_TAINT = "sku=gpu:NoSchedule"
"""The taint that keeps pods without GPUs off the most expensive nodes (the platform's rule)."""


@dataclass(frozen=True)
class NodeEvidence:
    """One node as the cluster's API reports it."""

    name: str
    created: datetime
    ready: bool
    instance_type: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[str, ...] = ()
    """`key=value:Effect` each."""
    allocatable: Mapping[str, str] = field(default_factory=dict)
    unschedulable: bool = False
    conditions: Mapping[str, str] = field(default_factory=dict)
    """Problem conditions that are true, with their message; Ready is not among them."""
    not_ready_reason: str = ""


@dataclass(frozen=True)
class PoolEvidence:
    """One node pool as Azure describes it, with its nodes as the cluster does."""

    cluster: str
    name: str
    sku: str
    count: int
    state: str
    """Azure's provisioning state, such as Succeeded or Scaling."""
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[str, ...] = ()
    wants_gpu: bool = False
    """Whether something other than the size says that GPUs are meant: taint, label, driver or name."""
    stopped: bool = False
    nodes: tuple[NodeEvidence, ...] | None = None
    """None: the cluster's API could not be read."""
    gap: str = ""

    @property
    def target(self) -> str:
        return f"{self.cluster}/{self.name}"


def settled(pool: PoolEvidence, catalog: Catalog, now: datetime, grace: timedelta) -> bool:
    """Whether waiting longer is unlikely to change the verdict.

    A node younger than `grace` may still become Ready and get its device plugin.
    """
    if pool.stopped or pool.nodes is None or catalog.family_of_sku(pool.sku) is None:
        return True
    if pool.state.lower() not in {"succeeded", "failed", "canceled"} or len(pool.nodes) < pool.count:
        return False
    resource = _resource(catalog.family_of_sku(pool.sku))
    return all(
        (node.ready and _quantity(node.allocatable.get(resource))) or now - node.created > grace
        for node in pool.nodes
    )


def diagnose_pool(pool: PoolEvidence, catalog: Catalog) -> Verdict:
    """The verdict on the pool as a whole: its size, its taint, whether there are nodes to prove anything."""
    sku, family = catalog.sku(pool.sku), catalog.family_of_sku(pool.sku)
    findings = list(_sku(pool, catalog, family))
    if GPU_TAINT not in pool.taints:
        findings.append(_no_taint("the pool", pool.taints))
    if pool.state.lower() in {"failed", "canceled"}:
        findings.append(
            Finding(
                category=Category.POOL_FAILED,
                severity=Severity.ERROR,
                summary=f"the node pool is in state {pool.state}",
                resolution="Read the pool's error in Azure's activity log; a quota refusal is the usual one.",
            )
        )
    seen = None
    if pool.nodes is None:
        findings.append(
            Finding(
                category=Category.EVIDENCE_MISSING,
                severity=Severity.UNKNOWN,
                summary="the cluster's nodes could not be read",
                detail=cap(pool.gap, 600),
            )
        )
    elif not pool.nodes and (pool.count == 0 or pool.stopped):
        findings.append(
            Finding(
                category=Category.POOL_EMPTY,
                severity=Severity.INFO,
                summary="the pool is stopped" if pool.stopped else "the pool is scaled to zero",
            )
        )
    elif len(pool.nodes) < pool.count:
        findings.append(
            Finding(
                category=Category.NODES_MISSING,
                severity=Severity.ERROR,
                summary=f"{len(pool.nodes)} of {pool.count} nodes have joined the cluster",
                resolution="Look at the scale set's instances in the node resource group: quota, capacity or"
                " a node that does not start.",
            )
        )
    if pool.nodes:
        seen = sum(_quantity(node.allocatable.get(_resource(family))) for node in pool.nodes)
    expected = sku.devices * max(pool.count, len(pool.nodes or ())) if sku else None
    return verdict(
        Kind.POOL,
        pool.target,
        pool.sku,
        findings,
        expected_gpus=expected,
        seen_gpus=seen,
        model=family.model if family else None,
    )


def diagnose_node(node: NodeEvidence, pool: PoolEvidence, family: GpuFamily, sku: GpuSku) -> Verdict:
    """The verdict on one node: Ready, allocatable GPUs against the size, labels, taint, conditions."""
    resource = _resource(family)
    seen = _quantity(node.allocatable.get(resource))
    findings = [*_health(node), *_gpus(node, resource, seen, sku), *_marks(node, pool)]
    return verdict(
        Kind.NODE,
        f"{pool.target}/{node.name}",
        node.instance_type or pool.sku,
        findings,
        expected_gpus=sku.devices,
        seen_gpus=seen,
        model=node.labels.get("nvidia.com/gpu.product") or family.model,
        driver=_driver_version(node.labels),
    )


def _sku(pool: PoolEvidence, catalog: Catalog, family: GpuFamily | None) -> Iterator[Finding]:
    if family is not None:
        return
    if catalog.may_be_gpu_sku(pool.sku):
        yield Finding(
            category=Category.SKU_UNKNOWN,
            severity=Severity.UNKNOWN,
            summary=f"{pool.sku} is an N-series size that the catalogue does not know",
            resolution="Add the size to the GPU catalogue.",
        )
    elif pool.wants_gpu:
        yield Finding(
            category=Category.CPU_SKU,
            severity=Severity.ERROR,
            summary=f"{pool.sku} has no GPU, in a pool that is meant for GPUs",
            detail="Training that finds no GPU often goes on, slowly, on the CPU.",
            resolution="Give the pool an N-series size; it has to be made again.",
        )


def _health(node: NodeEvidence) -> Iterator[Finding]:
    if not node.ready:
        yield Finding(
            category=Category.NODE_NOT_READY,
            severity=Severity.ERROR,
            summary="the node is not Ready",
            detail=cap(node.not_ready_reason, 300),
            resolution="Look at the node's conditions and kubelet; delete the machine if it does not return.",
        )
    for condition, message in node.conditions.items():
        yield Finding(
            category=Category.NODE_CONDITION,
            severity=Severity.WARNING,
            summary=f"node condition {condition} is true",
            detail=cap(message, 300),
        )
    if node.unschedulable:
        yield Finding(
            category=Category.NODE_CORDONED,
            severity=Severity.WARNING,
            summary="the node is cordoned",
            resolution="Uncordon it when the maintenance is over.",
        )


def _gpus(node: NodeEvidence, resource: str, seen: int, sku: GpuSku) -> Iterator[Finding]:
    slices = sorted(name for name in node.allocatable if name.startswith("nvidia.com/mig-"))
    if slices and seen == 0:
        yield Finding(
            category=Category.MIG,
            severity=Severity.UNKNOWN,
            summary="the GPUs are offered as MIG slices, which are not counted",
            detail=", ".join(f"{name}: {node.allocatable[name]}" for name in slices),
        )
    elif seen == 0 and resource not in node.allocatable:
        yield Finding(
            category=Category.DEVICE_PLUGIN,
            severity=Severity.ERROR,
            summary=f"the node offers no {resource}: no device plugin runs on it",
            resolution="Install the NVIDIA device plugin (a DaemonSet that tolerates sku=gpu) or the GPU"
            " Operator; check its log if it is there.",
        )
    elif seen < sku.devices:
        yield Finding(
            category=Category.GPU_ALLOCATABLE,
            severity=Severity.ERROR,
            summary=f"{seen} of {sku.devices} GPUs are allocatable",
            resolution="The device plugin found the others unhealthy: read its log and run nvidia-smi in a"
            " pod on the node.",
        )
    elif seen > sku.devices:
        yield Finding(
            category=Category.GPU_ALLOCATABLE,
            severity=Severity.WARNING,
            summary=f"{seen} GPUs are offered where the size has {sku.devices}: they are shared by time",
        )


def _marks(node: NodeEvidence, pool: PoolEvidence) -> Iterator[Finding]:
    if node.instance_type and node.instance_type.lower() != pool.sku.lower():
        yield Finding(
            category=Category.SKU_MISMATCH,
            severity=Severity.ERROR,
            summary=f"the node is a {node.instance_type}, its pool a {pool.sku}",
        )
    missing = [f"{key}={value}" for key, value in pool.labels.items() if node.labels.get(key) != value]
    if missing:
        yield Finding(
            category=Category.LABELS,
            severity=Severity.WARNING,
            summary=f"labels of the pool are missing on the node: {', '.join(missing)}",
            resolution="Set them on the pool again; AKS copies them to its nodes.",
        )
    if GPU_TAINT in pool.taints and GPU_TAINT not in node.taints:  # else the pool's verdict says so
        yield _no_taint("the node", node.taints)


def _no_taint(where: str, taints: tuple[str, ...]) -> Finding:
    return Finding(
        category=Category.TAINT,
        severity=Severity.WARNING,
        summary=f"{where} has no taint {GPU_TAINT}: pods without GPUs may fill it",
        detail=f"taints: {', '.join(taints) or 'none'}",
        resolution=f"Add {GPU_TAINT} to the pool's taints.",
    )


def _resource(family: GpuFamily | None) -> str:
    return "amd.com/gpu" if family and family.vendor == "amd" else "nvidia.com/gpu"


def _quantity(value: str | None) -> int:
    return int(value) if value and value.isdigit() else 0


def _driver_version(labels: Mapping[str, str]) -> str | None:
    # Labels of GPU Feature Discovery, where it runs.
    return labels.get("nvidia.com/cuda.driver-version.full")
