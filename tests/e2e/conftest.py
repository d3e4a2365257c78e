"""The whole platform on this machine: local Azure, Prefect server, worker and deployments."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from datetime import timedelta

import psutil
import pytest

from demo.prefect_api import RunState
from demo.settings import DemoSettings
from demo.stage import Stage

REQUESTER = "team-lead@example.com"
APPROVER = "operator@example.com"


class Platform(Stage):
    """The demo's servers, with the things that go wrong with servers."""

    def kill_worker(self) -> None:
        """End the worker and its runs with SIGKILL, as a machine that dies does."""
        child = self.processes.release("worker")
        for process in [*psutil.Process(child.pid).children(recursive=True), psutil.Process(child.pid)]:
            process.send_signal(signal.SIGKILL)
        child.wait(timeout=10)

    def restart_server(self) -> None:
        """Stop the Prefect server and start it again on the same port."""
        self.processes.stop("prefect-server", grace=20)
        self.start_server()

    def start_run(self, deployment: str, environment: str, **parameters: str) -> str:
        return self.api.create_run(deployment, {"environment": environment, **parameters})

    def start_gated_run(self, deployment: str, environment: str) -> str:
        return self.start_run(deployment, environment, requester=REQUESTER)

    def has_state_backend(self, environment: str) -> None:
        state = self.wait(self.start_run("bootstrap-state/bootstrap-state", environment))
        assert state.type == "COMPLETED", state.message

    def wait(self, run_id: str, *, suspended: bool = False, seconds: float = 180) -> RunState:
        """The state in which the run is final, or suspended where that is waited for."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            state = self.api.state(run_id)
            if state.final or (suspended and state.suspended):
                return state
            time.sleep(0.3)
        pytest.fail(f"the run is still {state} after {seconds} s; see {self.processes.log('worker')}")

    def answer(self, run_id: str, **answer: str) -> RunState:
        return self.api.resume(run_id, answer, timedelta(seconds=20))

    def task_counts(self, run_id: str) -> dict[str, int]:
        """How often each task ran, by the first words of its run's name."""
        counts: dict[str, int] = {}
        for task in self.api.task_runs(run_id):
            counts[task["name"]] = counts.get(task["name"], 0) + 1
        return counts


@pytest.fixture(scope="session")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    directory = tmp_path_factory.mktemp("platform")
    settings = DemoSettings(
        auto_approve=False,
        keep=False,
        port=None,
        environment="dev",
        approver=APPROVER,
        requester=REQUESTER,
        directory=directory / "demo",
        sandbox_directory=directory / "azure",
    )
    stage = Platform(settings, lambda _text: None)
    try:
        stage.up()
        yield stage
    finally:
        stage.down()
