"""Find the handler of a request, after the checks that come before every handler."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sandbox.arm import crud, locks
from sandbox.arm.errors import ArmError, not_emulated, resource_not_found
from sandbox.arm.ids import Target, split
from sandbox.arm.messages import Reply
from sandbox.arm.resource import Action, Call, ResourceType
from sandbox.arm.routes import Route, match

if TYPE_CHECKING:
    from sandbox.arm.context import Context
    from sandbox.arm.messages import ArmRequest

__all__ = ["Dispatcher"]

_VERBS = {"GET": "read", "HEAD": "read", "PUT": "write", "PATCH": "write", "DELETE": "delete"}


class Dispatcher:
    def __init__(self, context: Context, routes: Sequence[Route]) -> None:
        self._context = context
        self._routes = routes

    async def dispatch(self, request: ArmRequest) -> Reply:
        """Answer a request of an authenticated caller.

        Raises:
            ArmError: whatever ARM would refuse, and 405 for what the sandbox does not emulate.
        """
        if "api-version" not in request.query:
            raise ArmError(
                400,
                "MissingApiVersionParameter",
                "The api-version query parameter (?api-version=) is required for all requests.",
            )
        target = split(request.path)
        self._check_subscription(target)
        route, parameters, known = match(self._routes, request.method, request.path)
        if route is not None:
            return await self._fixed(route, replace(request, parameters=parameters), target)
        if known:
            raise not_emulated(request.method, request.path)
        return await self._resource(request, target)

    def _check_subscription(self, target: Target) -> None:
        known = {key.lower() for key in self._context.subscriptions()}
        if target.subscription is not None and target.subscription.lower() not in known:
            raise ArmError(
                404, "SubscriptionNotFound", f"The subscription '{target.subscription}' could not be found."
            )

    async def _fixed(self, route: Route, request: ArmRequest, target: Target) -> Reply:
        if request.api_version not in route.versions:
            listed = ", ".join(route.versions)
            raise ArmError(
                400,
                "InvalidApiVersionParameter",
                f"The api-version '{request.api_version}' is invalid. The supported versions are '{listed}'.",
            )
        if route.action is not None:
            self._context.roles.require(request.principal, route.action, _scope(target))
            if request.method in {"PUT", "PATCH", "POST"} and not route.action.lower().endswith("/read"):
                locks.check_write(self._context.store, request.path)
        return await route.handler(self._context, request)

    async def _resource(self, request: ArmRequest, target: Target) -> Reply:
        kind, tail = self._kind(request, target)
        self._check_version(kind, request, target)
        action = f"{kind.name}/{_VERBS.get(request.method, '')}"
        if request.method == "POST":
            return await self._action(kind, request, target)
        self._context.roles.require(request.principal, action, _rbac_scope(request, target))
        if tail is not None:
            return await self._part(kind, request, target, tail)
        if target.tail is not None or not target.names:
            if request.method != "GET" or "LIST" not in kind.methods:
                raise not_emulated(request.method, f"{kind.name} (list)")
            return await crud.list_(self._context, kind, target, request)
        if request.method == "HEAD" and "GET" in kind.methods:
            return Reply(204 if target.resource_id in self._context.store else 404)
        if request.method not in kind.methods:
            raise not_emulated(request.method, kind.name)
        if request.method == "GET":
            return await crud.get(self._context, kind, target, request)
        if request.method == "DELETE":
            return await crud.delete(self._context, kind, target, request)
        return await crud.create_or_update(
            self._context, kind, target, request, patch=request.method == "PATCH"
        )

    def _kind(self, request: ArmRequest, target: Target) -> tuple[ResourceType, str | None]:
        """The resource type a path is about, and the part or action at its end."""
        types = self._context.types
        if target.namespace is None:
            raise not_emulated(request.method, request.path)
        if target.tail is not None and request.method != "POST":
            kind = types.get(target.collection_type.lower())
            if kind is not None:
                return kind, None
        kind = types.get(target.type.lower())
        if kind is not None and (target.tail is None or target.names):
            return kind, target.tail
        raise self._unknown_type(target)

    def _unknown_type(self, target: Target) -> ArmError:
        namespace = (target.namespace or "").lower()
        if not any(name.startswith(namespace + "/") for name in self._context.types):
            return ArmError(
                404,
                "InvalidResourceNamespace",
                f"The resource namespace '{target.namespace}' is invalid. (The sandbox does not emulate it.)",
            )
        wanted = target.collection_type if target.tail else target.type
        return ArmError(
            404,
            "InvalidResourceType",
            f"The resource type '{wanted.split('/', 1)[-1]}' could not be found in the namespace "
            f"'{target.namespace}'. (The sandbox does not emulate it.)",
        )

    def _check_version(self, kind: ResourceType, request: ArmRequest, target: Target) -> None:
        supported = kind.api_versions()
        if request.api_version in supported:
            return
        stored = self._context.store.get(target.resource_id)
        location = (stored or {}).get("location", "")
        raise ArmError(
            400,
            "NoRegisteredProviderFound",
            f"No registered resource provider found for location '{location}' and API version "
            f"'{request.api_version}' for type '{kind.name.split('/', 1)[-1]}'. The supported api-versions "
            "are "
            f"'{', '.join(supported)}'. The supported locations are "
            f"'{', '.join(self._context.catalog.locations)}'.",
        )

    async def _action(self, kind: ResourceType, request: ArmRequest, target: Target) -> Reply:
        name = target.tail or ""
        handler = kind.posts().get(name.lower())
        if handler is None or not target.names:
            raise not_emulated("POST", f"{kind.name}/{name}")
        self._context.roles.require(request.principal, f"{kind.name}/{name}/action", target.resource_id)
        locks.check_write(self._context.store, target.resource_id)
        return await self._call(handler, request, target)

    async def _part(self, kind: ResourceType, request: ArmRequest, target: Target, tail: str) -> Reply:
        handler = kind.parts().get(tail.lower())
        if handler is None or request.method != "GET":
            raise self._unknown_type(target)
        return await self._call(handler, request, target)

    async def _call(self, handler: Action, request: ArmRequest, target: Target) -> Reply:
        resource = self._context.store.get(target.resource_id)
        if resource is None:
            raise resource_not_found(target.type_and_name, target.group)
        return await handler(self._context, Call(request, target, resource))


def _scope(target: Target) -> str:
    """The group or subscription of a fixed route; the root for what is outside both."""
    if target.subscription is None:
        return "/"
    scope = f"/subscriptions/{target.subscription}"
    return scope if target.group is None else f"{scope}/resourceGroups/{target.group}"


def _rbac_scope(request: ArmRequest, target: Target) -> str:
    """Extension resources are checked at the scope they are attached to."""
    if (target.namespace or "").lower() == "microsoft.authorization":
        return target.scope
    return request.path
