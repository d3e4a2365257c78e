"""Routes that are not a resource's own id: subscriptions, providers, usages, operations."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sandbox.arm.context import Context
    from sandbox.arm.messages import ArmRequest, Reply

__all__ = ["Route", "match"]


@dataclass(frozen=True)
class Route:
    """A method and a path template such as `/subscriptions/{subscription}/locations`.

    `action` is the RBAC action, asked at the subscription or group of the path; None where any caller
    with a valid token may ask. `{scope*}` takes any number of segments.
    """

    method: str
    template: str
    handler: Callable[[Context, ArmRequest], Awaitable[Reply]]
    versions: Sequence[str]
    action: str | None = None

    def parameters(self, path: str) -> dict[str, str] | None:
        found = _pattern(self.template).fullmatch(path)
        return found.groupdict() if found else None


_patterns: dict[str, re.Pattern[str]] = {}


def _pattern(template: str) -> re.Pattern[str]:
    if template not in _patterns:
        parts = re.split(r"(\{\w+\*?\})", template)
        text = "".join(
            (rf"(?P<{part[1:-2]}>.*)" if part.endswith("*}") else rf"(?P<{part[1:-1]}>[^/]+)")
            if part.startswith("{")
            else re.escape(part)
            for part in parts
        )
        _patterns[template] = re.compile(text, re.IGNORECASE)
    return _patterns[template]


def match(routes: Sequence[Route], method: str, path: str) -> tuple[Route | None, dict[str, str], bool]:
    """The route of a request, its parameters, and whether the path is known for some other method."""
    known = False
    for route in routes:
        parameters = route.parameters(path)
        if parameters is None:
            continue
        if route.method == method:
            return route, parameters, True
        known = True
    return None, {}, known
