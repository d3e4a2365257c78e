"""The sandbox's folder: its format, its lock, and emptying it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from sandbox.private_files import make_private_folder, write_private
from sandbox.program import program
from sandbox.settings import Settings

__all__ = ["FORMAT", "SandboxError", "empty", "hold", "holder", "prepare"]

FORMAT = 1
"""Raised by one whenever what the folder holds can no longer be read as before."""


class SandboxError(Exception):
    """One sentence for the user; the command ends with exit code 1."""


def prepare(settings: Settings) -> None:
    """Make the folder (0700), or check that an existing one is of this version.

    Raises:
        SandboxError: The folder belongs to another version, or is not a sandbox's.
    """
    directory = settings.directory
    try:
        existing = sorted(path.name for path in directory.iterdir()) if directory.exists() else []
    except NotADirectoryError as error:
        raise SandboxError(f"{directory} is a file; name a folder with --dir.") from error
    foreign = [name for name in existing if name not in ("lock", "log")]
    if foreign and not settings.format_file.exists():
        raise SandboxError(
            f'{directory} is not a sandbox\'s folder (it holds "{foreign[0]}"); name another with --dir.'
        )
    make_private_folder(directory)
    if settings.format_file.exists():
        found = settings.format_file.read_text().strip()
        if found != str(FORMAT):
            raise SandboxError(
                f"{directory} is of sandbox format {found or '(none)'} and this is format {FORMAT};"
                f" empty it with: {program()} --dir {directory} reset"
            )
    else:
        write_private(settings.format_file, f"{FORMAT}\n".encode())
    if not settings.state_file.exists():
        # SQLite gives its journal files the mode of the database.
        write_private(settings.state_file, b"")


@contextlib.contextmanager
def hold(settings: Settings) -> Iterator[None]:
    """Keep the folder for this process.

    Raises:
        SandboxError: Another process has it, named by pid.
    """
    if settings.directory.exists() and not settings.directory.is_dir():
        raise SandboxError(f"{settings.directory} is a file; name a folder with --dir.")
    if not settings.directory.exists():
        make_private_folder(settings.directory)
    descriptor = os.open(settings.lock_file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        # `holder` of another process takes the lock for an instant: look again before giving up.
        for _ in range(5):
            if locked := _try_lock(descriptor):
                break
            time.sleep(0.05)
        if not locked:
            pid = os.pread(descriptor, 20, 0).decode().strip() or "unknown"
            raise SandboxError(
                f"A sandbox already runs in {settings.directory} (process {pid});"
                f" stop it with: {program()} --dir {settings.directory} down"
            )
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield
        os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def holder(settings: Settings) -> int | None:
    """The pid of the process that runs the sandbox of this folder; None when none does."""
    try:
        descriptor = os.open(settings.lock_file, os.O_RDWR)
    except OSError:
        return None
    try:
        if _try_lock(descriptor):
            return None
        text = os.read(descriptor, 20).decode().strip()
        return int(text) if text.isdecimal() else None
    finally:
        os.close(descriptor)


def empty(settings: Settings) -> bool:
    """Remove everything that the sandbox keeps; False when there was nothing.

    Raises:
        SandboxError: The sandbox runs, or the folder is not a sandbox's.
    """
    directory = settings.directory
    if not directory.exists():
        return False
    if not settings.format_file.exists() and any(directory.iterdir()):
        raise SandboxError(f"{directory} is not a sandbox's folder; nothing was removed.")
    with hold(settings):
        for path in directory.iterdir():
            if path.name != settings.lock_file.name:
                _remove(path)
    shutil.rmtree(directory)
    return True


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
