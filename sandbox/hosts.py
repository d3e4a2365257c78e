"""Which part of the sandbox answers for which host name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from aiohttp import web

__all__ = ["Handler", "Hosts", "bare"]

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def bare(host: str) -> str:
    """The host in lower case, without port and without the root's dot."""
    name = host.strip().lower()
    if name.rpartition(":")[2].isdecimal():
        name = name.rpartition(":")[0]
    return name.rstrip(".")


@dataclass(frozen=True)
class _Route:
    pattern: str
    handler: Handler
    exists: Callable[[str], bool] | None
    missing: str


class Hosts:
    """Patterns in the order of their registration; the first that matches wins."""

    def __init__(self) -> None:
        self._routes: list[_Route] = []

    def register(
        self,
        pattern: str,
        handler: Handler,
        *,
        exists: Callable[[str], bool] | None = None,
        missing: str = "there is no such host",
    ) -> None:
        """Send requests for hosts like `pattern` (fnmatch, lower case) to `handler`.

        Args:
            exists: Asked with the host; False makes the name unknown, as if DNS did not have it.
            missing: What the refusal says then.
        """
        self._routes.append(_Route(pattern.lower(), handler, exists, missing))

    def unregister(self, pattern: str) -> None:
        self._routes = [route for route in self._routes if route.pattern != pattern.lower()]

    def find(self, host: str) -> Handler | None:
        """The handler for `host`, with or without a port; None means: refuse the connection."""
        route = self._route(host)
        if route is None or (route.exists is not None and not route.exists(bare(host))):
            return None
        return route.handler

    def refusal(self, host: str) -> str:
        """One sentence on why `host` is not served."""
        route = self._route(host)
        if route is not None:
            return f'The sandbox refuses "{bare(host)}": {route.missing}.'
        known = ", ".join(route.pattern for route in self._routes)
        return f'The sandbox refuses "{bare(host)}" and forwards nothing: it answers for {known} only.'

    def _route(self, host: str) -> _Route | None:
        name = bare(host)
        return next((route for route in self._routes if fnmatchcase(name, route.pattern)), None)
