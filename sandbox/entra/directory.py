"""The service principals that the tenant knows."""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field

from sandbox.identity import Identity
from sandbox.state import State

__all__ = ["Application", "Directory"]


@dataclass(frozen=True)
class Application:
    """An application with its service principal."""

    client_id: str
    object_id: str
    display_name: str
    client_secret: str = field(repr=False)
    groups: tuple[str, ...] = ()

    def has_secret(self, secret: str) -> bool:
        return hmac.compare_digest(self.client_secret.encode(), secret.encode())


class Directory:
    """The sandbox's own service principal, and those added to the state's table `applications`."""

    def __init__(self, state: State, identity: Identity) -> None:
        self.tenant_id = identity.tenant_id
        self._table = state.table("applications")
        self._own = Application(
            identity.client_id, identity.object_id, "sandbox-platform", identity.client_secret
        )

    def add(self, application: Application) -> None:
        self._table[application.client_id.lower()] = asdict(application)

    def find(self, client_id: str) -> Application | None:
        """By application (client) id."""
        return next((app for app in self if app.client_id.lower() == client_id.lower()), None)

    def find_object(self, object_id: str) -> Application | None:
        """By the service principal's object id."""
        return next((app for app in self if app.object_id.lower() == object_id.lower()), None)

    def __iter__(self) -> Iterator[Application]:
        yield self._own
        for row in self._table.values():
            yield Application(**{**row, "groups": tuple(row["groups"])})
