"""The numbers in the status of queues: Workloads by state, and quota reserved and used."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from sandbox.kubernetes.controllers.kueue_workloads import holds_quota, is_true
from sandbox.kubernetes.jsontypes import Object, at
from sandbox.kubernetes.queueing.capacity import Node, Usage
from sandbox.kubernetes.queueing.requests import quantity_text
from sandbox.kubernetes.queueing.snapshot import usage_of_admission

__all__ = ["counts", "flavor_numbers"]


def counts(workloads: Iterable[Object]) -> dict[str, int]:
    """Pending, reserving and admitted Workloads of one queue."""
    pending = reserving = admitted = 0
    for workload in workloads:
        if is_true(workload, "Finished"):
            continue
        if holds_quota(workload):
            reserving += 1
            admitted += is_true(workload, "Admitted")
        elif workload["spec"].get("active", True):
            pending += 1
    return {"pendingWorkloads": pending, "reservingWorkloads": reserving, "admittedWorkloads": admitted}


def flavor_numbers(queue: Object, workloads: Iterable[Object], node: Node | None) -> tuple[list[Object], ...]:
    """flavorsReservation and flavorsUsage; `node` is given where the amounts borrowed are shown too."""
    reserved: Usage = {}
    used: Usage = {}
    for workload in workloads:
        if not holds_quota(workload):
            continue
        for pair, amount in usage_of_admission(workload["status"]["admission"]).items():
            reserved[pair] = reserved.get(pair, Decimal(0)) + amount
            if is_true(workload, "Admitted"):
                used[pair] = used.get(pair, Decimal(0)) + amount
    return tuple(_listed(queue, usage, node) for usage in (reserved, used))


def _listed(queue: Object, usage: Usage, node: Node | None) -> list[Object]:
    out = []
    for group in at(queue, "spec", "resourceGroups") or ():
        for flavor in group["flavors"]:
            resources = []
            for entry in flavor["resources"]:
                pair = (flavor["name"], entry["name"])
                total = usage.get(pair, Decimal(0))
                item = {"name": entry["name"], "total": quantity_text(entry["name"], total)}
                if node is not None:
                    over = max(Decimal(0), total - node.subtree(pair)) if node.parent else Decimal(0)
                    item["borrowed"] = quantity_text(entry["name"], over)
                resources.append(item)
            out.append({"name": flavor["name"], "resources": resources})
    return out
