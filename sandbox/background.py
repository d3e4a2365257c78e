"""Starting the sandbox as a process of its own, and stopping it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO

from sandbox.endpoints import last_endpoints
from sandbox.folder import SandboxError, holder
from sandbox.settings import Settings

__all__ = ["READY_SECONDS", "start", "stop", "stop_child"]

READY_SECONDS = 30.0
_STOP_SECONDS = 8.0
_POLL_SECONDS = 0.05


def start(settings: Settings, *, detached: bool) -> subprocess.Popen[bytes]:
    """Start one and return when clients may come.

    Args:
        detached: It stays when this process ends; otherwise it goes as well, however this one ends.

    Raises:
        SandboxError: It could not start (its own sentence), or not within `READY_SECONDS`.
    """
    command = [sys.executable, "-m", "sandbox", "--dir", os.fspath(settings.directory), "up"]
    if settings.proxy_port:
        command += ["--proxy-port", str(settings.proxy_port)]
    if settings.tls_port:
        command += ["--tls-port", str(settings.tls_port)]
    if not detached:
        command.append("--until-eof")
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL if detached else subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=said,
            env={**os.environ, "PYTHONPATH": _python_path()},
            start_new_session=True,
        )
        try:
            _wait_until_ready(settings, child, said)
        except BaseException:
            stop_child(child)
            raise
    return child


def stop_child(child: subprocess.Popen[bytes]) -> None:
    """End a process that `start` gave."""
    if child.stdin is not None:
        child.stdin.close()
    if child.poll() is None:
        child.terminate()
    try:
        child.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def stop(settings: Settings) -> bool:
    """Stop the one that runs in the folder; False when none does.

    Raises:
        SandboxError: It is still there after the time it has for stopping.
    """
    pid = holder(settings)
    if pid is None:
        return False
    try:
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        return True
    except PermissionError as error:
        raise SandboxError(f"The sandbox is process {pid} of another user.") from error
    deadline = time.monotonic() + _STOP_SECONDS
    while holder(settings) == pid:
        if time.monotonic() > deadline:
            raise SandboxError(
                f"The sandbox (process {pid}) did not stop within {_STOP_SECONDS:.0f} seconds."
            )
        time.sleep(_POLL_SECONDS)
    return True


def _wait_until_ready(settings: Settings, child: subprocess.Popen[bytes], said: IO[bytes]) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while not _ready(settings, child.pid):
        if child.poll() is not None:
            said.seek(0)
            lines = said.read().decode(errors="replace").strip().splitlines()
            raise SandboxError(lines[-1] if lines else "The sandbox ended at its start.")
        if time.monotonic() > deadline:
            raise SandboxError(
                f"The sandbox was not ready within {READY_SECONDS:.0f} seconds; see {settings.log_file}."
            )
        time.sleep(_POLL_SECONDS)


def _ready(settings: Settings, pid: int) -> bool:
    endpoints = last_endpoints(settings)
    return endpoints is not None and endpoints.pid == pid


def _python_path() -> str:
    """This package must be found in the child, from whatever folder the command was given."""
    here = os.fspath(Path(__file__).resolve().parent.parent)
    return os.pathsep.join(filter(None, (here, os.environ.get("PYTHONPATH"))))
