"""What a resource type may say about itself; one subclass per type in `arm/types`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from sandbox.arm import schema
from sandbox.arm.errors import resource_not_found
from sandbox.arm.operations import now

if TYPE_CHECKING:
    from sandbox.arm.context import Context
    from sandbox.arm.ids import Target
    from sandbox.arm.messages import ArmRequest, Reply
    from sandbox.arm.operations import Operation, Transitions
    from sandbox.arm.store import Resource

__all__ = ["Call", "Change", "ResourceType"]


@dataclass
class Change:
    """A PUT or PATCH about to happen: `body` is the resource as it will be stored."""

    id: str
    name: str
    body: Resource
    old: Resource | None
    request: ArmRequest

    @property
    def properties(self) -> dict[str, Any]:
        found: dict[str, Any] = self.body.setdefault("properties", {})
        return found

    @property
    def old_properties(self) -> dict[str, Any]:
        found: dict[str, Any] = (self.old or {}).get("properties", {})
        return found


@dataclass(frozen=True)
class Call:
    """A POST action, or a GET of a part of a resource."""

    request: ArmRequest
    target: Target
    resource: Resource


Action = Callable[["Context", Call], Awaitable["Reply"]]


class ResourceType:
    """Plain create, read, update, delete and list; subclasses add what is special.

    `creating`, `updating` and `deleting` are the provisioning states before the end and how long each
    lasts. Where `polls` is false the type answers without operation headers.
    """

    name: ClassVar[str]
    methods: ClassVar[frozenset[str]] = frozenset({"GET", "PUT", "PATCH", "DELETE", "LIST"})
    located: ClassVar[bool] = True
    more_versions: ClassVar[tuple[str, ...]] = ()
    error_code: ClassVar[str] = "InvalidRequestContent"
    created: ClassVar[int] = 201
    updated: ClassVar[int] = 200
    deleted: ClassVar[int] = 202
    names_itself: ClassVar[bool] = False  # `prepare` checks the name, with an error of its own
    polls: ClassVar[bool] = True
    has_state: ClassVar[bool] = True
    system_data: ClassVar[bool] = False
    creating: ClassVar[Transitions] = ()
    updating: ClassVar[Transitions] = ()
    deleting: ClassVar[Transitions] = ()

    def api_versions(self) -> tuple[str, ...]:
        return (*schema.api_versions(self.name), *self.more_versions)

    def posts(self) -> Mapping[str, Action]:
        """POST actions by lower-cased name."""
        return {}

    def parts(self) -> Mapping[str, Action]:
        """GET-able parts of a resource by lower-cased name, such as a VM's instanceView."""
        return {}

    def prepare(self, ctx: Context, change: Change) -> None:
        """Check the change and fill in what the service adds, in `change.body`."""

    def stored(self, ctx: Context, change: Change) -> None:
        """After the resource is in the store: write what hangs off it, such as inline children."""

    async def provisioned(self, ctx: Context, resource: Resource) -> None:
        """When its last transition has passed and before it is Succeeded."""

    def check_delete(self, ctx: Context, resource: Resource) -> None:
        """Refuse a deletion by raising ArmError."""

    async def removed(self, ctx: Context, resource: Resource) -> None:
        """Just before the resource (or what contains it) leaves the store."""

    async def finish_action(self, ctx: Context, operation: Operation) -> dict[str, Any] | None:
        """The end of an operation that a POST action started; returns its output."""
        raise NotImplementedError(f"{self.name} has no long-running actions")

    def listed(self, ctx: Context, scope: str, request: ArmRequest) -> list[Resource]:  # noqa: ARG002  # for subclasses
        """What a list at a subscription, a group or (for extension types) any scope holds."""
        return ctx.store.all(self.name, scope)

    def view(self, ctx: Context, resource: Resource, *, expand: str, listing: bool) -> Resource:  # noqa: ARG002  # for subclasses
        """The resource as an answer shows it."""
        return resource

    def absent(self, ctx: Context, target: Target) -> Resource:  # noqa: ARG002  # for subclasses
        """What a GET of a resource that is not stored shows: nothing, except where there is always one.

        Raises:
            ArmError: 404 ResourceNotFound.
        """
        raise resource_not_found(target.type_and_name, target.group)

    async def refresh(self, ctx: Context, target: Target, request: ArmRequest) -> None:
        """Before a GET or a list: take over what changed outside ARM."""

    def stamp(self, change: Change) -> None:
        """Who and when, for types that show `systemData`."""
        if not self.system_data:
            return
        who = {"By": change.request.principal.client_id, "ByType": "Application", "At": now()}
        modified = {f"lastModified{key}": value for key, value in who.items()}
        old = (change.old or {}).get("systemData") or {f"created{key}": value for key, value in who.items()}
        created = {key: value for key, value in old.items() if key.startswith("created")}
        change.body["systemData"] = {**created, **modified}
