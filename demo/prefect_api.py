"""The few calls of Prefect's REST API that an operator's client needs."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

from demo.errors import DemoError

__all__ = ["LogLine", "PrefectApi", "RunState"]

FINAL = frozenset({"COMPLETED", "FAILED", "CRASHED", "CANCELLED"})


@dataclass(frozen=True)
class RunState:
    """The state of a flow run at one moment."""

    type: str
    name: str
    message: str
    at: str

    @property
    def final(self) -> bool:
        return self.type in FINAL

    @property
    def suspended(self) -> bool:
        return self.type == "PAUSED"


@dataclass(frozen=True)
class LogLine:
    """One line of a run's log."""

    id: str
    at: str
    level: int
    text: str


class PrefectApi:
    """A client of one Prefect server on this machine."""

    def __init__(self, port: int) -> None:
        self.base = f"http://127.0.0.1:{port}"
        # Loopback only: a proxy from the environment has no business here.
        self._http = httpx.Client(base_url=f"{self.base}/api", timeout=30, trust_env=False)

    def close(self) -> None:
        self._http.close()

    def healthy(self) -> bool:
        """Whether the server answers."""
        try:
            return self._http.get("/health", timeout=2).status_code == 200
        except httpx.HTTPError:
            return False

    def deployment_id(self, name: str) -> str:
        """The id of a deployment, given as `flow/deployment`."""
        return str(self._call("GET", f"/deployments/name/{name}")["id"])

    def worker_online(self, pool: str) -> bool:
        workers = self._call("POST", f"/work_pools/{pool}/workers/filter", {}, missing={})
        return any(worker.get("status") == "ONLINE" for worker in workers or [])

    def create_run(self, deployment: str, parameters: dict[str, Any]) -> str:
        body = {"parameters": parameters, "state": {"type": "SCHEDULED"}}
        return str(
            self._call("POST", f"/deployments/{self.deployment_id(deployment)}/create_flow_run", body)["id"]
        )

    def run(self, run_id: str) -> dict[str, Any]:
        """The flow run as the server gives it."""
        run: dict[str, Any] = self._call("GET", f"/flow_runs/{run_id}")
        return run

    def state(self, run_id: str) -> RunState:
        state = self.run(run_id)["state"] or {}
        return RunState(
            state.get("type", "PENDING"),
            state.get("name", "Pending"),
            state.get("message") or "",
            state.get("timestamp", ""),
        )

    def logs(self, run_id: str, offset: int) -> list[LogLine]:
        """Up to 200 log lines of a run, from `offset` on, oldest first."""
        body = {
            "logs": {"flow_run_id": {"any_": [run_id]}, "level": {"ge_": 20}},
            "sort": "TIMESTAMP_ASC",
            "offset": offset,
            "limit": 200,
        }
        rows = self._call("POST", "/logs/filter", body)
        return [LogLine(row["id"], row["timestamp"], row["level"], row["message"]) for row in rows]

    def artifact(self, key: str) -> str | None:
        """The latest Markdown of an artifact key; None when there is none."""
        row = self._call("GET", f"/artifacts/{key}/latest", missing=None)
        data = row.get("data") if row else None
        return data if isinstance(data, str) else None

    def task_runs(self, run_id: str) -> list[dict[str, Any]]:
        body = {"flow_runs": {"id": {"any_": [run_id]}}, "limit": 200, "sort": "EXPECTED_START_TIME_ASC"}
        rows: list[dict[str, Any]] = self._call("POST", "/task_runs/filter", body)
        return rows

    def resume(self, run_id: str, answer: dict[str, Any], deadline: timedelta) -> RunState:
        """Answer the form of a suspended run; the state it was accepted into.

        A busy SQLite answers 503, and in the instant before the form is saved there is no schema yet:
        both are tried again until the deadline.

        Raises:
            DemoError: the server refused the answer; with its reason.
        """
        end = time.monotonic() + deadline.total_seconds()
        while True:
            response = self._http.post(f"/flow_runs/{run_id}/resume", json={"run_input": answer})
            # The verdict is in the body's `status`; the HTTP code is 200 for a refusal too.
            body = response.json() if response.status_code in {200, 201} else {}
            if body.get("status") == "ACCEPT":
                return self.state(run_id)
            reason = (body.get("details") or {}).get("reason") or f"HTTP {response.status_code}"
            passing = response.status_code == 503 or "schema not found" in reason
            if not passing or time.monotonic() > end:
                raise DemoError(f"the run could not be resumed: {reason}")
            time.sleep(0.5)

    def cancel(self, run_id: str) -> None:
        """Cancel a run that no process works on; one that runs is for its worker to end."""
        if self.state(run_id).type in {"PAUSED", "SCHEDULED", "PENDING"}:
            state = {"type": "CANCELLED", "message": "The demo was stopped."}
            self._call("POST", f"/flow_runs/{run_id}/set_state", {"state": state, "force": True})

    def end_abandoned_runs(self) -> int:
        """End what no process works on any more, when no worker is up yet; how many runs that were.

        A run whose worker was killed stays Running for ever and holds its deployment's only slot; a
        scheduled run that was missed would be made up for now. Suspended runs go on waiting.
        """
        dead = {"state": {"type": {"any_": ["RUNNING", "PENDING", "CANCELLING"]}}}
        missed = {
            "state": {"type": {"any_": ["SCHEDULED"]}},
            "next_scheduled_start_time": {"before_": datetime.now(UTC).isoformat()},
        }
        ended = 0
        for which, kind, message in (
            (dead, "CRASHED", "The demo that ran it was killed."),
            (missed, "CANCELLED", "Its time passed while nothing ran."),
        ):
            for run in self._call("POST", "/flow_runs/filter", {"flow_runs": which, "limit": 200}):
                state = {"type": kind, "message": message}
                self._call("POST", f"/flow_runs/{run['id']}/set_state", {"state": state, "force": True})
                ended += 1
        return ended

    def _call(self, method: str, path: str, body: Any = None, *, missing: Any = ...) -> Any:
        end = time.monotonic() + 30
        while True:
            try:
                response = self._http.request(method, path, json=body)
            except httpx.TransportError as error:
                problem = str(error) or type(error).__name__
            else:
                if response.status_code == 404 and missing is not ...:
                    return missing
                if response.status_code < 500:
                    break
                problem = f"HTTP {response.status_code}"
            if time.monotonic() > end:
                raise DemoError(f"the Prefect server did not answer {method} {path}: {problem}")
            time.sleep(0.5)
        if response.status_code >= 400:
            raise DemoError(
                f"Prefect answered {response.status_code} to {method} {path}: {response.text[:300]}"
            )
        return response.json() if response.content else None
