"""Which flavor each resource of a Workload gets, and why not where none fits."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from enum import IntEnum

from sandbox.kubernetes.jsontypes import Object, at
from sandbox.kubernetes.queueing.capacity import Node, Usage
from sandbox.kubernetes.queueing.preemption import Preemptor, find_targets
from sandbox.kubernetes.queueing.requests import Amounts, pod_set_requests, quantity_text
from sandbox.kubernetes.queueing.snapshot import Snapshot
from sandbox.kubernetes.scheduling import tolerates
from sandbox.kubernetes.selectors import Requirement

__all__ = ["Assignment", "Mode", "assign_flavors"]

_OPERATORS = {"In": "in", "NotIn": "notin", "Exists": "exists", "DoesNotExist": "!", "Gt": "gt", "Lt": "lt"}
_SEVERITY = ("WaitingForQuota", "ExceedsMaxQuota", "NoMatchingFlavor")


class Mode(IntEnum):
    """How well something fits, the worst first."""

    NO_FIT = 0
    NO_CANDIDATES = 1
    PREEMPT = 2
    RECLAIM = 3
    FIT = 4


@dataclass
class Assignment:
    """The flavors of each pod set; where it does not fit, the message and the reason for it."""

    mode: Mode = Mode.FIT
    pod_sets: list[tuple[Object, dict[str, str], Amounts]] = field(default_factory=list)
    requests: list[tuple[Object, Amounts]] = field(default_factory=list)
    """What each pod set asks for, those after the first misfit too."""
    usage: Usage = field(default_factory=dict)
    message: str = ""
    reason: str = ""
    """Empty where Kueue has no reason and writes no condition."""


@dataclass
class _Choice:
    mode: Mode = Mode.NO_FIT
    height: int = 0
    flavors: dict[str, str] = field(default_factory=dict)


@dataclass
class _Search:
    """One Workload in one ClusterQueue."""

    snapshot: Snapshot
    queue: Object
    node: Node
    wanted: Preemptor
    usage: Usage = field(default_factory=dict)

    def group_choice(
        self, group: Object, pod_set: Object, requests: Amounts
    ) -> tuple[_Choice, list[str], str]:
        """The best flavor for the resources of one group, the reasons against it, the mildest reason code."""
        rules = at(self.queue, "spec", "flavorFungibility") or {}
        best, reasons, codes = _Choice(), [], []
        for flavor in group.get("flavors") or ():
            name = flavor["name"]
            problem = _mismatch(self.snapshot.flavors.get(name), name, pod_set["template"]["spec"])
            if problem:
                reasons.append(problem)
                codes.append("NoMatchingFlavor")
                continue
            choice = _Choice(Mode.FIT)
            worst = ""
            for resource in sorted(requests):
                mode, height, text, code = self._resource(name, resource, requests[resource])
                if text:
                    reasons.append(text)
                    worst = _more_severe(worst, code)
                choice.mode, choice.height = min(choice.mode, mode), max(choice.height, height)
                if choice.mode is Mode.NO_FIT:
                    break
                choice.flavors[resource] = name
            codes.append(worst)
            if not _goes_on(choice, rules):
                best = choice
                break
            if (choice.mode, -choice.height) > (best.mode, -best.height):
                best = choice
        mildest = min((code for code in codes if code), key=_SEVERITY.index, default="WaitingForQuota")
        return best, reasons, mildest

    def _resource(self, flavor: str, resource: str, amount: Decimal) -> tuple[Mode, int, str, str]:
        pair = (flavor, resource)
        before = self.usage.get(pair, Decimal(0))
        total, most = before + amount, self.node.potential(pair)
        if total > most:
            text = (
                f"insufficient quota for {resource} in flavor {flavor}, previously considered podsets"
                f" requests ({quantity_text(resource, before)}) + current podset request"
                f" ({quantity_text(resource, amount)}) > maximum capacity ({quantity_text(resource, most)})"
            )
            return Mode.NO_FIT, 0, text, "ExceedsMaxQuota"
        height, reclaimable = self.node.height_for(pair, total)
        available = self.node.available(pair)
        if total <= available:
            return Mode.FIT, height, "", ""
        text = (
            f"insufficient unused quota for {resource} in flavor {flavor},"
            f" {quantity_text(resource, total - available)} more needed"
        )
        policy = at(self.queue, "spec", "preemption") or {}
        while_borrowing = at(policy, "borrowWithinCohort", "policy") not in (None, "Never")
        within = policy.get("withinClusterQueue", "Never") != "Never"
        if not (total <= self.node.quota(pair).nominal or reclaimable or while_borrowing or within):
            return Mode.NO_FIT, height, text, "WaitingForQuota"
        targets = find_targets(
            self.snapshot,
            Preemptor(self.wanted.queue, self.wanted.priority, self.wanted.order, {pair: total}),
        )
        if not targets:
            return Mode.NO_CANDIDATES, height, text, "WaitingForQuota"
        reclaim = all(target.holder.queue != self.wanted.queue for target in targets)
        return (Mode.RECLAIM if reclaim else Mode.PREEMPT), height, text, "WaitingForQuota"


def _more_severe(left: str, right: str) -> str:
    if not left:
        return right
    return max(left, right, key=_SEVERITY.index)


def _goes_on(choice: _Choice, rules: Object) -> bool:
    """Whether the next flavor is tried too."""
    if choice.mode in (Mode.NO_FIT, Mode.NO_CANDIDATES):
        return True
    if choice.mode is not Mode.FIT and rules.get("whenCanPreempt", "TryNextFlavor") == "TryNextFlavor":
        return True
    return choice.height > 0 and rules.get("whenCanBorrow") == "TryNextFlavor"


def _mismatch(flavor: Object | None, name: str, spec: Object) -> str:
    """Why pods of this spec cannot run on the flavor's nodes; empty where they can."""
    if flavor is None:
        return f"flavor {name} not found"
    content = flavor.get("spec") or {}
    both = {"spec": {"tolerations": [*(spec.get("tolerations") or ()), *(content.get("tolerations") or ())]}}
    for taint in content.get("nodeTaints") or ():
        if taint["effect"] in ("NoSchedule", "NoExecute") and not tolerates(both, taint):
            value = f"={taint['value']}" if taint.get("value") else ""
            return f"untolerated taint {{{taint['key']}{value}:{taint['effect']}}} in flavor {name}"
    labels = content.get("nodeLabels") or {}
    if not _selected(spec, labels):
        return f"flavor {name} doesn't match node affinity"
    return ""


def _selected(spec: Object, labels: dict[str, str]) -> bool:
    """Only the flavor's own labels count: of others nobody knows what the nodes have."""
    selector = spec.get("nodeSelector") or {}
    if any(key in labels and labels[key] != value for key, value in selector.items()):
        return False
    needed = at(spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution") or {}
    terms = []
    for term in needed.get("nodeSelectorTerms") or ():
        kept = [e for e in term.get("matchExpressions") or () if e["key"] in labels]
        if not kept:
            return True
        terms.append(kept)
    return not terms or any(
        all(
            Requirement(e["key"], _OPERATORS[e["operator"]], tuple(e.get("values") or ())).matches(labels)
            for e in term
        )
        for term in terms
    )


def assign_flavors(snapshot: Snapshot, workload: Object, wanted: Preemptor) -> Assignment:
    """Flavors for every pod set, each counting what the ones before it take."""
    queue = snapshot.queues[wanted.queue]
    groups = at(queue, "spec", "resourceGroups") or []
    search = _Search(snapshot, queue, snapshot.nodes[wanted.queue], wanted)
    out = Assignment()
    texts = []
    for pod_set in workload["spec"]["podSets"]:
        requests = pod_set_requests(pod_set)
        if any("pods" in group["coveredResources"] for group in groups):
            requests["pods"] = Decimal(int(pod_set.get("count", 1)))
        out.requests.append((pod_set, requests))
    for pod_set, requests in out.requests:
        chosen: dict[str, str] = {}
        reasons: list[str] = []
        for resource in sorted(requests):
            if resource in chosen:
                continue
            group = next((g for g in groups if resource in g["coveredResources"]), None)
            if group is None:
                reasons.append(f"resource {resource} unavailable in ClusterQueue")
                out.mode, out.reason = Mode.NO_FIT, ""
                break
            covered = {name: requests[name] for name in requests if name in group["coveredResources"]}
            best, problems, code = search.group_choice(group, pod_set, covered)
            if best.mode is not Mode.FIT:
                reasons += problems
                out.reason = _more_severe(out.reason, code)
            out.mode = min(out.mode, best.mode)
            if best.mode is Mode.NO_FIT:
                break
            chosen |= best.flavors
        if reasons:
            listed = ", ".join(sorted(reasons))
            texts.append(f"couldn't assign flavors to pod set {pod_set['name']}: {listed}")
        if out.mode is Mode.NO_FIT:
            break
        for resource, flavor in chosen.items():
            pair = (flavor, resource)
            search.usage[pair] = search.usage.get(pair, Decimal(0)) + requests[resource]
        out.pod_sets.append((pod_set, chosen, requests))
    out.usage = search.usage
    out.message = "; ".join(texts)
    return out
