"""Long-running operations: a list of states with their durations, then success or failure."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from sandbox.arm.errors import ArmError

if TYPE_CHECKING:
    from sandbox.arm.store import Resource, Store
    from sandbox.state import State

__all__ = ["Operation", "Operations", "Transitions", "now", "set_state"]

Operation = dict[str, Any]
Transitions = tuple[tuple[str, float], ...]  # (provisioningState, seconds it lasts); () is done at once

_FORMAT = "%Y-%m-%dT%H:%M:%S.%f0Z"
_log = logging.getLogger(__name__)


def now() -> str:
    """The time as ARM writes it."""
    return datetime.now(UTC).strftime(_FORMAT)


def set_state(resource: Resource, state: str) -> None:
    resource.setdefault("properties", {})["provisioningState"] = state


class Operations:
    """All operations, kept in the state; those in progress go on after a restart.

    `finish` does the work of an operation when its last state has passed and returns its output;
    what it raises as `ArmError` becomes the operation's error.
    """

    def __init__(self, state: State, store: Store) -> None:
        self._rows = state.table("arm.operations")
        self._store = store
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.pace = 1.0  # by which the length of every waiting state is multiplied
        self.finish: Callable[[Operation], Awaitable[dict[str, Any] | None]] | None = None

    def get(self, operation_id: str) -> Operation | None:
        row = self._rows.get(operation_id.lower())
        return dict(row) if row is not None else None

    async def start(
        self,
        kind: str,
        resource_id: str,
        location: str,
        transitions: Transitions,
        data: dict[str, Any] | None = None,
    ) -> Operation:
        """Begin an operation; one without waiting states is over when this returns."""
        operation: Operation = {
            "id": str(uuid.uuid4()),
            "kind": kind,
            "resourceId": resource_id,
            "location": location,
            "startTime": now(),
            "status": "InProgress",
            "transitions": [list(step) for step in transitions],
            "data": data or {},
        }
        self._rows[operation["id"]] = operation
        if not transitions:
            await self._conclude(operation)
        else:
            self._enter(operation, transitions[0][0])
            self._schedule(operation)
        return dict(self._rows[operation["id"]])

    def in_progress(self, resource_id: str, kind: str = "") -> bool:
        """Whether an operation (whose kind begins so) is running on exactly this resource."""
        wanted = resource_id.lower()
        return any(
            operation["resourceId"].lower() == wanted and operation["kind"].startswith(kind)
            for operation in self._rows.values()
            if operation["status"] == "InProgress"
        )

    def resume(self) -> None:
        """Go on with what was in progress when the process ended; forget what ended a day ago."""
        yesterday = (datetime.now(UTC) - timedelta(days=1)).strftime(_FORMAT)
        for operation in list(self._rows.values()):
            if operation["status"] == "InProgress":
                self._schedule(operation)
            elif operation["endTime"] < yesterday:
                del self._rows[operation["id"]]

    async def stop(self) -> None:
        """Leave running operations in progress in the state."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._tasks.clear()

    def _schedule(self, operation: Operation) -> None:
        task = asyncio.get_running_loop().create_task(self._run(operation))
        self._tasks[operation["id"]] = task
        task.add_done_callback(lambda _: self._tasks.pop(operation["id"], None))

    async def _run(self, operation: Operation) -> None:
        for state, seconds in operation["transitions"]:
            self._enter(operation, state)
            await asyncio.sleep(seconds * self.pace)
        await self._conclude(operation)

    def _enter(self, operation: Operation, state: str) -> None:
        resource = self._store.get(operation["resourceId"])
        if resource is not None and not operation["kind"].startswith("action"):
            set_state(resource, state)
            self._store.put(resource)

    async def _conclude(self, operation: Operation) -> None:
        if self.finish is None:
            raise RuntimeError("no finisher is set")
        ended = dict(operation)
        try:
            ended["output"] = await self.finish(operation)
            ended["status"] = "Succeeded"
        except ArmError as error:
            ended["status"], ended["error"] = "Failed", error.error()
            self._enter(operation, "Failed")
        except Exception as error:  # noqa: BLE001  # an operation must end, whatever went wrong in it
            _log.exception("finishing %s of %s", operation["kind"], operation["resourceId"])
            message = f"The operation could not be finished: {type(error).__name__}: {error}"
            ended["status"], ended["error"] = "Failed", {"code": "InternalServerError", "message": message}
            self._enter(operation, "Failed")
        ended["endTime"] = now()
        self._rows[operation["id"]] = ended
