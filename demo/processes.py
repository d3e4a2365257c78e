"""The processes the demo starts: each in its own session, each stopped again, none forgotten."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from demo.errors import DemoError

__all__ = ["Processes"]

LEFTOVER_GRACE_SECONDS = 60
"""How long what a killed demo left running may take to end its work: Terraform saves its state."""


class Processes:
    """Started processes by name, in start order, remembered on disk with their start times.

    Each gets a session of its own, so that Ctrl-C reaches only the demo, which then stops them in an
    order in which every one can finish its work.
    """

    def __init__(self, directory: Path) -> None:
        self._logs = directory / "logs"
        self._logs.mkdir(parents=True, exist_ok=True)
        self._file = directory / "processes.json"
        self._children: dict[str, subprocess.Popen[bytes]] = {}

    def log(self, name: str) -> Path:
        """The file that holds what the process prints."""
        return self._logs / f"{name}.log"

    def start(self, name: str, command: Sequence[str], environment: Mapping[str, str], cwd: Path) -> None:
        """Start a process; its output goes to its log, begun anew."""
        with self.log(name).open("wb") as log:
            child = subprocess.Popen(
                list(command),
                env=dict(environment),
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._children[name] = child
        self._remember()

    def check(self, name: str) -> None:
        """Raise DemoError when the process has ended; with the last lines of its log."""
        code = self._children[name].poll()
        if code is not None:
            tail = self.log(name).read_text("utf-8", "replace").strip().splitlines()[-8:]
            raise DemoError(f"{name} ended with exit code {code}; {self.log(name)} ends:\n" + "\n".join(tail))

    def check_all(self) -> None:
        """`check` of every process."""
        for name in self._children:
            self.check(name)

    def stop(self, name: str, grace: float) -> None:
        """TERM the process, wait `grace` seconds for it, then KILL what is left of it and below it."""
        child = self._children.pop(name, None)
        if child is not None:
            _stop_tree(child.pid, grace)
            child.wait()
            self._remember()

    def release(self, name: str) -> subprocess.Popen[bytes]:
        """Hand the process over to the caller, who ends it."""
        return self._children.pop(name)

    def stop_below(self, name: str, grace: float) -> None:
        """Stop what the process has started, but not the process itself."""
        child = self._children.get(name)
        if child is not None:
            _stop_children(child.pid, grace)

    def stop_all(self, grace: float = 10) -> None:
        """Stop everything, last started first."""
        for name in reversed(list(self._children)):
            self.stop(name, grace)

    def stop_leftovers(self) -> list[str]:
        """Stop what a demo that was killed has left running; the names of what was stopped."""
        try:
            remembered = json.loads(self._file.read_text("utf-8"))
        except (FileNotFoundError, ValueError):
            return []
        stopped = []
        for name, (pid, started) in reversed(remembered.items()):
            with suppress(psutil.NoSuchProcess):
                # A process id is used again some day: only the same start time is the same process.
                if abs(psutil.Process(pid).create_time() - started) < 2:
                    _stop_children(pid, LEFTOVER_GRACE_SECONDS)
                    _stop_tree(pid, 10)
                    stopped.append(name)
        self._file.unlink(missing_ok=True)
        return stopped

    def forget(self) -> None:
        """Leave the processes running; `stop_leftovers` of a later demo still knows them."""
        self._children.clear()

    def pids(self) -> list[int]:
        return [child.pid for child in self._children.values()]

    def _remember(self) -> None:
        entries = {}
        for name, child in self._children.items():
            with suppress(psutil.NoSuchProcess):
                entries[name] = (child.pid, psutil.Process(child.pid).create_time())
        self._file.write_text(json.dumps(entries), "utf-8")


def _stop_tree(pid: int, grace: float) -> None:
    with suppress(psutil.NoSuchProcess):
        root = psutil.Process(pid)
        below = root.children(recursive=True)
        root.terminate()
        psutil.wait_procs([root], grace)
        _kill([root, *below])


def _stop_children(pid: int, grace: float) -> None:
    """TERM the process's own children and give everything below them `grace` seconds.

    Only the children: each passes the signal on as it sees fit. A second one would make Terraform, which
    is below them, give up at once and leave the state locked.
    """
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        below = process.children(recursive=True)
        for child in process.children():
            with suppress(psutil.NoSuchProcess):
                child.terminate()
        _, alive = psutil.wait_procs(below, grace)
        _kill(alive)


def _kill(processes: Sequence[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(processes, 5)
