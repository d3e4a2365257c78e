"""`graph.microsoft.com`: the few look-ups by which clients resolve a service principal."""

from __future__ import annotations

import json
import re
from typing import Any

from aiohttp import web

from sandbox.entra.directory import Application
from sandbox.entra.tokens import TokenError, Tokens

__all__ = ["Graph"]

_AUDIENCES = ("https://graph.microsoft.com", "00000003-0000-0000-c000-000000000000")
_QUOTED_ID = re.compile(r"eq '([^']*)'")
_PRINCIPALS = "/v1.0/servicePrincipals"


class Graph:
    """Read-only; everything else is refused by name."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    async def handle(self, request: web.Request) -> web.StreamResponse:
        try:
            self._authenticate(request.headers.get("Authorization", ""))
        except TokenError as error:
            return _error(401, "InvalidAuthenticationToken", str(error))
        path = request.path.rstrip("/")
        directory = self._tokens.directory
        if request.method == "GET" and path == _PRINCIPALS:
            match = _QUOTED_ID.search(request.query.get("$filter", ""))
            found = directory.find(match.group(1)) if match else None
            return web.json_response({"value": [_principal(found)] if found else []})
        if request.method == "GET" and path.startswith(_PRINCIPALS + "/"):
            found = directory.find_object(path.removeprefix(_PRINCIPALS + "/"))
            return web.json_response(_principal(found)) if found else _not_found(path)
        if request.method == "POST" and path == "/v1.0/directoryObjects/getByIds":
            return await self._by_ids(request)
        if request.method == "GET" and path == "/v1.0/me":
            return _error(400, "BadRequest", "/me request is only valid with delegated authentication flow.")
        return _error(
            501, "NotImplemented", f"The sandbox's Microsoft Graph has no {request.method} {request.path}."
        )

    async def _by_ids(self, request: web.Request) -> web.Response:
        try:
            ids = (await request.json())["ids"]
        except (json.JSONDecodeError, KeyError, TypeError):
            return _error(400, "Request_BadRequest", "The body must be a JSON object with the list 'ids'.")
        found = [self._tokens.directory.find_object(str(object_id)) for object_id in ids]
        return web.json_response({"value": [_principal(app) for app in found if app is not None]})

    def _authenticate(self, authorization: str) -> None:
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer":
            raise TokenError("Access token is empty.")
        if self._tokens.verify(token.strip()).audience.rstrip("/") not in _AUDIENCES:
            raise TokenError("Access token validation failure. Invalid audience.")


def _principal(app: Application) -> dict[str, Any]:
    return {
        "@odata.type": "#microsoft.graph.servicePrincipal",
        "id": app.object_id,
        "appId": app.client_id,
        "displayName": app.display_name,
        "servicePrincipalType": "Application",
        "servicePrincipalNames": [app.client_id],
    }


def _not_found(path: str) -> web.Response:
    name = path.rpartition("/")[2]
    return _error(
        404,
        "Request_ResourceNotFound",
        f"Resource '{name}' does not exist or one of its queried reference-property objects are not present.",
    )


def _error(status: int, code: str, message: str) -> web.Response:
    return web.json_response({"error": {"code": code, "message": message}}, status=status)
