"""One look at all queues: who holds quota, and the tree they hold it in."""

from __future__ import annotations

from dataclasses import dataclass, field

from sandbox.kubernetes import quantities
from sandbox.kubernetes.jsontypes import Object, at
from sandbox.kubernetes.queueing.capacity import Node, Usage

__all__ = ["Holder", "Snapshot", "condition_of", "usage_of_admission"]


def condition_of(obj: Object, kind: str) -> Object:
    """The condition of this type, or an empty object."""
    found: Object
    for found in at(obj, "status", "conditions") or ():
        if found["type"] == kind:
            return found
    return {}


def usage_of_admission(admission: Object) -> Usage:
    out: Usage = {}
    for item in admission.get("podSetAssignments") or ():
        for resource, amount in (item.get("resourceUsage") or {}).items():
            pair = ((item.get("flavors") or {}).get(resource, ""), resource)
            value = quantities.parse(str(amount))
            out[pair] = out[pair] + value if pair in out else value
    return out


@dataclass(eq=False)
class Holder:
    """A Workload that holds quota."""

    workload: Object
    queue: str
    usage: Usage
    priority: int
    order: int
    """Its place among all Workloads by age."""
    since: str
    """When it got its quota."""


@dataclass
class Snapshot:
    queues: dict[str, Object]
    nodes: dict[str, Node]
    flavors: dict[str, Object]
    holders: list[Holder] = field(default_factory=list)

    def hold(self, holder: Holder) -> None:
        self.holders.append(holder)
        if holder.queue in self.nodes:
            self.nodes[holder.queue].take(holder.usage)

    def release(self, holder: Holder) -> None:
        self.holders.remove(holder)
        if holder.queue in self.nodes:
            self.nodes[holder.queue].give_back(holder.usage)
