"""What services fill in by themselves, made from the resource's id so that it is the same every time."""

from __future__ import annotations

import hashlib
import uuid
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sandbox.arm.context import Context
    from sandbox.arm.resource import Change

__all__ = ["digits", "etag", "fill_identity", "guid", "hexes", "keep"]


def guid(*parts: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "/".join(parts).lower()))


def hexes(length: int, *parts: str) -> str:
    return hashlib.sha256("/".join(parts).lower().encode()).hexdigest()[:length]


def digits(length: int, *parts: str) -> str:
    number = int.from_bytes(hashlib.sha256("/".join(parts).lower().encode()).digest()[:8], "big")
    return str(number % 10**length).zfill(length)


def etag(change: Change) -> str:
    """Changes whenever the body does."""
    return f'W/"{guid(change.id, repr(change.body))}"'


def fill_identity(ctx: Context, change: Change) -> None:
    """Principal ids of a system-assigned identity and of the user-assigned ones it names."""
    identity = change.body.get("identity")
    if not isinstance(identity, dict):
        return
    if "systemassigned" in str(identity.get("type", "")).lower():
        identity["principalId"] = guid(change.id, "identity")
        identity["tenantId"] = ctx.identity.tenant_id
    assigned = identity.get("userAssignedIdentities")
    if isinstance(assigned, dict):
        for identifier in assigned:
            found = ctx.store.get(identifier)
            properties = found["properties"] if found is not None else {}
            assigned[identifier] = {
                key: properties[key] for key in ("principalId", "clientId") if key in properties
            }


def keep(change: Change, *names: str) -> None:
    """Carry read-only properties over from the resource as it was."""
    for name in names:
        if name in change.old_properties:
            change.properties[name] = change.old_properties[name]
