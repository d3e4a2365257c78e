"""Resource groups; deleting one deletes what is in it, unless something there is locked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sandbox.arm import locks, schema
from sandbox.arm.catalog import normalize_location
from sandbox.arm.errors import ArmError, group_not_found, location_required
from sandbox.arm.filters import matches_tag_filter
from sandbox.arm.index import index
from sandbox.arm.messages import ArmRequest, Reply, page
from sandbox.arm.operations import set_state
from sandbox.arm.polling import operation_headers
from sandbox.arm.resource import ResourceType
from sandbox.arm.routes import Route

if TYPE_CHECKING:
    from sandbox.arm.context import Context
    from sandbox.arm.store import Resource

TYPE = "Microsoft.Resources/resourceGroups"
_NAME = re.compile(r"[-\w.()]{1,89}[-\w()]|[-\w()]")


class ResourceGroups(ResourceType):
    """Known as a type so that lists, providers and operations can name it; its paths are the routes below."""

    name = TYPE
    methods = frozenset()


def _id(request: ArmRequest) -> str:
    return f"/subscriptions/{request.parameters['subscription']}/resourceGroups/{request.parameters['group']}"


def _found(ctx: Context, request: ArmRequest) -> Resource:
    group = ctx.store.get(_id(request))
    if group is None:
        raise group_not_found(request.parameters["group"])
    return group


async def get_group(ctx: Context, request: ArmRequest) -> Reply:
    return Reply(200, _found(ctx, request))


async def head_group(ctx: Context, request: ArmRequest) -> Reply:
    return Reply(204 if _id(request) in ctx.store else 404)


async def list_groups(ctx: Context, request: ArmRequest) -> Reply:
    rows = ctx.store.all(TYPE, f"/subscriptions/{request.parameters['subscription']}")
    wanted = request.query.get("$filter")
    return page(request, [row for row in rows if wanted is None or matches_tag_filter(row, wanted)])


async def put_group(ctx: Context, request: ArmRequest) -> Reply:
    name = request.parameters["group"]
    if not _NAME.fullmatch(name):
        raise ArmError(
            400,
            "InvalidResourceGroup",
            f"The provided resource group name '{name}' has these invalid characters or a length over 90.",
        )
    old = ctx.store.get(_id(request))
    if ctx.operations.in_progress(_id(request), "delete"):
        raise ArmError(
            409,
            "ResourceGroupBeingDeleted",
            f"The resource group '{name}' is in deprovisioning state and cannot perform this operation.",
        )
    body = schema.drop_nulls(request.body())
    if not body.get("location"):
        raise location_required()
    schema.validate(TYPE, body, name, "InvalidRequestContent")
    location = _location(ctx, body, old, name)
    group: dict[str, Any] = {
        "id": old["id"] if old else _id(request),
        "name": old["name"] if old else name,
        "type": TYPE,
        "location": location,
        "tags": body.get("tags", {}),
    }
    if "managedBy" in body:
        group["managedBy"] = body["managedBy"]
    set_state(group, "Succeeded")
    ctx.store.put(group)
    return Reply(200 if old else 201, group)


def _location(ctx: Context, body: dict[str, Any], old: Resource | None, name: str) -> str:
    location = normalize_location(body["location"])
    if location not in ctx.catalog.locations:
        raise ArmError(
            400,
            "LocationNotAvailableForResourceGroup",
            f"The provided location '{body['location']}' is not available for resource group. List of "
            "available "
            f"regions is '{','.join(ctx.catalog.locations)}'.",
        )
    if old is not None and old["location"] != location:
        raise ArmError(
            409,
            "InvalidResourceGroupLocation",
            f"Invalid resource group location '{location}'. The Resource group already exists in location "
            f"'{old['location']}' (group '{name}').",
        )
    return location


async def patch_group(ctx: Context, request: ArmRequest) -> Reply:
    group = _found(ctx, request)
    group["tags"] = request.body().get("tags", group.get("tags", {}))
    ctx.store.put(group)
    return Reply(200, group)


async def delete_group(ctx: Context, request: ArmRequest) -> Reply:
    group = _found(ctx, request)
    locks.check_delete(ctx.store, group["id"])
    operation = await ctx.operations.start("delete", group["id"], group["location"], (("Deleting", 0.3),))
    return Reply(202, None, operation_headers(operation, request.api_version, location=True))


async def list_resources(ctx: Context, request: ArmRequest) -> Reply:
    """What is in a group: top-level resources, as ARM's index lists them."""
    group = _found(ctx, request)
    return page(request, index(ctx, group["id"], request))


_ALL = "/subscriptions/{subscription}/resourcegroups"
_ONE = f"{_ALL}/{{group}}"
_ACTION = "Microsoft.Resources/subscriptions/resourceGroups"


def _versions() -> tuple[str, ...]:
    return schema.api_versions(TYPE)


ROUTES = [
    Route("GET", _ALL, list_groups, _versions(), f"{_ACTION}/read"),
    Route("GET", _ONE, get_group, _versions(), f"{_ACTION}/read"),
    Route("HEAD", _ONE, head_group, _versions(), f"{_ACTION}/read"),
    Route("PUT", _ONE, put_group, _versions(), f"{_ACTION}/write"),
    Route("PATCH", _ONE, patch_group, _versions(), f"{_ACTION}/write"),
    Route("DELETE", _ONE, delete_group, _versions(), f"{_ACTION}/delete"),
    Route("GET", f"{_ONE}/resources", list_resources, _versions(), f"{_ACTION}/resources/read"),
]
