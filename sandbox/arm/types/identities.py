"""User-assigned managed identities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.arm.fill import guid
from sandbox.arm.resource import Change, ResourceType

if TYPE_CHECKING:
    from sandbox.arm.context import Context


class UserAssignedIdentities(ResourceType):
    name = "Microsoft.ManagedIdentity/userAssignedIdentities"
    deleted = 200
    polls = False
    has_state = False

    def prepare(self, ctx: Context, change: Change) -> None:
        change.properties.update(
            tenantId=ctx.identity.tenant_id,
            principalId=guid(change.id, "principal"),
            clientId=guid(change.id, "client"),
        )
