"""Files that only their owner may read."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["make_private_folder", "write_private"]


def write_private(path: Path, content: bytes) -> None:
    """Write the file with mode 0600 from its first byte on, replacing it in one step."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
    fresh.replace(path)


def make_private_folder(path: Path) -> None:
    """Make the folder with its parents; the folder itself gets mode 0700."""
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(0o700)
