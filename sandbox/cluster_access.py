"""Who a bearer token makes its holder in an AKS cluster."""

from __future__ import annotations

from collections.abc import Callable

from sandbox.data_plane import DataPlane
from sandbox.entra.tokens import TokenError, Tokens
from sandbox.kubernetes.clusters import User

__all__ = ["AKS_SERVER", "ClusterAccess"]

AKS_SERVER = "6dae42f8-4368-4678-94ff-3960e28e3630"
"""The application id of the Azure Kubernetes Service AAD Server, the audience of cluster tokens."""

LocalAccount = Callable[[str, str], User | None]


class ClusterAccess:
    """Local accounts first (the admin's kubeconfig), then Entra ID tokens."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._data_plane: DataPlane | None = None
        self._local_account: LocalAccount | None = None

    def ask(self, data_plane: DataPlane, local_account: LocalAccount) -> None:
        """Must be called before the first request."""
        self._data_plane = data_plane
        self._local_account = local_account

    def authenticate(self, host: str, token: str) -> User | None:
        """None: the API server answers 401."""
        if self._data_plane is None or self._local_account is None:
            return None
        if local := self._local_account(host, token):
            return local
        try:
            principal = self._tokens.verify(token)
        except TokenError:
            return None
        if principal.audience.removeprefix("spn:") != AKS_SERVER:
            return None
        groups = self._data_plane.kubernetes_groups(principal, host)
        if groups is None:
            return None
        return User(username=principal.object_id, groups=groups, uid=principal.object_id)
