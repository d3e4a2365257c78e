"""One `terraform init` at a time into a shared plugin cache: two at once break each other's files."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from gpuplatform.errors import DeadlineExceeded

__all__ = ["plugin_cache_lock"]

_POLL_SECONDS = 0.2


@contextmanager
def plugin_cache_lock(environment: Mapping[str, str], timeout: float) -> Iterator[None]:
    """Hold the lock of the plugin cache that `TF_PLUGIN_CACHE_DIR` names; nothing where it names none.

    The lock is the kernel's and goes with the process that holds it.

    Raises:
        DeadlineExceeded: another process held it for `timeout` seconds.
    """
    name = environment.get("TF_PLUGIN_CACHE_DIR")
    if not name:
        yield
        return
    directory = Path(name).expanduser()
    directory.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + timeout
    with (directory / ".gpuplatform.lock").open("ab") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise DeadlineExceeded(
                        f"another run has been using the plugin cache {directory} for {timeout:g} s"
                    ) from None
            time.sleep(_POLL_SECONDS)
        yield
