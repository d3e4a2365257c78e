"""What every handler may use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sandbox.arm.catalog import Catalog
    from sandbox.arm.operations import Operations
    from sandbox.arm.quota import Quota
    from sandbox.arm.rbac import Roles
    from sandbox.arm.resource import ResourceType
    from sandbox.arm.store import Store
    from sandbox.blob.accounts import Accounts
    from sandbox.identity import Identity
    from sandbox.kubernetes.clusters import Clusters
    from sandbox.state import State

__all__ = ["Context"]


@dataclass
class Context:
    state: State
    identity: Identity
    accounts: Accounts
    clusters: Clusters
    ca_pem: bytes
    store: Store
    operations: Operations
    catalog: Catalog
    quota: Quota
    roles: Roles
    types: dict[str, ResourceType] = field(default_factory=dict)  # by lower-cased type name

    def subscriptions(self) -> dict[str, str]:
        """Display name by subscription id; more can be put into the state table `arm.subscriptions`."""
        more = {key: str(value) for key, value in self.state.table("arm.subscriptions").items()}
        return {self.identity.subscription_id: self.identity.subscription_name, **more}
