"""`management.azure.com`: from an HTTP request to a handler and back."""

from __future__ import annotations

import json
import logging
import secrets
import uuid
from typing import TYPE_CHECKING, Any

from aiohttp import web

from sandbox.arm import crud
from sandbox.arm.authorization import ResourceDataPlane
from sandbox.arm.catalog import Catalog
from sandbox.arm.context import Context
from sandbox.arm.dispatch import Dispatcher
from sandbox.arm.errors import ArmError, invalid_content
from sandbox.arm.ids import clean, split
from sandbox.arm.messages import ArmRequest, Reply
from sandbox.arm.operations import Operations, now
from sandbox.arm.quota import Quota
from sandbox.arm.rbac import Roles
from sandbox.arm.store import Store
from sandbox.arm.throttle import Throttle
from sandbox.arm.types import all_routes, all_types
from sandbox.arm.types.managed_clusters import start_cluster
from sandbox.entra.tokens import Principal, TokenError
from sandbox.kubernetes.clusters import User

if TYPE_CHECKING:
    from sandbox.blob.accounts import Accounts
    from sandbox.entra.tokens import Tokens
    from sandbox.identity import Identity
    from sandbox.kubernetes.clusters import Clusters
    from sandbox.state import State

__all__ = ["Arm"]

_log = logging.getLogger(__name__)
_AUDIENCES = ("https://management.azure.com", "https://management.core.windows.net")


class Arm:
    """The control plane of one sandbox."""

    def __init__(  # noqa: PLR0917  # the parts it is made of, in the order the composition root has them
        self,
        state: State,
        identity: Identity,
        tokens: Tokens,
        accounts: Accounts,
        clusters: Clusters,
        ca_pem: bytes,
    ) -> None:
        store = Store(state)
        catalog = Catalog.load()
        operations = Operations(state, store)
        self.context = Context(
            state=state,
            identity=identity,
            accounts=accounts,
            clusters=clusters,
            ca_pem=ca_pem,
            store=store,
            operations=operations,
            catalog=catalog,
            quota=Quota(state, store, catalog),
            roles=Roles(store),
            types={kind.name.lower(): kind for kind in all_types()},
        )
        operations.finish = self._finish
        self.data_plane = ResourceDataPlane(self.context)
        self._tokens = tokens
        self._throttle = Throttle()
        self._dispatcher = Dispatcher(self.context, all_routes())

    async def start(self) -> None:
        """Seed a new state; bring back the accounts and clusters of an old one; resume operations."""
        context = self.context
        marks = context.state.table("arm.marks")
        if "owner" not in marks:
            identity = context.identity
            marks["owner"] = context.roles.seed_owner(identity.subscription_id, identity.object_id, now())[
                "id"
            ]
        for account in context.store.all("Microsoft.Storage/storageAccounts"):
            await context.accounts.ensure(account["name"])
        for cluster in context.store.all("Microsoft.ContainerService/managedClusters"):
            start_cluster(context, cluster)
        context.operations.resume()

    async def stop(self) -> None:
        await self.context.operations.stop()

    def local_account(self, host: str, token: str) -> User | None:
        """The user behind a token of an admin kubeconfig; None when it is none of ours."""
        secret = self.context.state.table("arm.clusterTokens").get(host.lower())
        if secret is None or not secrets.compare_digest(str(secret), token):
            return None
        return User("masterclient", ("system:masters", "system:authenticated"))

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one request; every answer carries the request and correlation ids."""
        correlation = request.headers.get("x-ms-correlation-request-id") or str(uuid.uuid4())
        headers = {
            "x-ms-request-id": str(uuid.uuid4()),
            "x-ms-correlation-request-id": correlation,
            "x-ms-routing-request-id": f"SANDBOX:{correlation}",
            "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "no-cache",
            "X-Go-Azure-Sdk-Skip-Polling-Delay": "true",
        }
        client_id = request.headers.get("x-ms-client-request-id")
        if client_id and request.headers.get("x-ms-return-client-request-id", "").lower() == "true":
            headers["x-ms-client-request-id"] = client_id
        try:
            reply, more = await self._answer(request)
            headers |= more
        except ArmError as error:
            reply = Reply(error.status, error.body(), error.headers)
            if error.status >= 400:
                headers["x-ms-failure-cause"] = "gateway"
        return _response(reply, headers)

    async def _answer(self, request: web.Request) -> tuple[Reply, dict[str, str]]:
        principal = self._authenticate(request)
        path = clean(request.path)
        subscription = split(path).subscription or principal.tenant_id
        limits = self._throttle.take(subscription.lower(), request.method, f"{request.method}{path.upper()}")
        query = {key.lower(): value for key, value in request.query.items()}
        arm_request = ArmRequest(request.method, path, query, principal, await _content(request))
        return await self._dispatcher.dispatch(arm_request), limits

    def _authenticate(self, request: web.Request) -> Principal:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise self._unauthorized(
                "AuthenticationFailed", "Authentication failed. The 'Authorization' header is missing."
            )
        try:
            principal = self._tokens.verify(token.strip())
        except TokenError as error:
            raise self._unauthorized(
                "InvalidAuthenticationToken", f"The access token is invalid: {error}"
            ) from error
        if principal.audience.rstrip("/") not in _AUDIENCES:
            raise self._unauthorized(
                "InvalidAuthenticationTokenAudience",
                f"The access token has been obtained for wrong audience or resource '{principal.audience}'. "
                "It "
                "should exactly match with one of the allowed audiences "
                "'https://management.core.windows.net/','https://management.azure.com/'.",
            )
        return principal

    def _unauthorized(self, code: str, message: str) -> ArmError:
        tenant = self.context.identity.tenant_id
        challenge = (
            f'Bearer authorization_uri="https://login.microsoftonline.com/{tenant}", '
            f'error="invalid_token", error_description="{message.replace(chr(34), chr(39))}"'
        )
        return ArmError(401, code, message, headers={"WWW-Authenticate": challenge})

    async def _finish(self, operation: dict[str, Any]) -> dict[str, Any] | None:
        return await crud.finish(self.context, operation)


async def _content(request: web.Request) -> Any:
    raw = await request.read()
    if not raw.strip():
        return None
    try:
        return json.loads(raw)
    except ValueError as error:
        raise invalid_content(
            f"The request content was invalid and could not be deserialized: '{error}'."
        ) from error


def _response(reply: Reply, headers: dict[str, str]) -> web.Response:
    merged = {**headers, **reply.headers}
    if reply.body is None:
        return web.Response(status=reply.status, headers=merged)
    return web.json_response(reply.body, status=reply.status, headers=merged)
