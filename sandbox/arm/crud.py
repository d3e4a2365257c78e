"""The generic life of a resource: put, patch, get, list, delete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.arm import locks, schema
from sandbox.arm.errors import ArmError, location_required, operation_in_progress, resource_not_found
from sandbox.arm.ids import Target, split
from sandbox.arm.locating import canonical_id, check_location, require_group, require_parent
from sandbox.arm.messages import ArmRequest, Reply, page
from sandbox.arm.operations import set_state
from sandbox.arm.polling import operation_headers
from sandbox.arm.resource import Change

if TYPE_CHECKING:
    from sandbox.arm.context import Context
    from sandbox.arm.operations import Operation
    from sandbox.arm.resource import ResourceType
    from sandbox.arm.store import Resource

__all__ = ["create_or_update", "delete", "finish", "get", "list_", "merge", "remove_tree", "store_child"]


def merge(old: Any, patch: Any) -> Any:
    """JSON merge patch, as ARM's PATCH works for the types here."""
    if not isinstance(old, dict) or not isinstance(patch, dict):
        return patch
    merged = dict(old)
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        elif key == "tags":
            merged[key] = value  # ARM replaces the whole set of tags
        else:
            merged[key] = merge(merged.get(key), value)
    return merged


async def create_or_update(
    ctx: Context, kind: ResourceType, target: Target, request: ArmRequest, *, patch: bool
) -> Reply:
    require_group(ctx, target)
    require_parent(ctx, kind, target)
    old = ctx.store.get(target.resource_id)
    if patch and old is None:
        raise resource_not_found(target.type_and_name, target.group)
    resource_id = old["id"] if old is not None else canonical_id(ctx, kind, target)
    locks.check_write(ctx.store, resource_id)
    if ctx.operations.in_progress(resource_id, "delete"):
        raise operation_in_progress(f"'{resource_id}' (it is being deleted)")
    body = _body(kind, request, old, target.names[-1], patch=patch)
    change = Change(resource_id, target.names[-1] if old is None else old["name"], body, old, request)
    if kind.located:
        check_location(ctx, kind, change)
    kind.prepare(ctx, change)
    kind.stamp(change)
    resource = _store(ctx, kind, change)
    transitions = kind.creating if old is None else kind.updating
    status = kind.created if old is None else kind.updated
    location = resource.get("location") or _parent_location(ctx, resource_id)
    operation = await ctx.operations.start("provision", resource_id, location, transitions)
    if operation["status"] == "Failed":
        raise ArmError(409, operation["error"]["code"], operation["error"]["message"])
    headers = operation_headers(operation, request.api_version, location=False) if kind.polls else {}
    stored = ctx.store.get(resource_id) or resource
    shown = None if status == 202 else kind.view(ctx, stored, expand="", listing=False)
    return Reply(status, shown, headers)


def _body(
    kind: ResourceType, request: ArmRequest, old: Resource | None, name: str, *, patch: bool
) -> dict[str, Any]:
    given = schema.drop_nulls(request.body()) if not patch else request.body()
    if patch:
        kept = {key: value for key, value in (old or {}).items() if key not in {"systemData", "etag"}}
        given = merge(kept, given)
    if kind.located and not given.get("location"):
        raise location_required()
    schema.validate(kind.name, given, name, kind.error_code, check_name=not kind.names_itself)
    return schema.strip_read_only(kind.name, given) if not patch else dict(given)


def _store(ctx: Context, kind: ResourceType, change: Change) -> Resource:
    resource: Resource = {
        **{key: value for key, value in change.body.items() if key not in {"id", "name", "type"}},
        "id": change.id,
        "name": change.name,
        "type": kind.name,
    }
    if kind.has_state:
        set_state(resource, "Succeeded")
    ctx.store.put(resource)
    change.body = resource
    kind.stored(ctx, change)
    return resource


def store_child(ctx: Context, kind_name: str, parent: Change, name: str, body: Resource) -> None:
    """Write a child given inline in its parent's body, through the child type's own rules."""
    kind = ctx.types[kind_name.lower()]
    child_id = f"{parent.id}/{kind_name.rsplit('/', 1)[-1]}/{name}"
    old = ctx.store.get(child_id)
    child = Change(old["id"] if old else child_id, name, body, old, parent.request)
    kind.prepare(ctx, child)
    _store(ctx, kind, child)


async def get(ctx: Context, kind: ResourceType, target: Target, request: ArmRequest) -> Reply:
    require_group(ctx, target)
    await kind.refresh(ctx, target, request)
    resource = ctx.store.get(target.resource_id)
    if resource is None:
        return Reply(200, kind.absent(ctx, target))
    return Reply(200, kind.view(ctx, resource, expand=request.expand, listing=False))


async def list_(ctx: Context, kind: ResourceType, target: Target, request: ArmRequest) -> Reply:
    """Of a parent, of a resource group, or of a whole subscription."""
    require_group(ctx, target)
    if target.names:
        require_parent(ctx, kind, target)
        await kind.refresh(ctx, target, request)
        rows = ctx.store.children(target.resource_id, kind.name.rsplit("/", 1)[-1])
    else:
        rows = kind.listed(ctx, target.scope, request)
    shown = [kind.view(ctx, row, expand=request.expand, listing=True) for row in rows]
    return page(request, shown)


async def delete(ctx: Context, kind: ResourceType, target: Target, request: ArmRequest) -> Reply:
    """202 and gone a little later, 200 for types that delete at once, 204 when it was not there."""
    require_group(ctx, target)
    resource = ctx.store.get(target.resource_id)
    if resource is None:
        return Reply(204)
    if kind.name != locks.LOCKS:
        locks.check_delete(ctx.store, resource["id"])
    if ctx.operations.in_progress(resource["id"], "delete"):
        raise operation_in_progress(f"'{resource['id']}' (it is being deleted)")
    kind.check_delete(ctx, resource)
    location = resource.get("location") or _parent_location(ctx, resource["id"])
    operation = await ctx.operations.start("delete", resource["id"], location, kind.deleting)
    if kind.deleted != 202:
        return Reply(kind.deleted)
    return Reply(202, None, operation_headers(operation, request.api_version, location=True))


def _parent_location(ctx: Context, resource_id: str) -> str:
    while (cut := resource_id.rfind("/")) > 0:
        resource_id = resource_id[:cut]
        found = ctx.store.get(resource_id)
        if found is not None and "location" in found:
            return str(found["location"])
    return ctx.catalog.locations["eastus"].name


async def remove_tree(ctx: Context, resource_id: str) -> None:
    """Remove a resource and everything inside it, the innermost first."""
    inside = sorted(ctx.store.all(None, resource_id), key=lambda row: -len(row["id"]))
    for resource in inside:
        kind = ctx.types.get(resource["type"].lower())
        if kind is not None and ctx.store.get(resource["id"]) is not None:
            await kind.removed(ctx, resource)
        ctx.store.remove(resource["id"])


async def finish(ctx: Context, operation: Operation) -> dict[str, Any] | None:
    """What an operation's end means: provisioned, removed, or an action done."""
    resource = ctx.store.get(operation["resourceId"])
    if operation["kind"] == "delete":
        await remove_tree(ctx, operation["resourceId"])
        return None
    if resource is None:
        if operation["kind"] == "provision":
            return None  # deleted meanwhile
        raise resource_not_found(split(operation["resourceId"]).type_and_name, None)
    kind = ctx.types[resource["type"].lower()]
    if operation["kind"].startswith("action"):
        return await kind.finish_action(ctx, operation)
    await kind.provisioned(ctx, resource)
    current = ctx.store.get(operation["resourceId"])
    if current is not None and kind.has_state:
        set_state(current, "Succeeded")
        ctx.store.put(current)
    return None
