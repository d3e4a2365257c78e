"""Which Workloads have to go so that another one fits."""

from __future__ import annotations

from dataclasses import dataclass

from sandbox.kubernetes.jsontypes import Object, at
from sandbox.kubernetes.queueing.capacity import Node, Pair, Usage
from sandbox.kubernetes.queueing.snapshot import Holder, Snapshot

__all__ = ["Preemptor", "Target", "find_targets"]

WITHIN_QUEUE = "InClusterQueue"
RECLAIM = "InCohortReclamation"
RECLAIM_WHILE_BORROWING = "InCohortReclaimWhileBorrowing"


@dataclass(frozen=True)
class Preemptor:
    """The Workload that wants to be admitted, with what it would use."""

    queue: str
    priority: int
    order: int
    usage: Usage


@dataclass(frozen=True)
class Target:
    holder: Holder
    reason: str


def find_targets(snapshot: Snapshot, wanted: Preemptor) -> list[Target]:
    """The fewest Workloads to preempt, or none where preemption cannot help."""
    policy = at(snapshot.queues[wanted.queue], "spec", "preemption") or {}
    node = snapshot.nodes[wanted.queue]
    scarce = [pair for pair, amount in wanted.usage.items() if amount > node.available(pair)]
    own = [
        h for h in snapshot.holders if h.queue == wanted.queue and _own_candidate(h, wanted, policy, scarce)
    ]
    others = _cohort_candidates(snapshot, wanted, policy, scarce)
    limit = _borrowing_threshold(policy, wanted)
    if limit is not None:
        mixed = [h for h in others if h.priority < limit] + own
        found = _minimal(snapshot, wanted, mixed, scarce, borrowing=True)
        if found:
            return [
                Target(h, WITHIN_QUEUE if h.queue == wanted.queue else RECLAIM_WHILE_BORROWING) for h in found
            ]
    found = _minimal(snapshot, wanted, others + own, scarce, borrowing=not others)
    if not found and others:
        found = _minimal(snapshot, wanted, own, scarce, borrowing=True)
    return [Target(h, WITHIN_QUEUE if h.queue == wanted.queue else RECLAIM) for h in found]


def _borrowing_threshold(policy: Object, wanted: Preemptor) -> int | None:
    """With borrowWithinCohort: Workloads of others below this priority may go even for a borrower."""
    rule = policy.get("borrowWithinCohort") or {}
    if rule.get("policy") != "LowerPriority":
        return None
    threshold = rule.get("maxPriorityThreshold")
    return wanted.priority if threshold is None else min(wanted.priority, int(threshold) + 1)


def _uses(holder: Holder, scarce: list[Pair]) -> bool:
    return any(holder.usage.get(pair) for pair in scarce)


def _own_candidate(holder: Holder, wanted: Preemptor, policy: Object, scarce: list[Pair]) -> bool:
    rule = policy.get("withinClusterQueue", "Never")
    if rule == "Never" or not _uses(holder, scarce):
        return False
    if holder.priority < wanted.priority:
        return True
    newer = holder.priority == wanted.priority and holder.order > wanted.order
    return rule == "LowerOrNewerEqualPriority" and newer


def _cohort_candidates(
    snapshot: Snapshot, wanted: Preemptor, policy: Object, scarce: list[Pair]
) -> list[Holder]:
    node = snapshot.nodes[wanted.queue]
    rule = policy.get("reclaimWithinCohort", "Never")
    if rule == "Never" or node.parent is None:
        return []
    return [
        h
        for h in snapshot.holders
        if h.queue != wanted.queue
        and h.queue in snapshot.nodes
        and snapshot.nodes[h.queue].root() is node.root()
        and _borrows(snapshot.nodes[h.queue], scarce)
        and _uses(h, scarce)
        and (rule == "Any" or h.priority < wanted.priority)
    ]


def _borrows(node: Node, scarce: list[Pair]) -> bool:
    return any(node.borrowed(pair) > 0 for pair in scarce)


def _fits(node: Node, wanted: Preemptor, *, borrowing: bool) -> bool:
    return all(
        amount <= node.available(pair) and (borrowing or not node.borrows_with(pair, amount))
        for pair, amount in wanted.usage.items()
    )


def _minimal(
    snapshot: Snapshot,
    wanted: Preemptor,
    candidates: list[Holder],
    scarce: list[Pair],
    *,
    borrowing: bool,
) -> list[Holder]:
    """Takes candidates out until it fits, then puts back those that need not go."""
    node = snapshot.nodes[wanted.queue]
    newest_first = sorted(candidates, key=lambda h: (h.since, h.order), reverse=True)
    ordered = sorted(newest_first, key=lambda h: (h.queue == wanted.queue, h.priority))
    taken: list[Holder] = []
    fits = False
    for holder in ordered:
        place = snapshot.nodes[holder.queue]
        if holder.queue != wanted.queue and not _borrows(place, scarce):
            # Its queue is back within its own quota: nothing to reclaim there any more.
            continue
        place.give_back(holder.usage)
        taken.append(holder)
        if _fits(node, wanted, borrowing=borrowing):
            fits = True
            break
    chosen = list(taken)
    if fits:
        for holder in reversed(taken[:-1]):
            snapshot.nodes[holder.queue].take(holder.usage)
            if _fits(node, wanted, borrowing=borrowing):
                chosen.remove(holder)
            else:
                snapshot.nodes[holder.queue].give_back(holder.usage)
    for holder in chosen:
        snapshot.nodes[holder.queue].take(holder.usage)
    return chosen if fits else []
