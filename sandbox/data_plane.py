"""What the data planes (blobs, Kubernetes) ask the control plane about a caller's rights."""

from __future__ import annotations

from typing import Protocol

from sandbox.entra.tokens import Principal

__all__ = ["DataPlane"]


class DataPlane(Protocol):
    """Answered from role assignments and resources."""

    def blob_allowed(self, principal: Principal, account: str, container: str | None, write: bool) -> bool:
        """Whether the principal may read or write there; `container` None means the account itself."""
        ...

    def shared_key_allowed(self, account: str) -> bool:
        """The account's `allowSharedKeyAccess`."""
        ...

    def blob_account_exists(self, account: str) -> bool: ...

    def kubernetes_groups(self, principal: Principal, cluster_host: str) -> tuple[str, ...] | None:
        """The groups of the caller in that cluster; None: may not authenticate."""
        ...
