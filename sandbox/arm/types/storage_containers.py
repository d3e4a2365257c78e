"""Blob containers, made in the account's real blob server."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sandbox.arm.errors import ArmError
from sandbox.arm.fill import etag
from sandbox.arm.ids import parent_scopes
from sandbox.arm.operations import now
from sandbox.arm.resource import Change, ResourceType
from sandbox.arm.types.storage_accounts import account_name

if TYPE_CHECKING:
    from sandbox.arm.context import Context
    from sandbox.arm.ids import Target
    from sandbox.arm.messages import ArmRequest
    from sandbox.arm.store import Resource

CONTAINER = "Microsoft.Storage/storageAccounts/blobServices/containers"
_NAME = re.compile(r"(?!.*--)[a-z0-9][a-z0-9-]{1,61}[a-z0-9]|\$root|\$web")


class Containers(ResourceType):
    name = CONTAINER
    error_code = "InvalidRequestPropertyValue"
    names_itself = True
    located = False
    deleted = 200
    polls = False
    has_state = False

    def prepare(self, ctx: Context, change: Change) -> None:
        if not _NAME.fullmatch(change.name):
            raise ArmError(
                400,
                "InvalidResourceName",
                f"The specified resource name '{change.name}' contains invalid characters or has a wrong "
                "length.",
            )
        properties = change.properties
        properties.setdefault("publicAccess", "None")
        if properties["publicAccess"] != "None" and not self._public_allowed(ctx, change.id):
            raise ArmError(
                409, "PublicAccessNotPermitted", "Public access is not permitted on this storage account."
            )
        properties.update(
            {
                "lastModifiedTime": now(),
                "leaseState": "Available",
                "leaseStatus": "Unlocked",
                "hasImmutabilityPolicy": False,
                "hasLegalHold": False,
                "deleted": False,
            }
        )
        change.body["etag"] = etag(change)

    def _public_allowed(self, ctx: Context, container_id: str) -> bool:
        account = ctx.store.get(container_id.lower().split("/blobservices/")[0])
        return account is not None and bool(account["properties"].get("allowBlobPublicAccess"))

    async def provisioned(self, ctx: Context, resource: Resource) -> None:
        await ctx.accounts.create_container(account_name(resource["id"]), resource["name"])

    async def removed(self, ctx: Context, resource: Resource) -> None:
        """The blobs of an account that goes as a whole are deleted with it."""
        if any(ctx.operations.in_progress(scope, "delete") for scope in parent_scopes(resource["id"])[1:]):
            return
        await ctx.accounts.delete_container(account_name(resource["id"]), resource["name"])

    async def refresh(self, ctx: Context, target: Target, request: ArmRequest) -> None:
        """Know the containers that were made or deleted on the data plane since."""
        services = target.resource_id if target.tail is not None else target.resource_id.rsplit("/", 2)[0]
        account = ctx.store.get(services.rsplit("/", 2)[0])
        if account is None or account["properties"]["provisioningState"] != "Succeeded":
            return
        real = set(await ctx.accounts.list_containers(account["name"]))
        base = f"{account['id']}/blobServices/default"
        known = {row["name"]: row["id"] for row in ctx.store.children(base, "containers")}
        for gone in set(known) - real:
            ctx.store.remove(known[gone])
        for name in sorted(real - set(known)):
            change = Change(f"{base}/containers/{name}", name, {"properties": {}}, None, request)
            self.prepare(ctx, change)
            ctx.store.put({**change.body, "id": change.id, "name": name, "type": self.name})
