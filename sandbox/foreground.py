"""`up`: run the sandbox in this process until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import time

from sandbox.blob.install import azurite_script
from sandbox.folder import hold, prepare
from sandbox.log import start_log
from sandbox.server import Sandbox
from sandbox.settings import Settings
from sandbox.status import usage

__all__ = ["STOP_SECONDS", "up"]

STOP_SECONDS = 5.0
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_log = logging.getLogger(__name__)


def up(settings: Settings, *, until_eof: bool = False) -> int:
    """Serve until SIGINT, SIGTERM or SIGHUP; the exit code is 0 then.

    Args:
        until_eof: Also stop when standard input ends: whoever started this process has gone.

    Raises:
        SandboxError: Another process has the folder, it is of another version, a port is in use, or
            Azurite is not installed.
    """
    began = time.monotonic()
    azurite_script()
    os.umask(0o077)
    with hold(settings):
        prepare(settings)
        start_log(settings)
        asyncio.run(_serve(settings, until_eof=until_eof, began=began))
    return 0


async def _serve(settings: Settings, *, until_eof: bool, began: float) -> None:
    loop = asyncio.get_running_loop()
    told = asyncio.Event()
    for number in _STOP_SIGNALS:
        loop.add_signal_handler(number, told.set)
    if until_eof:
        loop.add_reader(sys.stdin.fileno(), _read_end, told)
    sandbox = Sandbox(settings)
    try:
        starting = asyncio.create_task(sandbox.start())
        waiting = asyncio.create_task(told.wait())
        await asyncio.wait({starting, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if not told.is_set():
            await starting
            print(
                f"{usage(settings)}\nReady in {time.monotonic() - began:.1f} s; Ctrl-C stops it.", flush=True
            )
            await waiting
        starting.cancel()
        await asyncio.gather(starting, waiting, return_exceptions=True)
    finally:
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await sandbox.stop()
        except TimeoutError:
            _log.warning("some parts did not stop within %.0f seconds", STOP_SECONDS)


def _read_end(told: asyncio.Event) -> None:
    if not os.read(sys.stdin.fileno(), 4096):
        asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
        told.set()
