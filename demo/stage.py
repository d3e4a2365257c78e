"""The servers of the demo: the local Azure, Prefect and a worker, with the flows deployed."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable

from demo.errors import DemoError
from demo.prefect_api import PrefectApi
from demo.processes import Processes
from demo.settings import ROOT, DemoSettings, choose_port, prefect_environment

__all__ = ["POOL", "Stage"]

POOL = "gpu-platform"
_START_SECONDS = 90.0
"""How long a server may take to answer, in seconds."""


class Stage:
    """Everything that runs while the demo does; stopped in an order that loses nothing."""

    def __init__(self, settings: DemoSettings, say: Callable[[str], None]) -> None:
        self._settings = settings
        self._say = say
        settings.directory.mkdir(mode=0o700, exist_ok=True)
        self.processes = Processes(settings.directory)
        self.port = 0
        self.environment: dict[str, str] = {}
        self._api: PrefectApi | None = None

    @property
    def api(self) -> PrefectApi:
        if self._api is None:
            raise DemoError("the Prefect server is not up")
        return self._api

    def up(self) -> None:
        """Start the local Azure, the Prefect server and the worker, and deploy the flows.

        Raises:
            DemoError: one of them does not come up; with the end of its log.
        """
        left = self.processes.stop_leftovers()
        if left:
            self._say(f"stopped what an earlier demo left running: {', '.join(left)}")
        self.port = choose_port(self._settings.port)
        self.environment = prefect_environment(self._settings.directory, self.port)
        # Both need a few seconds and neither needs the other.
        self._launch_server()
        azure = self._sandbox_environment()
        if azure is not None:
            self._say(f"using the local Azure that is up in {self._settings.sandbox_directory}")
        else:
            self._say("starting the local Azure")
            self._start("sandbox", ["-m", "sandbox", "--dir", str(self._settings.sandbox_directory), "up"])
            self._wait("sandbox", lambda: self._sandbox_environment() is not None)
            azure = self._sandbox_environment()
        self.environment |= azure or {}
        self._say("starting the Prefect server")
        self._api = PrefectApi(self.port)
        self._wait("prefect-server", self._api.healthy)
        if ended := self._api.end_abandoned_runs():
            self._say(f"ended runs that nothing works on any more: {ended}")
        self._say("deploying the flows")
        self._run("making the work pool", ["work-pool", "create", POOL, "--type", "process", "--overwrite"])
        self._launch_worker()
        self._run("deploying the flows", ["--no-prompt", "deploy", "--all"])
        self._wait("worker", lambda: self.api.worker_online(POOL))

    def start_server(self) -> None:
        """Start the Prefect server on the demo's port and wait until it answers."""
        self._launch_server()
        self._wait("prefect-server", self.api.healthy)

    def start_worker(self) -> None:
        """Start a worker and wait until the server knows it."""
        self._launch_worker()
        self._wait("worker", lambda: self.api.worker_online(POOL))

    def _launch_server(self) -> None:
        command = ["-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(self.port)]
        self._start("prefect-server", command)

    def _launch_worker(self) -> None:
        command = ["-m", "prefect", "worker", "start", "--pool", POOL, "--type", "process", "--name", "demo"]
        self._start("worker", command)

    def check(self) -> None:
        """Raise DemoError when one of the servers has ended."""
        self.processes.check_all()

    def down(self) -> None:
        """Stop everything: first the running flows, so that Terraform saves its state and frees its lock."""
        self.processes.stop_below("worker", grace=60)
        self.processes.stop("worker", grace=15)
        if self._api is not None:
            self._api.close()  # the server waits for open connections before it ends
        self.processes.stop_all()

    def _start(self, name: str, arguments: list[str]) -> None:
        self.processes.start(name, [sys.executable, *arguments], self.environment, ROOT)

    def _wait(self, name: str, ready: Callable[[], bool]) -> None:
        end = time.monotonic() + _START_SECONDS
        while not ready():
            self.processes.check(name)
            if time.monotonic() > end:
                raise DemoError(
                    f"{name} was not ready after {_START_SECONDS:.0f} s; see {self.processes.log(name)}"
                )
            time.sleep(0.2)

    def _sandbox_environment(self) -> dict[str, str] | None:
        """What leads clients to the local Azure; None while it does not take requests."""
        command = [sys.executable, "-m", "sandbox", "--dir", str(self._settings.sandbox_directory)]
        done = subprocess.run(
            [*command, "env", "--json"], cwd=ROOT, capture_output=True, timeout=30, check=False
        )
        if done.returncode != 0:
            return None
        environment: dict[str, str] = json.loads(done.stdout)
        return environment

    def _run(self, what: str, arguments: list[str]) -> None:
        result = subprocess.run(
            [sys.executable, "-m", "prefect", *arguments],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=180,
            check=False,
        )
        if result.returncode != 0:
            output = (result.stdout + result.stderr).decode("utf-8", "replace").strip().splitlines()
            raise DemoError(f"{what} went wrong:\n" + "\n".join(output[-12:]))
