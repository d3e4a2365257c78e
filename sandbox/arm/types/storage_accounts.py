"""Storage accounts; each has a blob server of its own while it exists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sandbox.arm.errors import ArmError
from sandbox.arm.fill import fill_identity
from sandbox.arm.ids import split
from sandbox.arm.messages import ArmRequest, Reply
from sandbox.arm.operations import now
from sandbox.arm.resource import Action, Call, Change, ResourceType
from sandbox.arm.routes import Route
from sandbox.arm.schema import api_versions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandbox.arm.context import Context
    from sandbox.arm.store import Resource

ACCOUNT = "Microsoft.Storage/storageAccounts"
# Names that belong to somebody else's subscription: account names are unique in all of Azure.
TAKEN = frozenset({"stterraformstate", "terraformstate", "tfstate", "tfstateacme", "storage"})
_NAME = re.compile(r"[a-z0-9]{3,24}")
_INVALID = (
    "{name} is not a valid storage account name. Storage account name must be between 3 and 24 characters in "
    "length "
    "and use numbers and lower-case letters only."
)


class StorageAccounts(ResourceType):
    name = ACCOUNT
    error_code = "InvalidRequestPropertyValue"
    names_itself = True
    created = 202
    deleted = 200
    creating = (("Creating", 0.2),)
    system_data = False

    def prepare(self, ctx: Context, change: Change) -> None:
        if change.old is None:
            self._require_name(ctx, change)
        sku = change.body.get("sku") or {}
        if change.old is None and not sku.get("name"):
            raise ArmError(
                400, "InvalidRequestPropertyValue", "The value of 'sku.name' is required.", target="sku.name"
            )
        sku["tier"] = str(sku.get("name", "Standard_LRS")).split("_", maxsplit=1)[0]
        change.body["sku"] = sku
        change.body.setdefault("kind", "StorageV2")
        properties = change.properties
        for name, value in (change.old_properties if change.request.method == "PUT" else {}).items():
            properties.setdefault(name, value)  # a PUT on an account leaves out what stays
        self._fill(change)
        fill_identity(ctx, change)

    def _fill(self, change: Change) -> None:
        properties = change.properties
        defaults: dict[str, Any] = {
            "accessTier": "Hot",
            "allowBlobPublicAccess": False,
            "allowCrossTenantReplication": False,
            "minimumTlsVersion": "TLS1_0",
            "supportsHttpsTrafficOnly": True,
            "networkAcls": {
                "bypass": "AzureServices",
                "virtualNetworkRules": [],
                "ipRules": [],
                "defaultAction": "Allow",
            },
            "encryption": {
                "services": {
                    "blob": {"enabled": True, "keyType": "Account"},
                    "file": {"enabled": True, "keyType": "Account"},
                },
                "keySource": "Microsoft.Storage",
            },
        }
        for name, value in defaults.items():
            properties.setdefault(name, value)
        kinds = ("blob", "dfs", "queue", "table", "file")
        properties["primaryEndpoints"] = {
            kind: f"https://{change.name}.{kind}.core.windows.net/" for kind in kinds
        }
        properties["primaryLocation"] = change.body["location"]
        properties["statusOfPrimary"] = "available"
        properties["creationTime"] = change.old_properties.get("creationTime", now())

    def _require_name(self, ctx: Context, change: Change) -> None:
        reason = name_problem(ctx, change.name)
        if reason is None:
            return
        code, message = reason
        raise ArmError(409 if code == "StorageAccountAlreadyTaken" else 400, code, message)

    async def provisioned(self, ctx: Context, resource: Resource) -> None:
        await ctx.accounts.ensure(resource["name"])

    async def removed(self, ctx: Context, resource: Resource) -> None:
        await ctx.accounts.remove(resource["name"])

    def posts(self) -> Mapping[str, Action]:
        return {"listkeys": self._list_keys}

    async def _list_keys(self, ctx: Context, call: Call) -> Reply:
        """Given even when shared keys are off, as in Azure; the data plane refuses them then."""
        created = call.resource["properties"]["creationTime"]
        keys = [
            {"creationTime": created, "keyName": f"key{number}", "value": value, "permissions": "FULL"}
            for number, value in enumerate(ctx.accounts.keys(call.resource["name"]), start=1)
        ]
        return Reply(200, {"keys": keys})


def name_problem(ctx: Context, name: str) -> tuple[str, str] | None:
    """Code and message of what is wrong with a new account's name."""
    if not _NAME.fullmatch(name):
        return "AccountNameInvalid", _INVALID.format(name=name)
    exists = any(row["name"] == name for row in ctx.store.all(ACCOUNT))
    if exists or name in TAKEN:
        return "StorageAccountAlreadyTaken", f"The storage account named {name} is already taken."
    return None


async def check_name(ctx: Context, request: ArmRequest) -> Reply:
    body = request.body()
    problem = name_problem(ctx, str(body.get("name", "")))
    if problem is None:
        return Reply(200, {"nameAvailable": True})
    reason = "AlreadyExists" if problem[0] == "StorageAccountAlreadyTaken" else "AccountNameInvalid"
    return Reply(200, {"nameAvailable": False, "reason": reason, "message": problem[1]})


ROUTES = [
    Route(
        "POST",
        "/subscriptions/{subscription}/providers/Microsoft.Storage/checkNameAvailability",
        check_name,
        api_versions(ACCOUNT),
        "Microsoft.Storage/checknameavailability/read",
    )
]


def account_name(resource_id: str) -> str:
    """Of the account that a service or container belongs to."""
    return split(resource_id).names[0]
