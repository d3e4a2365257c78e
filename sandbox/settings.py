"""Where one sandbox keeps its things."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

__all__ = ["DEFAULT_DIRECTORY", "Settings", "default_directory"]

DEFAULT_DIRECTORY = Path(".sandbox")


def default_directory() -> Path:
    """`SANDBOX_DIR`, or `.sandbox` in the current folder."""
    return Path(os.environ.get("SANDBOX_DIR") or DEFAULT_DIRECTORY)


@dataclass(frozen=True)
class Settings:
    """A folder and two ports (0: the ports of the last time if they are still free, else any)."""

    directory: Path
    proxy_port: int = 0
    tls_port: int = 0

    @property
    def state_file(self) -> Path:
        return self.directory / "state.sqlite"

    @property
    def certificates(self) -> Path:
        return self.directory / "certificates"

    @property
    def ca_file(self) -> Path:
        return self.certificates / "ca.pem"

    @property
    def blobs(self) -> Path:
        return self.directory / "blobs"

    @property
    def terraform(self) -> Path:
        return self.directory / "terraform"

    @property
    def log_file(self) -> Path:
        return self.directory / "log"

    @property
    def format_file(self) -> Path:
        return self.directory / "format"

    @property
    def lock_file(self) -> Path:
        """Locked by the process that runs the sandbox; holds its pid."""
        return self.directory / "lock"

    @property
    def running_file(self) -> Path:
        """The ports and paths of the running sandbox; kept after it for the next time's ports."""
        return self.directory / "running.json"
