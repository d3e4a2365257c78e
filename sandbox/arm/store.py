"""The one store of all ARM resources, keyed by lower-cased id."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sandbox.arm.ids import below

if TYPE_CHECKING:
    from sandbox.state import State

__all__ = ["Resource", "Store"]

Resource = dict[str, Any]  # a resource as ARM shows it: id, name, type, location, tags, properties, …


class Store:
    """Resources by id. What comes out is a copy: change it and `put` it back."""

    def __init__(self, state: State) -> None:
        self._rows = state.table("arm.resources")

    def get(self, resource_id: str) -> Resource | None:
        row = self._rows.get(resource_id.lower())
        return copy.deepcopy(row) if row is not None else None

    def __contains__(self, resource_id: str) -> bool:
        return resource_id.lower() in self._rows

    def put(self, resource: Resource) -> None:
        self._rows[resource["id"].lower()] = copy.deepcopy(resource)

    def remove(self, resource_id: str) -> None:
        self._rows.pop(resource_id.lower(), None)

    def all(self, resource_type: str | None = None, scope: str = "") -> list[Resource]:
        """Resources of a type (any when None) at or below a scope, in id order."""
        return list(self._select(resource_type, scope))

    def children(self, resource_id: str, collection: str) -> list[Resource]:
        """The direct children of a resource in one of its collections, such as a network's `subnets`."""
        prefix = f"{resource_id}/{collection}/".lower()
        return [
            copy.deepcopy(self._rows[key])
            for key in sorted(self._rows)
            if key.startswith(prefix) and "/" not in key[len(prefix) :]
        ]

    def _select(self, resource_type: str | None, scope: str) -> Iterator[Resource]:
        wanted = resource_type.lower() if resource_type is not None else None
        for key in sorted(self._rows):
            row = self._rows[key]
            if (wanted is None or row["type"].lower() == wanted) and below(key, scope):
                yield copy.deepcopy(row)
