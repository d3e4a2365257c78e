"""What an account's blob and file services are set to, and its lifecycle rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sandbox.arm.errors import ArmError, resource_not_found
from sandbox.arm.operations import now
from sandbox.arm.resource import Change, ResourceType

if TYPE_CHECKING:
    from sandbox.arm.context import Context
    from sandbox.arm.ids import Target
    from sandbox.arm.store import Resource

_ACCOUNT = "Microsoft.Storage/storageAccounts"


class _Service(ResourceType):
    """There is always exactly one, called `default`, from the account's beginning."""

    methods = frozenset({"GET", "PUT", "LIST"})
    located = False
    created = 200
    polls = False
    has_state = False
    error_code = "InvalidRequestPropertyValue"
    defaults: ClassVar[dict[str, Any]] = {}

    def prepare(self, ctx: Context, change: Change) -> None:  # noqa: ARG002  # the base's signature
        if change.name.lower() != "default":
            raise ArmError(
                400,
                "InvalidResourceName",
                f"The service name '{change.name}' is invalid; it must be 'default'.",
            )
        change.body["properties"] = {**self.defaults, **change.old_properties, **change.properties}

    def absent(self, ctx: Context, target: Target) -> Resource:
        account = ctx.store.get(target.resource_id.rsplit("/", 2)[0])
        if account is None or target.names[-1].lower() != "default":
            raise resource_not_found(target.type_and_name, target.group)
        return {
            "id": f"{account['id']}/{self.name.rsplit('/', 1)[-1]}/default",
            "name": "default",
            "type": self.name,
            "sku": account["sku"],
            "properties": dict(self.defaults),
        }


class BlobServices(_Service):
    name = f"{_ACCOUNT}/blobServices"
    defaults: ClassVar[dict[str, Any]] = {
        "cors": {"corsRules": []},
        "deleteRetentionPolicy": {"enabled": False},
        "isVersioningEnabled": False,
    }


class FileServices(_Service):
    name = f"{_ACCOUNT}/fileServices"
    defaults: ClassVar[dict[str, Any]] = {
        "cors": {"corsRules": []},
        "shareDeleteRetentionPolicy": {"enabled": True, "days": 7},
    }


class ManagementPolicies(ResourceType):
    name = f"{_ACCOUNT}/managementPolicies"
    methods = frozenset({"GET", "PUT", "DELETE"})
    located = False
    created = 200
    deleted = 200
    polls = False
    has_state = False
    error_code = "InvalidRequestPropertyValue"

    def prepare(self, ctx: Context, change: Change) -> None:  # noqa: ARG002  # the base's signature
        if change.name.lower() != "default":
            raise ArmError(
                400,
                "InvalidResourceName",
                f"The policy name '{change.name}' is invalid; it must be 'default'.",
            )
        change.properties["lastModifiedTime"] = now()
