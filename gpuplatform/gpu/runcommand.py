"""The message of an action Run Command: what the script printed, and whether it was cut."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["KEPT_BYTES", "CommandOutput", "parse_message", "split_exit_code"]

KEPT_BYTES = 4_096
"""Run Command keeps the last 4,096 bytes of the output (Azure's documented limit)."""

_EXIT_CODE = re.compile(r"^rc=(\d+)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class CommandOutput:
    """What a script printed on the machine."""

    stdout: str
    stderr: str
    truncated: bool
    """Whether its beginning may be missing."""
    recognised: bool = True
    """Whether the message had the `[stdout]`/`[stderr]` form."""


def parse_message(message: str) -> CommandOutput:
    """The two streams of a message `Enable succeeded: \\n[stdout]\\n…\\n[stderr]\\n…`.

    Cut at the front, a message may have lost its `[stdout]` line: then everything before `[stderr]` is
    the end of standard output.
    """
    normalized = message.replace("\r\n", "\n")
    head, found, rest = normalized.partition("[stdout]\n")
    body = rest if found else head
    stdout, split, stderr = body.rpartition("[stderr]")
    if not split:
        stdout, stderr = body, ""
    return CommandOutput(
        stdout=stdout.strip("\n"),
        stderr=stderr.strip("\n"),
        truncated=not found or len(stdout.encode()) >= KEPT_BYTES - 1,
        recognised=bool(found or split),
    )


def split_exit_code(stdout: str) -> tuple[str, int | None, str]:
    """The text before the line `rc=N`, N, and the text after it; N is None where no such line is."""
    match = _EXIT_CODE.search(stdout)
    if match is None:
        return stdout, None, ""
    return stdout[: match.start()], int(match[1]), stdout[match.end() :]
