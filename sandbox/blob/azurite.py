"""One Azurite process: the blob service of one storage account, on a loopback port of its own."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import re
import signal
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sandbox.blob.install import azurite_script, compile_cache
from sandbox.blob.node import node, node_environment

__all__ = ["Azurite", "AzuriteError", "Launch", "arguments"]

_log = logging.getLogger(__name__)

START_SECONDS = 30.0
STOP_SECONDS = 3.0
_HEAP_MIB = 128
_LISTENING = re.compile(r"successfully listens on https://127\.0\.0\.1:(\d+)")
_PRELOADED = [Path(__file__).parent / name for name in ("lean.cjs", "watch_parent.cjs")]


class AzuriteError(Exception):
    """Azurite did not start, or not in time."""


@dataclass(frozen=True)
class Launch:
    """What an Azurite is started with."""

    account: str
    keys: tuple[str, str]
    location: Path
    certificate: Path
    key: Path


def arguments(launch: Launch) -> list[str]:
    """The command line; the account's keys go by the environment, so that `ps` does not show them."""
    return [
        os.fspath(node()),
        f"--max-old-space-size={_HEAP_MIB}",
        *(f"--require={path}" for path in _PRELOADED),
        os.fspath(azurite_script()),
        "--blobHost=127.0.0.1",
        "--blobPort=0",
        "--blobKeepAliveTimeout=120",
        "--oauth=basic",
        f"--cert={launch.certificate}",
        f"--key={launch.key}",
        f"--location={launch.location}",
        "--disableTelemetry",
        "--silent",
        # Clients are newer or older than Azurite; the versions differ in nothing that it emulates.
        "--skipApiVersionCheck",
    ]


class Azurite:
    """A running process; `port` is where it listens with TLS."""

    def __init__(self, process: asyncio.subprocess.Process, port: int, drain: asyncio.Task[None]) -> None:
        self._process = process
        self._drain = drain
        self.port = port

    @property
    def running(self) -> bool:
        return self._process.returncode is None

    @property
    def pid(self) -> int:
        return self._process.pid

    @classmethod
    async def start(cls, launch: Launch) -> Azurite:
        """Start and wait until it listens.

        Raises:
            AzuriteError: It ended, or did not listen within `START_SECONDS`.
            SandboxError: Azurite is not installed.
        """
        launch.location.mkdir(parents=True, exist_ok=True)
        command = arguments(launch)
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env={
                **node_environment(),
                "AZURITE_ACCOUNTS": ":".join((launch.account, *launch.keys)),
                "NODE_COMPILE_CACHE": os.fspath(compile_cache()),
            },
            start_new_session=True,
        )
        said: deque[str] = deque(maxlen=5)
        port: int | None = None
        try:
            async with asyncio.timeout(START_SECONDS):
                port = await _wait_until_listening(process, said)
        except TimeoutError as error:
            raise AzuriteError(
                f"The blob service of '{launch.account}' did not listen within {START_SECONDS:.0f} seconds."
            ) from error
        finally:
            if port is None:
                _signal(process, signal.SIGKILL)
                await process.wait()
        if port is None:
            raise AzuriteError(f"The blob service of '{launch.account}' ended at its start: {_joined(said)}")
        _log.info("blob service of %s: process %d, port %d", launch.account, process.pid, port)
        return cls(process, port, asyncio.create_task(_read_on(process, launch.account)))

    async def stop(self) -> None:
        """Let it save its tables and end; kill it if it does not."""
        # The end of its standard input is the one signal (watch_parent.cjs): a second one would end it
        # before it has saved.
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await self._process.wait()
        except TimeoutError:
            _signal(self._process, signal.SIGKILL)
            await self._process.wait()
        self._drain.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._drain


async def _wait_until_listening(process: asyncio.subprocess.Process, said: deque[str]) -> int | None:
    """The port; None when the process ended first."""
    if process.stdout is None:
        return None
    while line := await process.stdout.readline():
        said.append(line.decode(errors="replace").strip())
        if match := _LISTENING.search(said[-1]):
            return int(match.group(1))
    return None


async def _read_on(process: asyncio.subprocess.Process, account: str) -> None:
    """Keep its output from filling the pipe; what it complains of goes to the log."""
    if process.stdout is None:
        return
    while chunk := await process.stdout.read(4096):
        for line in chunk.decode(errors="replace").splitlines():
            _log.info("blob service of %s: %s", account, line.strip()[:300])


def _joined(said: Sequence[str]) -> str:
    return " | ".join(said)[:400] or "it said nothing"


def _signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)
