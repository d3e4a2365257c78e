"""One subprocess with a deadline: its own session, lines as they come, an end that is always reached."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from gpuplatform.errors import DeadlineExceeded

__all__ = ["Finished", "run_process"]

_POLL_SECONDS = 0.05
_STDERR_BYTES = 64 * 1024


@dataclass(frozen=True)
class Finished:
    """How a program ended; `stderr` is its last 64 KiB and may hold secrets."""

    exit_code: int
    stderr: str


def run_process(
    argv: Sequence[str],
    *,
    directory: Path,
    environment: Mapping[str, str],
    timeout: float,
    grace: float,
    activity: str,
    on_line: Callable[[str], None],
) -> Finished:
    """Run a program, giving each line of its standard output to `on_line`, and wait for its end.

    When the deadline passes, or an exception (Ctrl-C, a cancelled run) is raised in this thread, the
    program gets TERM and `grace` seconds to save its work; what is left of its group then gets KILL.
    When this process is killed, the program goes on to its end.

    Args:
        timeout: seconds the program may take.
        grace: seconds between TERM and KILL.
        activity: what is being done, for the message of a missed deadline.

    Raises:
        DeadlineExceeded: the program was stopped.
    """
    with ExitStack() as stack:
        # Files, not pipes: a program whose reader was killed dies of its next line (SIGPIPE), and an
        # apply that dies so loses the state of what it made. They are private and have no name.
        written, read = _open_unnamed(stack)
        errors = stack.enter_context(tempfile.TemporaryFile())
        process = subprocess.Popen(
            list(argv),
            cwd=directory,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=errors,
            start_new_session=True,
        )
        try:
            _follow(process, read, time.monotonic() + timeout, on_line)
        except _DeadlinePassed:
            saved = _stop(process, grace)
            how = "it was asked to stop and did" if saved else "it did not stop when asked and was killed"
            raise DeadlineExceeded(f"{activity} took more than {timeout:g} s; {how}") from None
        except BaseException:
            _stop(process, grace)
            raise
        finally:
            _kill_group(process)
        return Finished(process.returncode, _tail(errors))


class _DeadlinePassed(Exception):
    pass


def _open_unnamed(stack: ExitStack) -> tuple[IO[bytes], IO[bytes]]:
    """A file to write and, with a position of its own, to read."""
    with tempfile.NamedTemporaryFile(delete=False) as named:  # mode 0600
        path = Path(named.name)
    try:
        return stack.enter_context(path.open("wb")), stack.enter_context(path.open("rb"))
    finally:
        path.unlink()


def _follow(
    process: subprocess.Popen[bytes], output: IO[bytes], deadline: float, on_line: Callable[[str], None]
) -> None:
    rest = b""
    while True:
        # Asked before the read: what was written before the end is then read in this round.
        ended = process.poll() is not None
        *lines, rest = (rest + output.read()).split(b"\n")
        for line in lines:
            on_line(line.decode("utf-8", "replace").rstrip("\r"))
        if ended:
            break
        if time.monotonic() >= deadline:
            raise _DeadlinePassed
        time.sleep(_POLL_SECONDS)
    if rest:
        on_line(rest.decode("utf-8", "replace"))


def _stop(process: subprocess.Popen[bytes], grace: float) -> bool:
    """Ask the program to stop; whether it did within the grace.

    Only the leader gets the TERM: Terraform ends its own plugins, and one that dies first takes the
    results of the operation that it was in with it.
    """
    with suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)
    until = time.monotonic() + grace
    while process.poll() is None and time.monotonic() < until:
        # A second Ctrl-C or cancellation changes nothing: the stop is under way and has its deadline.
        with suppress(BaseException):
            time.sleep(_POLL_SECONDS)
    return process.poll() is not None


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _tail(file: IO[bytes]) -> str:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _STDERR_BYTES))
    return file.read().decode("utf-8", "replace")
