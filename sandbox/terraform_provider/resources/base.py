"""What every resource type has in common: read, create, update and delete by its mapping."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from sandbox.terraform_provider.durations import seconds
from sandbox.terraform_provider.errors import ProviderError
from sandbox.terraform_provider.mapping import Part, from_arm, to_arm
from sandbox.terraform_provider.planning import changed_fields
from sandbox.terraform_provider.resource_id import describe, name_of, resource_group_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandbox.terraform_provider.arm import Arm
    from sandbox.terraform_provider.credentials import Credentials

__all__ = ["Change", "Context", "Resource", "Values", "deadline"]

Values = dict[str, Any]

_DEFAULT_TIMEOUT = 1800.0  # seconds; azurerm has 30 to 90 minutes by resource type


class _Locks:
    """One lock a name: Azure refuses two writes at a time below one virtual network or cluster."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: dict[str, threading.Lock] = defaultdict(threading.Lock)

    def __call__(self, name: str) -> threading.Lock:
        with self._guard:
            return self._locks[name.lower()]


@dataclass
class Context:
    """What a resource needs to do its work."""

    arm: Arm
    credentials: Credentials
    features: Mapping[str, Any]
    locks: _Locks = field(default_factory=_Locks)

    @property
    def subscription(self) -> str:
        """`/subscriptions/ID`."""
        return f"/subscriptions/{self.credentials.login.subscription_id}"


@dataclass(frozen=True)
class Change:
    """An update: the state, the plan, the parts in which they differ, and the deadline."""

    resource_id: str
    planned: Values
    prior: Values
    parts: list[Part]
    until: float


class Resource:
    """A resource type whose body ARM takes with PUT; subclasses say the rest.

    `title` is azurerm's name for the type in messages, `parts` its mapping and `template` what the
    body of a creation holds besides.
    """

    type_name: ClassVar[str]
    title: ClassVar[str]
    api_version: ClassVar[str]
    parts: ClassVar[tuple[Part, ...]]

    # ---- what subclasses give

    def resource_id(self, values: Values, context: Context) -> str:
        """The id that a resource with these values gets."""
        raise NotImplementedError

    def template(self, values: Values) -> dict[str, Any]:  # noqa: ARG002  # subclasses read them
        """The constant part of a creation's body."""
        return {}

    def lock_name(self, resource_id: str) -> str:
        """What a write must have for itself; the resource alone by default."""
        return resource_id

    def identity(self, resource_id: str) -> Values:
        """Attributes that stand in the id rather than in the body."""
        return {"name": name_of(resource_id), "resource_group_name": resource_group_of(resource_id)}

    def check(self, planned: Values, prior: Values | None) -> None:
        """Rules across attributes, at plan; raises ProviderError."""

    # ---- what Terraform asks for

    def read(self, state: Values, context: Context) -> Values | None:
        """The state of now, or None when the resource is gone."""
        resource_id = state["id"]
        with self._saying(f"retrieving {self.title} {describe(resource_id)}"):
            body = context.arm.find(resource_id, self.api_version)
            if body is None:
                return None
            return self.values_of(resource_id, body, state, context)

    def create(self, planned: Values, context: Context) -> Values:
        """Create what must not exist yet; the values after it."""
        resource_id = self.resource_id(planned, context)
        with self._saying(f"checking for the presence of an existing {self.title} {describe(resource_id)}"):
            existing = context.arm.find(resource_id, self.api_version)
        if existing is not None:
            raise ProviderError(
                f'a resource with the ID "{resource_id}" already exists - to be managed via Terraform this '
                "resource needs to be imported into the State. Please see the resource documentation for "
                f'"{self.type_name}" for more information'
            )
        with self._saying(f"creating {self.title} {describe(resource_id)}"):
            with context.locks(self.lock_name(resource_id)):
                self.put_new(resource_id, planned, context, deadline(planned, "create"))
            return self._read_back(resource_id, planned, context)

    def update(self, planned: Values, prior: Values, context: Context) -> Values:
        """Change what differs; the values after it."""
        resource_id = prior["id"]
        with self._saying(f"updating {self.title} {describe(resource_id)}"):
            with context.locks(self.lock_name(resource_id)):
                changed = changed_fields(self.parts, planned, prior)
                if changed:
                    until = deadline(planned, "update")
                    self.put_changes(Change(resource_id, planned, prior, changed, until), context)
            return self._read_back(resource_id, planned, context)

    def delete(self, state: Values, context: Context) -> None:
        """Delete and wait until it is gone."""
        resource_id = state["id"]
        with (
            self._saying(f"deleting {self.title} {describe(resource_id)}"),
            context.locks(self.lock_name(resource_id)),
        ):
            self.remove(resource_id, state, context, deadline(state, "delete"))

    # ---- the steps, for subclasses to change

    def put_new(self, resource_id: str, planned: Values, context: Context, until: float) -> None:
        """Send the creation."""
        body = to_arm(self.parts, planned, self.template(planned))
        context.arm.put(resource_id, self.api_version, body, until)

    def put_changes(self, change: Change, context: Context) -> None:
        """Send the update: the body that the service has, with the changed parts in it."""
        body = context.arm.get(change.resource_id, self.api_version)
        body = to_arm(change.parts, change.planned, body)
        context.arm.put(change.resource_id, self.api_version, body, change.until)

    def remove(self, resource_id: str, state: Values, context: Context, until: float) -> None:  # noqa: ARG002  # for subclasses
        """Send the deletion; subclasses read the state."""
        context.arm.delete(resource_id, self.api_version, until)

    def values_of(
        self,
        resource_id: str,
        body: Mapping[str, Any],
        prior: Values,
        context: Context,  # noqa: ARG002  # subclasses ask for more
    ) -> Values:
        """Terraform's values of an ARM body."""
        imported = len([v for v in prior.values() if v not in (None, [])]) <= 1  # the id alone
        values = from_arm(self.parts, body, None if imported else prior)
        values.update(self.identity(resource_id))
        values["id"] = resource_id
        values["timeouts"] = prior.get("timeouts")
        return values

    def _read_back(self, resource_id: str, planned: Values, context: Context) -> Values:
        body = context.arm.get(resource_id, self.api_version)
        return self.values_of(resource_id, body, planned, context)

    @staticmethod
    def _saying(activity: str) -> _Saying:
        return _Saying(activity)


class _Saying:
    """Puts the activity before the message of a ProviderError, as azurerm does."""

    def __init__(self, activity: str) -> None:
        self._activity = activity

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        if isinstance(error, ProviderError):
            error.args = (f"{self._activity}: {error}",)


def deadline(values: Values, operation: str) -> float:
    """The monotonic second at which `operation` must be done, from the block `timeouts`."""
    asked = (values.get("timeouts") or {}).get(operation)
    return time.monotonic() + (seconds(asked) if isinstance(asked, str) else _DEFAULT_TIMEOUT)
