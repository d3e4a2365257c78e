"""Resource ids and request paths, split into what they name."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Target", "below", "clean", "parent_scopes", "split", "subscription_of"]


@dataclass(frozen=True)
class Target:
    """What a path names.

    `type` and `names` describe the resource, `tail` is the odd last segment if there is one: the
    type of a collection, an action, or a part of the resource. `scope` is what a resource of an
    extension type (a lock, a role assignment) is attached to, and for others the subscription or group.
    """

    path: str
    scope: str
    subscription: str | None
    group: str | None
    namespace: str | None
    type: str
    names: tuple[str, ...]
    tail: str | None

    @property
    def resource_id(self) -> str:
        """The path without its tail, in the case it was written in."""
        return self.path.rsplit("/", 1)[0] if self.tail is not None else self.path

    @property
    def collection_type(self) -> str:
        """The type of the members when the path is a collection of children."""
        return f"{self.type}/{self.tail}" if self.tail is not None else self.type

    @property
    def type_and_name(self) -> str:
        """As ARM's errors name a resource: `Microsoft.Compute/virtualMachines/vm1/extensions/x`."""
        namespace, *types = self.type.split("/")
        pairs = [f"{kind}/{name}" for kind, name in zip(types, self.names, strict=False)]
        return "/".join([namespace, *pairs])


def clean(path: str) -> str:
    """One slash between segments, none at the end: SDKs build scopes with a doubled slash."""
    return re.sub(r"/{2,}", "/", path).rstrip("/") or "/"


def split(path: str) -> Target:
    """Take a cleaned path apart; the last `providers` segment begins the resource's own type."""
    segments = path.strip("/").split("/")
    lowered = [segment.lower() for segment in segments]
    providers = len(lowered) - 1 - lowered[::-1].index("providers") if "providers" in lowered else None
    head = segments if providers is None else segments[:providers]
    subscription = segments[1] if lowered[0] == "subscriptions" and len(segments) > 1 else None
    group = segments[3] if len(segments) > 3 and lowered[2] == "resourcegroups" else None
    scope = "/" + "/".join(head) if head else ""
    if providers is None or providers + 1 >= len(segments):
        return Target(path, scope, subscription, group, None, "", (), None)
    namespace, rest = segments[providers + 1], segments[providers + 2 :]
    tail = rest.pop() if len(rest) % 2 else None
    type_name = "/".join([namespace, *rest[0::2]])
    return Target(path, scope, subscription, group, namespace, type_name, tuple(rest[1::2]), tail)


def below(resource_id: str, scope: str) -> bool:
    """Whether an id is the scope itself or inside it, whatever the case."""
    inner, outer = resource_id.lower(), scope.lower().rstrip("/")
    return inner == outer or inner.startswith(outer + "/")


def parent_scopes(resource_id: str) -> list[str]:
    """The id and everything above it that can carry a lock or a role assignment, nearest first."""
    scopes = [resource_id]
    while (cut := scopes[-1].rfind("/")) > 0:
        scopes.append(scopes[-1][:cut])
    return scopes


def subscription_of(resource_id: str) -> str:
    return resource_id.split("/")[2]
