"""One cluster's objects and the log of their changes, in the sandbox's persistent state."""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sandbox.kubernetes.jsontypes import Object
from sandbox.kubernetes.resources import Resource
from sandbox.state import State

__all__ = ["Change", "Expired", "Store"]

_HISTORY = 20_000
_COUNTER = "resourceVersion"


class Expired(Exception):
    """The wanted resourceVersion is older than the kept history."""


@dataclass(frozen=True)
class Change:
    """One write: `before` is None for a creation, `after` None for a removal."""

    version: int
    key: str
    before: Object | None
    after: Object | None


class Store:
    """Objects by resource key, namespace and name. Stored objects are never changed in place."""

    def __init__(self, state: State, name: str) -> None:
        self._state = state
        self._name = name
        self._table = state.table(name)
        self._meta = state.table("kubernetes-clusters")
        self._objects: dict[str, dict[tuple[str, str], Object]] = {}
        self.version = int(self._meta.get(f"{name}#{_COUNTER}", 1))
        self.oldest = self.version
        self.log: deque[Change] = deque(maxlen=_HISTORY)
        self._listeners: list[Callable[[Change], None]] = []
        for path, obj in self._table.items():
            key, namespace, object_name = path.split("|")
            self._objects.setdefault(key, {})[(namespace, object_name)] = obj

    def get(self, resource: Resource | str, namespace: str, name: str) -> Object | None:
        return self._objects.get(_key(resource), {}).get((namespace, name))

    def items(self, resource: Resource | str, namespace: str = "") -> list[Object]:
        """Sorted as etcd's keys are."""
        found = self._objects.get(_key(resource), {})
        keys = sorted(key for key in found if not namespace or key[0] == namespace)
        return [found[key] for key in keys]

    def by_age(self, resource: Resource | str) -> list[Object]:
        """The oldest first, also where creation timestamps (whole seconds) are equal."""
        found = list(self._objects.get(_key(resource), {}).values())
        return sorted(found, key=lambda obj: str(obj["metadata"].get("creationTimestamp", "")))

    def keys(self) -> Iterator[str]:
        return iter([key for key, found in self._objects.items() if found])

    def _next(self) -> int:
        self.version += 1
        self._meta[f"{self._name}#{_COUNTER}"] = self.version
        return self.version

    def put(self, resource: Resource | str, obj: Object) -> Object:
        """Stores the object under a new resourceVersion and returns what is stored."""
        key = _key(resource)
        metadata = obj["metadata"]
        place = (metadata.get("namespace", ""), metadata["name"])
        version = self._next()
        stored = {**obj, "metadata": {**metadata, "resourceVersion": str(version)}}
        before = self._objects.setdefault(key, {}).get(place)
        self._objects[key][place] = stored
        self._table["|".join((key, *place))] = stored
        self._announce(Change(version, key, before, stored))
        return stored

    def remove(self, resource: Resource | str, obj: Object) -> Object:
        """Removes the object; the version of its removal is its last resourceVersion."""
        key = _key(resource)
        place = (obj["metadata"].get("namespace", ""), obj["metadata"]["name"])
        version = self._next()
        del self._objects[key][place]
        del self._table["|".join((key, *place))]
        last = {**obj, "metadata": {**obj["metadata"], "resourceVersion": str(version)}}
        self._announce(Change(version, key, last, None))
        return last

    def _announce(self, change: Change) -> None:
        if len(self.log) == _HISTORY:
            self.oldest = self.log[0].version
        self.log.append(change)
        for listener in list(self._listeners):
            listener(change)

    def since(self, version: int) -> list[Change]:
        """The changes after a version. Raises Expired."""
        if version < self.oldest:
            raise Expired
        return [change for change in self.log if change.version > version]

    def listen(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Calls the listener at each change until the returned function is called."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def drop(self) -> None:
        """Forgets the cluster."""
        self._state.drop(self._name)
        self._meta.pop(f"{self._name}#{_COUNTER}", None)


def _key(resource: Resource | str) -> str:
    return resource if isinstance(resource, str) else resource.key


def new_uid() -> str:
    return str(uuid.uuid4())
