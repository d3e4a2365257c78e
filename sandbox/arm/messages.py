"""A request as the handlers see it, and their reply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sandbox.arm.errors import ArmError, invalid_content

if TYPE_CHECKING:
    from sandbox.entra.tokens import Principal

__all__ = ["HOST", "ArmRequest", "Reply", "page"]

HOST = "https://management.azure.com"
PAGE_SIZE = 50


@dataclass(frozen=True)
class ArmRequest:
    """A request whose caller is known. `query` has lower-case keys."""

    method: str
    path: str
    query: Mapping[str, str]
    principal: Principal
    content: Any = None
    parameters: Mapping[str, str] = field(default_factory=dict)

    @property
    def api_version(self) -> str:
        return self.query.get("api-version", "")

    @property
    def expand(self) -> str:
        return self.query.get("$expand", "").lower()

    def body(self) -> dict[str, Any]:
        """The JSON object of the request.

        Raises:
            ArmError: 400 InvalidRequestContent when there is none.
        """
        if not isinstance(self.content, dict):
            raise invalid_content("The request content was invalid: a JSON object is required.")
        return self.content


@dataclass(frozen=True)
class Reply:
    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


def page(request: ArmRequest, rows: list[Any], size: int = PAGE_SIZE) -> Reply:
    """One page of a list, with a `nextLink` when there is more; `$top` makes the page smaller."""
    top, token = request.query.get("$top"), request.query.get("$skiptoken", "0")
    if not token.isdecimal() or (top is not None and not (top.isdecimal() and int(top) > 0)):
        raise ArmError(400, "InvalidQueryParameter", "The values of $top and $skiptoken must be numbers.")
    start = int(token)
    end = start + min(size, int(top) if top is not None else size)
    body: dict[str, Any] = {"value": rows[start:end]}
    if end < len(rows):
        kept = {key: value for key, value in request.query.items() if key != "$skiptoken"}
        query = "&".join(f"{key}={_quoted(value)}" for key, value in kept.items())
        body["nextLink"] = f"{HOST}{request.path}?{query}&$skiptoken={end}"
    return Reply(200, body)


def _quoted(value: str) -> str:
    return value.replace("%", "%25").replace(" ", "%20").replace("&", "%26").replace("+", "%2B")
