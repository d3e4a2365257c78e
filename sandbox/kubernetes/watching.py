"""Watch streams: from a resourceVersion, from the present, with initial events and bookmarks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.errors import ApiError, bad_request
from sandbox.kubernetes.field_errors import forbidden_field, invalid_object, not_supported
from sandbox.kubernetes.jsontypes import Object
from sandbox.kubernetes.negotiation import Form
from sandbox.kubernetes.objects import zero
from sandbox.kubernetes.reading import predicate
from sandbox.kubernetes.request import Call
from sandbox.kubernetes.resources import Resource
from sandbox.kubernetes.selectors import Predicate
from sandbox.kubernetes.store import Change, Expired
from sandbox.kubernetes.tables import shaped, table
from sandbox.kubernetes.versions import from_storage

__all__ = ["Watch", "is_watch"]

_DEFAULT_SECONDS = 1800
_TRUE = ("1", "true", "t", "T", "TRUE", "True")


def is_watch(call: Call) -> bool:
    return call.query.get("watch", "0").lower() not in ("0", "false", "f", "") or "/watch/" in call.path


class Watch:
    """One stream. Constructing it checks the options and fixes where it starts. Raises ApiError."""

    def __init__(self, cluster: Cluster, call: Call, resource: Resource, form: Form) -> None:
        self._cluster = cluster
        self._resource = resource
        self._form = form
        self._fits = self._predicate(call)
        self._namespace = call.target.namespace if resource.namespaced else ""
        self._bookmarks = call.query.get("allowWatchBookmarks") in _TRUE
        # Of custom resources the server keeps no watch cache that would tell the end.
        self._last_bookmark = self._bookmarks and not resource.custom
        self._call = call
        version = _check_options(call)
        seconds = call.query.get("timeoutSeconds", "")
        self.seconds = int(seconds) if seconds.isdigit() and int(seconds) else _DEFAULT_SECONDS
        self._queue: asyncio.Queue[Change] = asyncio.Queue()
        self._first: list[Object] = []
        self._headers_sent = False
        initial = call.query.get("sendInitialEvents")
        if initial in _TRUE or (initial is None and version in ("", "0")):
            self._add_present(initial in _TRUE)
        elif version not in ("", "0"):
            self._add_history(int(version))
        self._stop = cluster.store.listen(self._queue.put_nowait)

    def _predicate(self, call: Call) -> Predicate:
        fits = predicate(call, self._resource)
        if not call.target.name:
            return fits
        return lambda obj: obj["metadata"]["name"] == call.target.name and fits(obj)

    def _add_present(self, bookmark: bool) -> None:
        for stored in self._cluster.store.items(self._resource, self._namespace):
            obj = from_storage(self._cluster, self._resource, stored)
            if self._fits(obj):
                self._first.append(self._event("ADDED", obj))
        if bookmark and self._bookmarks:
            self._first.append(self._bookmark(initial=True))

    def _add_history(self, version: int) -> None:
        try:
            changes = self._cluster.store.since(version)
        except Expired:
            text = f"too old resource version: {version} ({self._cluster.store.oldest})"
            self._first.append({"type": "ERROR", "object": ApiError(410, "Expired", text).status()})
            return
        for change in changes:
            self._first += self._events(change)

    def _bookmark(self, *, initial: bool = False) -> Object:
        metadata: Object = {"resourceVersion": str(self._cluster.store.version)}
        if initial:
            metadata["annotations"] = {"k8s.io/initial-events-end": "true"}
        obj: Object = {
            "kind": self._resource.kind,
            "apiVersion": self._resource.api_version,
            "metadata": metadata,
        }
        if not self._resource.custom:
            obj = {**zero(self._resource), "metadata": metadata}
        return {"type": "BOOKMARK", "object": self._shape(obj)}

    def _shape(self, obj: Object) -> Object:
        if self._form.as_kind == "Table":
            out = table(self._resource, [obj], self._call)
            if self._headers_sent:
                out["columnDefinitions"] = None
            self._headers_sent = True
            return out
        if self._form.as_kind.startswith("PartialObjectMetadata"):
            return shaped(obj)
        return obj

    def _event(self, kind: str, obj: Object) -> Object:
        return {"type": kind, "object": self._shape(obj)}

    def _events(self, change: Change) -> list[Object]:
        if change.key != self._resource.key:
            return []
        shown = change.after or change.before
        if shown is None or (self._namespace and shown["metadata"].get("namespace") != self._namespace):
            return []
        before = self._view(change.before)
        after = self._view(change.after)
        was, now = before is not None and self._fits(before), after is not None and self._fits(after)
        if after is not None and now:
            return [self._event("MODIFIED" if was else "ADDED", after)]
        if before is not None and was:
            version = str(change.version)
            return [
                self._event(
                    "DELETED", {**before, "metadata": {**before["metadata"], "resourceVersion": version}}
                )
            ]
        return []

    def _view(self, obj: Object | None) -> Object | None:
        return None if obj is None else from_storage(self._cluster, self._resource, obj)

    async def drain(self) -> AsyncIterator[bytes]:
        """What the stream would have said up to now, then its end."""
        changes = [self._queue.get_nowait() for _ in range(self._queue.qsize())]
        self._stop()
        for event in [*self._first, *(event for change in changes for event in self._events(change))]:
            yield _line(event)
        if self._last_bookmark:
            yield _line(self._bookmark())

    async def events(self) -> AsyncIterator[bytes]:
        """Lines of the stream until its time is up."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.seconds
        try:
            for event in self._first:
                yield _line(event)
            while (left := deadline - loop.time()) > 0:
                try:
                    change = await asyncio.wait_for(self._queue.get(), left)
                except TimeoutError:
                    break
                for event in self._events(change):
                    yield _line(event)
            if self._last_bookmark:
                yield _line(self._bookmark())
        finally:
            self._stop()


def _line(event: Object) -> bytes:
    return json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def _check_options(call: Call) -> str:
    """The resourceVersion. Raises ApiError (422 or 400)."""
    query = call.query
    seconds = query.get("timeoutSeconds", "")
    if seconds and not seconds.lstrip("-").isdigit():
        raise bad_request(f'strconv.ParseInt: parsing "{seconds}": invalid syntax')
    version, match, initial = (
        query.get("resourceVersion", ""),
        query.get("resourceVersionMatch", ""),
        query.get("sendInitialEvents"),
    )
    errors = []
    if query.get("continue"):
        text = "resourceVersionMatch is forbidden when continue is provided"
        errors.append(forbidden_field("resourceVersionMatch", text))
    if initial is not None:
        if initial in _TRUE and match != "NotOlderThan":
            if not match:
                errors.append(
                    forbidden_field(
                        "resourceVersionMatch",
                        "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
                    )
                )
            else:
                errors.append(
                    forbidden_field(
                        "resourceVersionMatch",
                        "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
                    )
                )
                errors.append(not_supported("resourceVersionMatch", match, ["NotOlderThan"]))
    elif match:
        errors.append(
            forbidden_field(
                "resourceVersionMatch",
                "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
            )
        )
    if errors:
        raise invalid_object("meta.k8s.io", "ListOptions", "", errors)
    if version and not version.isdigit():
        text = (
            f'resourceVersion: Invalid value: "{version}": strconv.ParseUint: parsing "{version}": invalid'
            " syntax"
        )
        raise ApiError(500, "", text)
    return version
