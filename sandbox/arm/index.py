"""ARM's own list of resources: id, name, type, location, tags, without the properties."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.arm.filters import matches_resource_filter

if TYPE_CHECKING:
    from sandbox.arm.context import Context
    from sandbox.arm.messages import ArmRequest

__all__ = ["index"]

_GROUPS = "microsoft.resources/resourcegroups"


def index(ctx: Context, scope: str, request: ArmRequest) -> list[dict[str, Any]]:
    """Every resource with a region at or below the scope, filtered by `$filter`."""
    wanted = request.query.get("$filter")
    rows: list[dict[str, Any]] = []
    for resource in ctx.store.all(None, scope):
        if resource["type"].lower() == _GROUPS or "location" not in resource:
            continue
        if wanted is not None and not matches_resource_filter(resource, wanted):
            continue
        shown: dict[str, Any] = {
            key: resource[key]
            for key in ("id", "name", "type", "location", "kind", "sku", "identity", "managedBy", "zones")
            if key in resource
        }
        shown["tags"] = resource.get("tags", {})
        if "provisioningstate" in request.expand:
            shown["provisioningState"] = resource.get("properties", {}).get("provisioningState", "Succeeded")
        rows.append(shown)
    return rows
