"""Where a running sandbox is reached, as kept in its folder for other processes."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from sandbox.private_files import write_private
from sandbox.settings import Settings

__all__ = ["Endpoints", "last_endpoints", "save_endpoints"]


@dataclass(frozen=True)
class Endpoints:
    """Loopback ports, and the file that `TF_CLI_CONFIG_FILE` names."""

    pid: int
    proxy_port: int
    tls_port: int
    terraform_config: str

    @property
    def proxy_url(self) -> str:
        return f"http://127.0.0.1:{self.proxy_port}"


def save_endpoints(settings: Settings, endpoints: Endpoints) -> None:
    write_private(settings.running_file, json.dumps(asdict(endpoints), indent=2).encode())


def last_endpoints(settings: Settings) -> Endpoints | None:
    """Those of the running sandbox, or of the last that ran; None where none did."""
    path: Path = settings.running_file
    try:
        return Endpoints(**json.loads(path.read_text()))
    except (OSError, ValueError, TypeError):
        return None
