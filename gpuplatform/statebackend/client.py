"""The calls to Azure that a bootstrap makes; each one does one thing and decides nothing."""

from __future__ import annotations

from typing import Any

from gpuplatform.azure.clients import AzureClients
from gpuplatform.azure.errors import azure_errors
from gpuplatform.environments import Environment
from gpuplatform.errors import Conflict, NotFound
from gpuplatform.ids import ObjectId
from gpuplatform.statebackend.rules import AccountSettings, RecoverySettings, assignment_name, role_id

__all__ = ["LOCK_NAME", "StateBackendClient"]

LOCK_NAME = "terraform-state"
_TAGS = {"managed-by": "azure-gpu-platform", "purpose": "terraform-state"}


class StateBackendClient:
    """Reads and writes the parts of one environment's state backend. It never asks for an account key."""

    def __init__(self, clients: AzureClients, environment: Environment) -> None:
        self._clients = clients
        self._environment = environment
        self.group = environment.state.resource_group
        self.account = environment.state_account(clients.subscription_id)
        self.group_id = f"/subscriptions/{clients.subscription_id}/resourceGroups/{self.group}"
        self.account_id = f"{self.group_id}/providers/Microsoft.Storage/storageAccounts/{self.account}"

    def container_id(self, container: str) -> str:
        return f"{self.account_id}/blobServices/default/containers/{container}"

    def get_group(self) -> bool:
        """Whether the resource group is there."""
        try:
            with azure_errors(f"looking for the resource group {self.group}"):
                self._clients.resources.resource_groups.get(self.group)
        except NotFound:
            return False
        return True

    def create_group(self) -> None:
        body: Any = {"location": self._environment.location, "tags": _TAGS}
        with azure_errors(f"creating the resource group {self.group}"):
            self._clients.resources.resource_groups.create_or_update(self.group, body)

    def get_account(self) -> tuple[AccountSettings, str] | None:
        """The account's settings and SKU; None where it is not there."""
        try:
            with azure_errors(f"looking for the storage account {self.account}"):
                account = self._clients.storage.storage_accounts.get_properties(self.group, self.account)
        except NotFound:
            return None
        properties: Any = account.properties
        settings = AccountSettings(
            https_only=properties.enable_https_traffic_only,
            minimum_tls=_text(properties.minimum_tls_version),
            public_blobs=properties.allow_blob_public_access,
            shared_keys=properties.allow_shared_key_access,
            cross_tenant_replication=properties.allow_cross_tenant_replication,
        )
        sku: Any = account.sku
        return settings, _text(sku.name if sku else None) or ""

    def create_account(self) -> None:
        """Create the account with its hardened settings.

        Raises:
            Conflict: the name is taken, by somebody else or in another resource group of ours.
        """
        body: Any = {
            "location": self._environment.location,
            "kind": "StorageV2",
            "sku": {"name": self._environment.state.sku},
            "tags": _TAGS,
            "properties": {"accessTier": "Hot", **_body(AccountSettings())},
        }
        with azure_errors(f"creating the storage account {self.account}"):
            poller = self._clients.storage.storage_accounts.begin_create(self.group, self.account, body)
            poller.result(self._clients.settings.operation_timeout_seconds)

    def repair_account(self) -> None:
        body: Any = {"properties": _body(AccountSettings())}
        with azure_errors(f"hardening the storage account {self.account}"):
            self._clients.storage.storage_accounts.update(self.group, self.account, body)

    def get_recovery(self) -> RecoverySettings:
        with azure_errors(f"reading the blob service of {self.account}"):
            service = self._clients.storage.blob_services.get_service_properties(self.group, self.account)
        properties: Any = service.blob_service_properties
        return RecoverySettings(
            versioning=bool(properties and properties.is_versioning_enabled),
            blob_days=_days(properties and properties.delete_retention_policy),
            container_days=_days(properties and properties.container_delete_retention_policy),
        )

    def set_recovery(self, wanted: RecoverySettings) -> None:
        body: Any = {
            "properties": {
                "isVersioningEnabled": wanted.versioning,
                "deleteRetentionPolicy": {"enabled": True, "days": wanted.blob_days},
                "containerDeleteRetentionPolicy": {"enabled": True, "days": wanted.container_days},
            }
        }
        with azure_errors(f"setting versioning and soft delete of {self.account}"):
            self._clients.storage.blob_services.set_service_properties(self.group, self.account, body)

    def list_containers(self) -> set[str]:
        with azure_errors(f"listing the containers of {self.account}"):
            return {
                str(item.name)
                for item in self._clients.storage.blob_containers.list(self.group, self.account)
            }

    def create_container(self, container: str) -> None:
        body: Any = {"properties": {"publicAccess": "None"}}
        with azure_errors(f"creating the container {container}"):
            self._clients.storage.blob_containers.create(self.group, self.account, container, body)

    def list_assignments(self, scope: str, principal: ObjectId) -> list[tuple[str, str]]:
        """Our role assignments at, above and below the scope, as (role definition id, scope)."""
        with azure_errors(f"listing the role assignments at {scope}"):
            return [
                (str(item.role_definition_id), str(item.scope))
                for item in self._clients.authorization.role_assignments.list_for_scope(
                    scope, filter=f"principalId eq '{principal}'"
                )
            ]

    def create_assignment(self, scope: str, principal: ObjectId) -> bool:
        """Make us Storage Blob Data Contributor at the scope; False where we were already."""
        body: Any = {
            "properties": {
                "roleDefinitionId": role_id(self._clients.subscription_id),
                "principalId": principal,
            }
        }
        try:
            with azure_errors(f"assigning Storage Blob Data Contributor at {scope}"):
                self._clients.authorization.role_assignments.create(
                    scope, assignment_name(scope, principal), body
                )
        except Conflict as error:
            if "RoleAssignmentExists" in str(error):
                return False
            raise
        return True

    def touch_container(self, container: str) -> None:
        """One call to the data plane, the kind that Terraform begins with.

        Raises:
            Refused: the role assignment does not work yet.
            Retryable: the account does not answer yet.
        """
        with azure_errors(f"reading the container {container}"):
            blobs = self._clients.blobs(self.account).get_container_client(container)
            next(iter(blobs.list_blobs(results_per_page=1)), None)

    def has_lock(self) -> bool:
        """Whether some lock keeps the account from being deleted."""
        with azure_errors(f"listing the locks of {self.account}"):
            return any(
                _text(lock.level) in {"CanNotDelete", "ReadOnly"}
                for lock in self._clients.locks.management_locks.list_by_scope(self.account_id)
            )

    def create_lock(self) -> None:
        body: Any = {
            "properties": {
                "level": "CanNotDelete",
                "notes": "Holds the Terraform state and the run records of the GPU platform.",
            }
        }
        with azure_errors(f"locking the storage account {self.account}"):
            self._clients.locks.management_locks.create_or_update_by_scope(self.account_id, LOCK_NAME, body)


def _body(settings: AccountSettings) -> dict[str, object]:
    return {
        "supportsHttpsTrafficOnly": settings.https_only,
        "minimumTlsVersion": settings.minimum_tls,
        "allowBlobPublicAccess": settings.public_blobs,
        "allowSharedKeyAccess": settings.shared_keys,
        "allowCrossTenantReplication": settings.cross_tenant_replication,
    }


def _text(value: Any) -> str | None:
    """An enum's value or a plain string."""
    return None if value is None else str(getattr(value, "value", value))


def _days(policy: Any) -> int:
    return int(policy.days or 0) if policy and policy.enabled else 0
