"""`/subscriptions/…/resources`: ARM's index over all groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.arm.index import index
from sandbox.arm.messages import ArmRequest, Reply, page
from sandbox.arm.routes import Route
from sandbox.arm.schema import api_versions
from sandbox.arm.types.resource_groups import TYPE

if TYPE_CHECKING:
    from sandbox.arm.context import Context


async def list_all(ctx: Context, request: ArmRequest) -> Reply:
    return page(request, index(ctx, f"/subscriptions/{request.parameters['subscription']}", request))


ROUTES = [
    Route(
        "GET",
        "/subscriptions/{subscription}/resources",
        list_all,
        api_versions(TYPE),
        "Microsoft.Resources/subscriptions/resources/read",
    )
]
