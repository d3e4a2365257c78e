"""`run`: one command with the sandbox's environment."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from types import FrameType

from sandbox.background import start, stop_child
from sandbox.environment import apply, environment
from sandbox.folder import holder
from sandbox.settings import Settings

__all__ = ["run_command"]

_FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
_FROM_TERMINAL = (signal.SIGINT, signal.SIGQUIT)


def run_command(settings: Settings, command: Sequence[str]) -> int:
    """Use the sandbox that is up in the folder, else one for the command's life.

    Returns:
        The command's exit code; 128 + n when signal n ended it; 126 or 127 when it could not be started.

    Raises:
        SandboxError: No sandbox could be started.
    """
    if holder(settings) is not None:
        return _run(settings, command)
    child = start(settings, detached=False)
    try:
        return _run(settings, command)
    finally:
        stop_child(child)


def _run(settings: Settings, command: Sequence[str]) -> int:
    received: list[int] = []
    process: subprocess.Popen[bytes] | None = None

    def forward(number: int, _: FrameType | None) -> None:
        received.append(number)
        if process is not None and not _reached_by_terminal(number):
            process.send_signal(number)

    before = {number: signal.signal(number, forward) for number in _FORWARDED}
    try:
        process = subprocess.Popen(list(command), env=apply(environment(settings)))
        # A signal may have come before there was a process to forward it to.
        for number in received:
            process.send_signal(number)
        code = process.wait()
    except FileNotFoundError:
        print(f"There is no program '{command[0]}'.", file=sys.stderr)
        return 127
    except OSError as error:
        print(f"'{command[0]}' cannot be run: {error.strerror}.", file=sys.stderr)
        return 126
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return code if code >= 0 else 128 - code


def _reached_by_terminal(number: int) -> bool:
    """Whether Ctrl-C went to the command as well: a second one would make Terraform give up its state."""
    if number not in _FROM_TERMINAL:
        return False
    try:
        return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except (OSError, ValueError):
        return False
