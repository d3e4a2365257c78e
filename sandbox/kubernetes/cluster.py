"""One emulated cluster: its store, its authoriser, and what of a control plane runs in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sandbox.kubernetes.authorization import Authorizer
from sandbox.kubernetes.jsontypes import Object
from sandbox.kubernetes.resources import Catalog, Resource, catalog
from sandbox.kubernetes.store import Change, Store

__all__ = ["ALL_FEATURES", "Cluster"]

ALL_FEATURES = frozenset({"controllers", "scheduler", "kubelet", "kueue"})


@dataclass(eq=False)
class Cluster:
    """Shared by the API handlers and the controllers of one cluster."""

    host: str
    version: str
    features: frozenset[str]
    store: Store
    authorizer: Authorizer = field(init=False)
    catalog: Catalog = field(default_factory=catalog)
    service_tokens: dict[str, tuple[str, str, str, str]] = field(default_factory=dict)
    """Tokens of service accounts: namespace, name, uid, the token's own id."""
    ca_pem: str = "sandbox\n"
    """What new namespaces get as the cluster's CA certificate."""
    reconcilers: list[Callable[[Cluster, Change], None]] = field(default_factory=list)
    _settling: bool = False

    def __post_init__(self) -> None:
        self.authorizer = Authorizer(self.store)
        self._queue: list[Change] = []
        self.store.listen(self._queue.append)

    def get(self, group: str, plural: str, namespace: str, name: str) -> Object | None:
        return self.store.get(f"{group}/{plural}", namespace, name)

    def items(self, group: str, plural: str, namespace: str = "") -> list[Object]:
        return self.store.items(f"{group}/{plural}", namespace)

    def resource(self, group: str, plural: str) -> Resource:
        """The resource in its preferred version; it must be served."""
        found = self.catalog.preferred(group, plural)
        if found is None:
            raise KeyError(f"{plural}.{group}")
        return found

    def settle(self) -> None:
        """Lets the controllers react to every change since the last call, until nothing changes any more."""
        if self._settling:
            return
        self._settling = True
        try:
            for _ in range(10_000):
                if not self._queue:
                    return
                change = self._queue.pop(0)
                for reconcile in self.reconcilers:
                    reconcile(self, change)
            raise RuntimeError(f"the controllers of {self.host} do not come to rest")
        finally:
            self._settling = False
