"""Kueue's scheduler: reserves quota for the Workloads that wait, in order, and says why others wait."""

from __future__ import annotations

from sandbox.kubernetes.admission import limits
from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.controllers.kueue_checks import inadmissible, stop_reason, update_stopped
from sandbox.kubernetes.controllers.kueue_workloads import (
    GROUP,
    WORKLOADS,
    Word,
    admit,
    evict,
    holds_quota,
    is_true,
    queues_of,
    refuse,
    set_status_condition,
)
from sandbox.kubernetes.jsontypes import Object, at, clone
from sandbox.kubernetes.queueing.capacity import build_tree
from sandbox.kubernetes.queueing.flavors import Assignment, Mode, assign_flavors
from sandbox.kubernetes.queueing.preemption import Preemptor, Target, find_targets
from sandbox.kubernetes.queueing.snapshot import Holder, Snapshot, condition_of, usage_of_admission

__all__ = ["schedule"]

_WHY = {
    "InClusterQueue": "prioritization in the ClusterQueue",
    "InCohortReclamation": "reclamation within the cohort",
    "InCohortReclaimWhileBorrowing": "reclamation within the cohort while borrowing",
}
Waiting = tuple[int, Object, Object]
"""Its place by age, the Workload, its ClusterQueue."""


def schedule(cluster: Cluster) -> None:
    workloads = cluster.store.by_age(WORKLOADS)
    if not workloads:
        return
    snapshot = _empty_snapshot(cluster)
    waiting: dict[str, list[Waiting]] = {}
    for order, workload in enumerate(workloads):
        _sort_in(cluster, snapshot, waiting, order, workload)
    for entries in waiting.values():
        entries.sort(key=lambda entry: (-_priority(entry[1]), entry[0]))
    while any(waiting.values()):
        _cycle(cluster, snapshot, waiting)


def _empty_snapshot(cluster: Cluster) -> Snapshot:
    queues = cluster.store.items(f"{GROUP}/clusterqueues")
    return Snapshot(
        {queue["metadata"]["name"]: queue for queue in queues},
        build_tree(queues, cluster.store.items(f"{GROUP}/cohorts")),
        {flavor["metadata"]["name"]: flavor for flavor in cluster.store.items(f"{GROUP}/resourceflavors")},
    )


def _sort_in(
    cluster: Cluster,
    snapshot: Snapshot,
    waiting: dict[str, list[Waiting]],
    order: int,
    workload: Object,
) -> None:
    """A holder of quota, one that may be tried, or one that cannot be admitted whatever is free."""
    if is_true(workload, "Finished") or workload["metadata"].get("deletionTimestamp"):
        return
    local, queue = queues_of(cluster, workload)
    stopped = stop_reason(workload, local, queue)
    if holds_quota(workload):
        if stopped is not None and stopped.drains:
            evict(cluster, workload, stopped.reason, stopped.message)
            return
        _finish_checks(cluster, workload)
        snapshot.hold(_holder(workload, order))
        return
    if not workload["spec"].get("active", True):
        return
    workload = update_stopped(cluster, workload, stopped)
    problem = inadmissible(cluster, workload, local, queue)
    if problem is not None or queue is None:
        refuse(cluster, workload, *(problem or ("", "")))
        return
    waiting.setdefault(queue["metadata"]["name"], []).append((order, workload, queue))


def _holder(workload: Object, order: int) -> Holder:
    admission = workload["status"]["admission"]
    since = condition_of(workload, "QuotaReserved").get("lastTransitionTime", "")
    usage = usage_of_admission(admission)
    return Holder(workload, admission["clusterQueue"], usage, _priority(workload), order, since)


def _priority(workload: Object) -> int:
    return int(workload["spec"].get("priority") or 0)


def _finish_checks(cluster: Cluster, workload: Object) -> None:
    checks = at(workload, "status", "admissionChecks") or ()
    if checks and not is_true(workload, "Admitted") and all(c["state"] == "Ready" for c in checks):
        set_status_condition(
            cluster, workload, Word("Admitted", "True", "Admitted", "The workload is admitted")
        )


def _cycle(cluster: Cluster, snapshot: Snapshot, waiting: dict[str, list[Waiting]]) -> None:
    """One Workload of each queue; those that borrow come after those that do not."""
    heads = [entries.pop(0) for entries in waiting.values() if entries]
    tried = []
    for order, workload, queue in heads:
        assignment = _assign(cluster, snapshot, order, workload, queue)
        node = snapshot.nodes[queue["metadata"]["name"]]
        borrows = any(node.borrows_with(pair, amount) for pair, amount in assignment.usage.items())
        tried.append((borrows, -_priority(workload), order, workload, queue))
    for _, _, order, workload, queue in sorted(tried, key=lambda entry: entry[:3]):
        done = _try(cluster, snapshot, order, workload, queue)
        if not done and at(queue, "spec", "queueingStrategy") == "StrictFIFO":
            waiting[queue["metadata"]["name"]] = []


def _preemptor(order: int, workload: Object, queue: Object, assignment: Assignment | None) -> Preemptor:
    usage = assignment.usage if assignment else {}
    return Preemptor(queue["metadata"]["name"], _priority(workload), order, usage)


def _assign(cluster: Cluster, snapshot: Snapshot, order: int, workload: Object, queue: Object) -> Assignment:
    counted = _with_limit_ranges(cluster, workload)
    return assign_flavors(snapshot, counted, _preemptor(order, workload, queue, None))


def _with_limit_ranges(cluster: Cluster, workload: Object) -> Object:
    """Kueue counts the defaults that the namespace's LimitRanges will give the pods."""
    namespace = workload["metadata"]["namespace"]
    if not cluster.store.items("/limitranges", namespace):
        return workload
    out: Object = clone(workload)
    for pod_set in out["spec"]["podSets"]:
        limits.set_defaults(
            cluster, {"metadata": {"namespace": namespace}, "spec": pod_set["template"]["spec"]}
        )
    return out


def _try(cluster: Cluster, snapshot: Snapshot, order: int, workload: Object, queue: Object) -> bool:
    assignment = _assign(cluster, snapshot, order, workload, queue)
    targets: list[Target] = []
    if assignment.mode in (Mode.PREEMPT, Mode.RECLAIM):
        targets = find_targets(snapshot, _preemptor(order, workload, queue, assignment))
    if assignment.mode is not Mode.FIT and not targets:
        fallback = "WaitingForQuota" if assignment.mode is not Mode.NO_FIT else assignment.reason
        refuse(cluster, workload, fallback, assignment.message, assignment)
        return False
    for target in targets:
        _preempt(cluster, snapshot, target, workload, queue)
    snapshot.hold(_holder(admit(cluster, workload, queue, assignment), order))
    return True


def _preempt(cluster: Cluster, snapshot: Snapshot, target: Target, workload: Object, queue: Object) -> None:
    snapshot.release(target.holder)
    job = (workload["metadata"].get("labels") or {}).get(f"{GROUP}/job-uid") or "UNKNOWN"
    above = snapshot.nodes[queue["metadata"]["name"]].path()
    below = snapshot.nodes[target.holder.queue].path()
    message = (
        f"Preempted to accommodate a workload (UID: {workload['metadata']['uid']}, JobUID: {job}) due to"
        f" {_WHY[target.reason]}; preemptor path: {above}; preemptee path: {below}"
    )
    evict(cluster, target.holder.workload, "Preempted", message, preempted=target.reason)
