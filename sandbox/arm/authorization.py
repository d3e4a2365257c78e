"""Who may do what on the data planes, answered from resources and role assignments."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sandbox.arm.context import Context
    from sandbox.arm.store import Resource
    from sandbox.entra.tokens import Principal

__all__ = ["AKS_SERVER", "ResourceDataPlane"]

AKS_SERVER = "6dae42f8-4368-4678-94ff-3960e28e3630"  # the AKS Entra server application, same in all tenants
_BLOBS = "Microsoft.Storage/storageAccounts/blobServices/containers/blobs"
_CLUSTER_ADMIN = "Azure Kubernetes Service RBAC Cluster Admin"


class ResourceDataPlane:
    """The data planes' view of ARM; see the protocol in `sandbox/data_plane.py`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def blob_account_exists(self, account: str) -> bool:
        return self._account(account) is not None

    def shared_key_allowed(self, account: str) -> bool:
        """Allowed unless the account says otherwise, as in Azure."""
        found = self._account(account)
        return found is not None and found["properties"].get("allowSharedKeyAccess") is not False

    def blob_allowed(
        self, principal: Principal, account: str, container: str | None, write: bool
    ) -> bool:  # the protocol's signature
        found = self._account(account)
        if found is None:
            return False
        scope = found["id"]
        if container is not None:
            scope = f"{scope}/blobServices/default/containers/{container}"
        return self._context.roles.allowed(
            _ids(principal), f"{_BLOBS}/{'write' if write else 'read'}", scope, data=True
        )

    def kubernetes_groups(self, principal: Principal, cluster_host: str) -> tuple[str, ...] | None:
        """Entra tokens work only for the AKS server application and on a cluster that is integrated."""
        cluster = self._cluster(cluster_host)
        if cluster is None or _application(principal.audience) != AKS_SERVER:
            return None
        profile = cluster["properties"].get("aadProfile")
        if profile is None:
            return None
        admins = {group.lower() for group in profile.get("adminGroupObjectIDs") or ()}
        if admins & {group.lower() for group in principal.groups}:
            return ("system:masters", "system:authenticated")
        if profile.get("enableAzureRBAC") and _CLUSTER_ADMIN in self._context.roles.names(
            _ids(principal), cluster["id"]
        ):
            return ("system:masters", "system:authenticated")
        return (*principal.groups, "system:authenticated")

    def _account(self, name: str) -> Resource | None:
        for resource in self._context.store.all("Microsoft.Storage/storageAccounts"):
            if resource["name"] == name.lower():
                return resource
        return None

    def _cluster(self, host: str) -> Resource | None:
        for resource in self._context.store.all("Microsoft.ContainerService/managedClusters"):
            if resource["properties"].get("fqdn", "").lower() == host.lower():
                return resource
        return None


def _ids(principal: Principal) -> tuple[str, ...]:
    return (principal.object_id, *principal.groups)


def _application(audience: str) -> str:
    """The application id of an audience, which may be written as an `api://` URI."""
    return audience.removeprefix("api://").removeprefix("spn:").strip("/").lower()
