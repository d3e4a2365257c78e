"""The verdict on node pools and nodes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gpuplatform.gpu.catalog import catalog
from gpuplatform.gpu.findings import Category, Status, Verdict
from gpuplatform.gpu.node import (
    GPU_TAINT,
    NodeEvidence,
    PoolEvidence,
    diagnose_node,
    diagnose_pool,
    settled,
)

NOW = datetime(2026, 12, 1, tzinfo=UTC)
GRACE = timedelta(minutes=15)
LABELS = {"hardware": "gpu", "gpu-type": "nvidia"}
NODE = NodeEvidence(
    name="aks-gpu-0",
    created=NOW - timedelta(hours=1),
    ready=True,
    instance_type="Standard_NC64as_T4_v3",
    labels=LABELS,
    taints=(GPU_TAINT,),
    allocatable={"cpu": "63", "nvidia.com/gpu": "4"},
)
POOL = PoolEvidence(
    cluster="aks",
    name="gpu",
    sku="Standard_NC64as_T4_v3",
    count=1,
    state="Succeeded",
    labels=LABELS,
    taints=(GPU_TAINT,),
    wants_gpu=True,
    nodes=(NODE,),
)


def node_verdict(**changes: Any) -> Verdict:
    family, sku = catalog().family_of_sku(POOL.sku), catalog().sku(POOL.sku)
    assert family is not None
    assert sku is not None
    return diagnose_node(replace(NODE, **changes), POOL, family, sku)


def categories(verdict: Verdict) -> set[Category]:
    return {finding.category for finding in verdict.findings}


def test_a_healthy_node() -> None:
    verdict = node_verdict()
    assert (verdict.status, verdict.seen_gpus, verdict.findings) == (Status.HEALTHY, 4, ())


@pytest.mark.parametrize(
    ("changes", "category", "status"),
    [
        ({"ready": False, "not_ready_reason": "NodeStatusUnknown"}, Category.NODE_NOT_READY, Status.FAILING),
        ({"allocatable": {"cpu": "63"}}, Category.DEVICE_PLUGIN, Status.FAILING),
        ({"allocatable": {"nvidia.com/gpu": "0"}}, Category.GPU_ALLOCATABLE, Status.FAILING),
        ({"allocatable": {"nvidia.com/gpu": "3"}}, Category.GPU_ALLOCATABLE, Status.FAILING),
        ({"allocatable": {"nvidia.com/gpu": "8"}}, Category.GPU_ALLOCATABLE, Status.DEGRADED),
        ({"allocatable": {"nvidia.com/mig-1g.10gb": "7"}}, Category.MIG, Status.UNKNOWN),
        ({"labels": {}}, Category.LABELS, Status.DEGRADED),
        ({"taints": ()}, Category.TAINT, Status.DEGRADED),
        ({"taints": ("sku=gpu:PreferNoSchedule",)}, Category.TAINT, Status.DEGRADED),
        ({"unschedulable": True}, Category.NODE_CORDONED, Status.DEGRADED),
        ({"conditions": {"GPUMissing": "one is gone"}}, Category.NODE_CONDITION, Status.DEGRADED),
        ({"instance_type": "Standard_D4s_v5"}, Category.SKU_MISMATCH, Status.FAILING),
    ],
)
def test_what_is_wrong_with_a_node(changes: dict[str, Any], category: Category, status: Status) -> None:
    verdict = node_verdict(**changes)
    assert category in categories(verdict)
    assert verdict.status is status


def test_a_cpu_size_in_a_gpu_pool_is_found_even_without_nodes() -> None:
    pool = replace(POOL, sku="Standard_D16s_v5", count=0, nodes=())
    verdict = diagnose_pool(pool, catalog())
    assert verdict.status is Status.FAILING
    assert verdict.worst is not None
    assert verdict.worst.category is Category.CPU_SKU


def test_a_pool_scaled_to_zero_is_nothing_to_verify() -> None:
    verdict = diagnose_pool(replace(POOL, count=0, nodes=()), catalog())
    assert verdict.status is Status.NOTHING
    assert verdict.summary == "the pool is scaled to zero"


@pytest.mark.parametrize(
    ("changes", "category", "status"),
    [
        ({"nodes": None, "gap": "signing in: refused"}, Category.EVIDENCE_MISSING, Status.UNKNOWN),
        ({"nodes": (), "count": 2}, Category.NODES_MISSING, Status.FAILING),
        ({"state": "Failed"}, Category.POOL_FAILED, Status.FAILING),
        ({"taints": ()}, Category.TAINT, Status.DEGRADED),
        ({"sku": "Standard_NC4as_T9_v9"}, Category.SKU_UNKNOWN, Status.UNKNOWN),
        ({"nodes": (), "stopped": True}, Category.POOL_EMPTY, Status.NOTHING),
    ],
)
def test_what_is_wrong_with_a_pool(changes: dict[str, Any], category: Category, status: Status) -> None:
    verdict = diagnose_pool(replace(POOL, **changes), catalog())
    assert category in categories(verdict)
    assert verdict.status is status


@pytest.mark.parametrize(
    ("pool", "done"),
    [
        (POOL, True),
        (replace(POOL, state="Scaling"), False),
        (replace(POOL, count=2), False),
        (replace(POOL, nodes=None), True),
        (replace(POOL, sku="Standard_D4s_v5", nodes=()), True),
        (replace(POOL, nodes=(replace(NODE, ready=False, created=NOW),)), False),
        (replace(POOL, nodes=(replace(NODE, allocatable={}, created=NOW),)), False),
        (replace(POOL, nodes=(replace(NODE, ready=False),)), True),  # old enough to be broken
    ],
)
def test_what_is_waited_for(pool: PoolEvidence, done: bool) -> None:
    assert settled(pool, catalog(), NOW, GRACE) is done
