"""Who the sandbox's Azure belongs to: one tenant, one subscription, one service principal."""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass, field

from sandbox.state import State

__all__ = ["Identity", "identity_of"]


@dataclass(frozen=True)
class Identity:
    """The made-up ids are fixed, so that configuration files may hold them; the secret is random."""

    tenant_id: str = "a1f0c2d4-5b6e-4c78-9d10-2e3f4a5b6c7d"
    client_id: str = "b2e1d3c5-6a7f-4d89-8e21-3f405b6c7d8e"
    client_secret: str = field(default_factory=lambda: secrets.token_urlsafe(30), repr=False)
    object_id: str = "c3d2e4b6-798a-4e9a-9f32-40516c7d8e9f"
    subscription_id: str = "d4c3f5a7-889b-4fab-a043-51627d8e9fa0"
    subscription_name: str = "Local GPU subscription"


def identity_of(state: State) -> Identity:
    """The identity kept in `state`, made at the first call."""
    table = state.table("identity")
    if "identity" not in table:
        table["identity"] = asdict(Identity())
    return Identity(**table["identity"])
