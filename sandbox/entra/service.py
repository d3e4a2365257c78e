"""`login.microsoftonline.com`: discovery documents, keys and the token endpoint."""

from __future__ import annotations

import uuid
from typing import Any

from aiohttp import web

from sandbox.entra.errors import EntraError, error_response
from sandbox.entra.grant import client_credentials
from sandbox.entra.tokens import LIFETIME, Tokens
from sandbox.identity import Identity

__all__ = ["HOSTS", "Entra"]

HOSTS = ("login.microsoftonline.com", "login.windows.net", "login.microsoft.com", "sts.windows.net")
_LOGIN = f"https://{HOSTS[0]}"
_SHARED_TENANTS = ("common", "organizations")


class Entra:
    """One tenant, known by its id; its only grant is `client_credentials`."""

    def __init__(self, identity: Identity, tokens: Tokens) -> None:
        self._tenant = identity.tenant_id
        self._tokens = tokens

    async def handle(self, request: web.Request) -> web.StreamResponse:
        tenant, _, rest = request.path.strip("/").partition("/")
        try:
            response = await self._route(request, tenant.lower(), rest)
        except EntraError as error:
            response = error_response(error)
        response.headers["x-ms-request-id"] = str(uuid.uuid4())
        response.headers["Cache-Control"] = "no-store, no-cache"
        return response

    async def _route(self, request: web.Request, tenant: str, rest: str) -> web.Response:
        if request.method == "GET" and rest == "discovery/instance":
            return web.json_response(self._instance())
        if request.method == "GET" and rest in (
            "v2.0/.well-known/openid-configuration",
            ".well-known/openid-configuration",
        ):
            self._check_tenant(tenant, shared=True)
            return web.json_response(self._configuration(tenant, version_2=rest.startswith("v2.0")))
        if request.method == "GET" and rest in ("discovery/v2.0/keys", "discovery/keys"):
            return web.json_response(self._tokens.key_set())
        if request.method == "POST" and rest in ("oauth2/v2.0/token", "oauth2/token"):
            self._check_tenant(tenant, shared=False)
            return await self._token(request, version_2=rest == "oauth2/v2.0/token")
        raise EntraError(
            404, "invalid_request", 900561, f"The sandbox has no endpoint {request.method} {request.path}."
        )

    def _check_tenant(self, tenant: str, *, shared: bool) -> None:
        if tenant == self._tenant or (shared and tenant in _SHARED_TENANTS):
            return
        if tenant in _SHARED_TENANTS:
            raise EntraError(
                400,
                "invalid_request",
                50059,
                f"No tenant-identifying information found: '{tenant}' is no tenant for client_credentials.",
            )
        raise EntraError(
            400,
            "invalid_request",
            90002,
            f"Tenant '{tenant}' not found. Check to make sure you have the correct tenant ID and are signing"
            " into the correct cloud.",
        )

    async def _token(self, request: web.Request, *, version_2: bool) -> web.Response:
        form = {key: str(value) for key, value in (await request.post()).items()}
        application, resource = client_credentials(
            form, request.headers.get("Authorization", ""), self._tokens.directory, version_2=version_2
        )
        answer: dict[str, Any] = {
            "token_type": "Bearer",
            "expires_in": LIFETIME if version_2 else str(LIFETIME),
            "ext_expires_in": LIFETIME if version_2 else str(LIFETIME),
            "access_token": self._tokens.issue(application.client_id, resource),
        }
        if not version_2:
            answer["resource"] = resource
        return web.json_response(answer)

    def _instance(self) -> dict[str, Any]:
        return {
            "tenant_discovery_endpoint": f"{_LOGIN}/{self._tenant}/v2.0/.well-known/openid-configuration",
            "api-version": "1.1",
            "metadata": [
                {
                    "preferred_network": "login.microsoftonline.com",
                    "preferred_cache": "login.windows.net",
                    "aliases": list(HOSTS),
                }
            ],
        }

    def _configuration(self, tenant: str, *, version_2: bool) -> dict[str, Any]:
        base = f"{_LOGIN}/{tenant}"
        version = "/v2.0" if version_2 else ""
        issuer_tenant = self._tenant if tenant not in _SHARED_TENANTS else "{tenantid}"
        issuer = (
            f"{_LOGIN}/{issuer_tenant}/v2.0" if version_2 else f"https://sts.windows.net/{issuer_tenant}/"
        )
        return {
            "token_endpoint": f"{base}/oauth2{version}/token",
            "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
            "jwks_uri": f"{base}/discovery{version}/keys",
            "response_types_supported": ["code", "id_token"],
            "response_modes_supported": ["query", "fragment", "form_post"],
            "subject_types_supported": ["pairwise"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "scopes_supported": ["openid", "profile", "email", "offline_access"],
            "issuer": issuer,
            "authorization_endpoint": f"{base}/oauth2{version}/authorize",
            "device_authorization_endpoint": f"{base}/oauth2{version}/devicecode",
            "end_session_endpoint": f"{base}/oauth2{version}/logout",
            "tenant_region_scope": "NA",
            "cloud_instance_name": "microsoftonline.com",
            "cloud_graph_host_name": "graph.windows.net",
            "msgraph_host": "graph.microsoft.com",
        }
