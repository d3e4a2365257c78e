"""The tree of cohorts and ClusterQueues, and what each node has, uses and may still take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from sandbox.kubernetes import quantities
from sandbox.kubernetes.jsontypes import Object, at

__all__ = ["Node", "Pair", "Quota", "Usage", "build_tree"]

Pair = tuple[str, str]
"""A flavor and a resource."""
Usage = dict[Pair, Decimal]
_ZERO = Decimal(0)


@dataclass(frozen=True)
class Quota:
    """None as a limit: borrow without limit, lend everything."""

    nominal: Decimal = _ZERO
    borrowing: Decimal | None = None
    lending: Decimal | None = None


_NOTHING = Quota()


@dataclass(eq=False)
class Node:
    """A ClusterQueue, or a cohort with children."""

    name: str
    quotas: dict[Pair, Quota] = field(default_factory=dict)
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)
    own_usage: Usage = field(default_factory=dict)

    def quota(self, pair: Pair) -> Quota:
        return self.quotas.get(pair, _NOTHING)

    def subtree(self, pair: Pair) -> Decimal:
        """The quota of this node with what its children lend."""
        total = self.quota(pair).nominal
        for child in self.children:
            total += child.subtree(pair) - child.kept(pair)
        return total

    def kept(self, pair: Pair) -> Decimal:
        """What is never lent to others."""
        lending = self.quota(pair).lending
        return _ZERO if lending is None else max(_ZERO, self.subtree(pair) - lending)

    def used(self, pair: Pair) -> Decimal:
        """What this node takes, of a cohort only what its children take out of the common part."""
        total = self.own_usage.get(pair, _ZERO)
        for child in self.children:
            total += max(_ZERO, child.used(pair) - child.kept(pair))
        return total

    def available(self, pair: Pair) -> Decimal:
        """What may still be taken here; negative where more is used than there is."""
        if self.parent is None:
            return self.subtree(pair) - self.used(pair)
        kept, used = self.kept(pair), self.used(pair)
        beyond = self.parent.available(pair)
        limit = self.quota(pair).borrowing
        if limit is not None:
            lent = self.subtree(pair) - kept
            beyond = min(beyond, lent - max(_ZERO, used - kept) + limit)
        return max(_ZERO, kept - used) + beyond

    def potential(self, pair: Pair) -> Decimal:
        """What could be taken here if nobody used anything."""
        if self.parent is None:
            return self.subtree(pair)
        most = self.kept(pair) + self.parent.potential(pair)
        limit = self.quota(pair).borrowing
        return most if limit is None else min(most, self.subtree(pair) + limit)

    def borrowed(self, pair: Pair) -> Decimal:
        return max(_ZERO, self.used(pair) - self.subtree(pair))

    def borrows_with(self, pair: Pair, amount: Decimal) -> bool:
        return self.used(pair) + amount > self.subtree(pair)

    def height_for(self, pair: Pair, amount: Decimal) -> tuple[int, bool]:
        """How far up the tree quota for this amount is, and whether others above it could give some back."""
        if self.parent is None or not self.borrows_with(pair, amount):
            return 0, self.parent is not None
        left = amount - max(_ZERO, self.kept(pair) - self.used(pair))
        height, node = 1, self.parent
        while node.borrows_with(pair, left):
            if node.parent is None:
                return height, False
            left -= max(_ZERO, node.kept(pair) - node.used(pair))
            height, node = height + 1, node.parent
        return height, node.parent is not None

    def root(self) -> Node:
        return self if self.parent is None else self.parent.root()

    def path(self) -> str:
        """From the root cohort down, as Kueue's messages name it."""
        return f"{self.parent.path() if self.parent else ''}/{self.name}"

    def take(self, usage: Mapping[Pair, Decimal]) -> None:
        for pair, amount in usage.items():
            self.own_usage[pair] = self.own_usage.get(pair, _ZERO) + amount

    def give_back(self, usage: Mapping[Pair, Decimal]) -> None:
        self.take({pair: -amount for pair, amount in usage.items()})


def _quotas(spec: Object) -> dict[Pair, Quota]:
    def number(entry: Object, key: str) -> Decimal | None:
        value = entry.get(key)
        return None if value is None else quantities.parse(str(value))

    return {
        (flavor["name"], entry["name"]): Quota(
            number(entry, "nominalQuota") or _ZERO,
            number(entry, "borrowingLimit"),
            number(entry, "lendingLimit"),
        )
        for group in spec.get("resourceGroups") or ()
        for flavor in group.get("flavors") or ()
        for entry in flavor.get("resources") or ()
    }


def build_tree(queues: Iterable[Object], cohorts: Iterable[Object]) -> dict[str, Node]:
    """The ClusterQueues by name. A cohort needs no object of its own; cycles of cohorts are cut."""
    declared = {item["metadata"]["name"]: item.get("spec") or {} for item in cohorts}
    made: dict[str, Node] = {}

    def cohort(name: str) -> Node:
        if name not in made:
            spec = declared.get(name, {})
            node = made[name] = Node(name, _quotas(spec))
            above = spec.get("parentName")
            if above and not (above in made and made[above].root() is node):
                _attach(node, cohort(above))
        return made[name]

    out = {}
    for queue in queues:
        spec = queue.get("spec") or {}
        node = out[queue["metadata"]["name"]] = Node(queue["metadata"]["name"], _quotas(spec))
        if above := at(spec, "cohortName"):
            _attach(node, cohort(above))
    return out


def _attach(node: Node, parent: Node) -> None:
    if parent.root() is not node:
        node.parent = parent
        parent.children.append(node)
