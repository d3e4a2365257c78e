"""Where a resource goes: its group, its parent, its region and the case of its id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.arm.catalog import normalize_location
from sandbox.arm.errors import ArmError, group_not_found

if TYPE_CHECKING:
    from sandbox.arm.context import Context
    from sandbox.arm.ids import Target
    from sandbox.arm.resource import Change, ResourceType

__all__ = ["canonical_id", "check_location", "group_id", "require_group", "require_parent"]


def group_id(target: Target) -> str:
    return f"/subscriptions/{target.subscription}/resourceGroups/{target.group}"


def require_group(ctx: Context, target: Target) -> None:
    """The resource group must be there, and not on its way out when something is to be put in it."""
    if target.group is None:
        return
    if group_id(target) not in ctx.store:
        raise group_not_found(target.group)


def require_parent(ctx: Context, kind: ResourceType, target: Target) -> None:
    group = group_id(target)
    if target.group is not None and ctx.operations.in_progress(group, "delete"):
        raise ArmError(
            409,
            "ResourceGroupBeingDeleted",
            f"The resource group '{target.group}' is in deprovisioning state and cannot perform this "
            "operation.",
        )
    if kind.name.count("/") < 2:
        return
    parent_type = kind.name.rsplit("/", 1)[0]
    parent = target.resource_id if target.tail is not None else target.resource_id.rsplit("/", 2)[0]
    if parent.lower().endswith("/blobservices/default"):  # always there when the account is
        parent = parent.rsplit("/", 2)[0]
    if parent not in ctx.store and parent_type.lower() in ctx.types:
        raise ArmError(
            404,
            "ParentResourceNotFound",
            "Failed to perform 'write' on resource(s) of type "
            f"'{kind.name[len(target.namespace or '') + 1 :]}', "
            f"because the parent resource '{parent}' could not be found.",
        )


def canonical_id(ctx: Context, kind: ResourceType, target: Target) -> str:
    """The id in ARM's own case: names as given, group and parents as first written, types as defined."""
    namespace, *types = kind.name.split("/")
    scope = ctx.store.get(target.scope)
    prefix = scope["id"] if scope is not None else target.scope
    current = f"{prefix}/providers/{namespace}"
    for type_name, name in zip(types, target.names, strict=True):
        current = f"{current}/{type_name}/{name}"
        stored = ctx.store.get(current)
        if stored is not None:
            current = stored["id"]
    return current


def check_location(ctx: Context, kind: ResourceType, change: Change) -> None:
    """A region must be known, and stay what it was."""
    given = change.body["location"]
    location = normalize_location(given)
    if location not in ctx.catalog.locations:
        listed = ",".join(ctx.catalog.locations)
        raise ArmError(
            400,
            "LocationNotAvailableForResourceType",
            f"The provided location '{given}' is not available for resource type '{kind.name}'. List of "
            f"available regions for the resource type is '{listed}'.",
        )
    if change.old is not None and change.old["location"] != location:
        raise ArmError(
            409,
            "InvalidResourceLocation",
            f"The resource '{change.name}' already exists in location '{change.old['location']}'. A resource "
            f"with the same name cannot be created in location '{given}'. Please select a new resource name.",
        )
    change.body["location"] = location
