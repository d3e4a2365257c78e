"""Log Analytics workspaces: the resource only, nothing can be logged to one."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

from sandbox.arm.fill import guid
from sandbox.arm.messages import ArmRequest, Reply, page
from sandbox.arm.resource import Action, Call, Change, ResourceType
from sandbox.arm.routes import Route

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandbox.arm.context import Context


class Workspaces(ResourceType):
    name = "Microsoft.OperationalInsights/workspaces"
    more_versions = ("2020-08-01",)
    deleted = 200
    polls = False

    def prepare(self, ctx: Context, change: Change) -> None:  # noqa: ARG002  # the base's signature
        properties = change.properties
        properties.setdefault("sku", {"name": "PerGB2018"})
        properties.setdefault("retentionInDays", 30)
        properties.setdefault("publicNetworkAccessForIngestion", "Enabled")
        properties.setdefault("publicNetworkAccessForQuery", "Enabled")
        properties["customerId"] = guid(change.id, "customer")

    def posts(self) -> Mapping[str, Action]:
        return {"sharedkeys": self._keys}

    async def _keys(self, ctx: Context, call: Call) -> Reply:  # noqa: ARG002  # an action's signature
        def key(name: str) -> str:
            digest = hashlib.sha512(f"{call.resource['id'].lower()}/{name}".encode()).digest()
            return base64.b64encode(digest).decode()

        return Reply(200, {"primarySharedKey": key("primary"), "secondarySharedKey": key("secondary")})


async def _list_deleted(ctx: Context, request: ArmRequest) -> Reply:  # noqa: ARG001  # a handler's signature
    """Nothing can be recovered here, so the list that the provider asks for before a creation is empty."""
    return page(request, [])


ROUTES = [
    Route(
        "GET",
        f"/{scope}providers/Microsoft.OperationalInsights/deletedWorkspaces",
        _list_deleted,
        Workspaces().api_versions(),
        "Microsoft.OperationalInsights/deletedWorkspaces/read",
    )
    for scope in ("subscriptions/{subscription}/", "subscriptions/{subscription}/resourceGroups/{group}/")
]
