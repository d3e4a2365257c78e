"""Management locks on a subscription, a group or a resource."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.arm.errors import invalid_content
from sandbox.arm.locks import LOCKS
from sandbox.arm.resource import Change, ResourceType

if TYPE_CHECKING:
    from sandbox.arm.context import Context


class Locks(ResourceType):
    """Stored here, enforced by `sandbox/arm/locks.py`."""

    name = LOCKS
    methods = frozenset({"GET", "PUT", "DELETE", "LIST"})
    located = False
    deleted = 200
    polls = False
    has_state = False
    system_data = True

    def prepare(self, ctx: Context, change: Change) -> None:  # noqa: ARG002  # the base's signature
        level = change.properties.get("level")
        if level not in {"CanNotDelete", "ReadOnly"}:
            raise invalid_content(f"The lock level '{level}' is not valid.", "properties.level")
