"""Fields that most resource types have, and small conversions."""

from __future__ import annotations

from typing import Any

from sandbox.terraform_provider.mapping import Field, Nested

__all__ = [
    "IDENTITY",
    "LOCATION",
    "NAME",
    "RESOURCE_GROUP",
    "TAGS",
    "ids",
    "location",
    "reference",
    "same_text",
]


def location(value: str) -> str:
    """A region's short name: `East US 2` and `eastus2` are the same to azurerm."""
    return value.replace(" ", "").lower()


def same_text(one: Any, other: Any) -> bool:
    """Whether two texts differ in case at most."""
    return isinstance(one, str) and isinstance(other, str) and one.lower() == other.lower()


def ids(references: list[dict[str, Any]]) -> list[str]:
    """`[{"id": …}]` as a list of ids."""
    return [entry["id"] for entry in references]


def reference(resource_id: str) -> dict[str, str]:
    """An id as ARM's `{"id": …}`."""
    return {"id": resource_id}


NAME = Field("name", force_new=True)
RESOURCE_GROUP = Field("resource_group_name", force_new=True)
LOCATION = Field("location", "location", force_new=True, normalise=location, read=location)
TAGS = Field("tags", "tags", empty={})

IDENTITY = Nested(
    "identity",
    "identity",
    (
        Field("type", "type"),
        Field(
            "identity_ids",
            "userAssignedIdentities",
            write=lambda names: {name: {} for name in names} or None,
            read=sorted,
        ),
        Field("principal_id", "principalId", read_only=True),
        Field("tenant_id", "tenantId", read_only=True),
    ),
)
