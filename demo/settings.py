"""Where the demo keeps things, which ports it takes, and what its processes see."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from pathlib import Path

from demo.errors import DemoError

__all__ = ["DEFAULT_PORT", "ROOT", "DemoSettings", "choose_port", "prefect_environment", "read_settings"]

ROOT = Path(__file__).resolve().parent.parent
DEFAULT_PORT = 4200
"""The port of `prefect server start`."""


@dataclass(frozen=True)
class DemoSettings:
    """What `make demo` was asked for."""

    auto_approve: bool
    keep: bool
    port: int | None
    """The Prefect server's port the user insists on; None: 4200, or a free one where that is taken."""
    environment: str
    approver: str
    requester: str
    directory: Path
    """Run history, logs and process ids of the demo."""
    sandbox_directory: Path


def read_settings() -> DemoSettings:
    """The settings from the environment, as the Makefile passes them.

    Raises:
        DemoError: a value is not one of those that mean something.
    """
    approve = os.environ.get("APPROVE", "").strip().lower()
    if approve not in {"", "auto", "ask"}:
        raise DemoError(f"APPROVE={approve}: give auto (needs nobody) or ask (the default)")
    keep = os.environ.get("KEEP", "").strip().lower()
    if keep not in {"", "0", "1", "no", "yes"}:
        raise DemoError(f"KEEP={keep}: give 1 to leave the servers up, or nothing")
    port = os.environ.get("PORT", "").strip()
    if port and not (port.isdigit() and 1024 <= int(port) <= 65_535):
        raise DemoError(f"PORT={port}: give a port number from 1024 to 65535")
    return DemoSettings(
        auto_approve=approve == "auto",
        keep=keep in {"1", "yes"},
        port=int(port) if port else None,
        environment="dev",
        approver="operator@example.com",
        requester="team-lead@example.com",
        directory=ROOT / ".demo",
        sandbox_directory=Path(os.environ.get("SANDBOX_DIR") or ROOT / ".sandbox").resolve(),
    )


def choose_port(wanted: int | None) -> int:
    """A port for the Prefect server: the one asked for, else 4200, else a free one.

    Raises:
        DemoError: the port that was asked for is taken.
    """
    if wanted is not None:
        if not _is_free(wanted):
            raise DemoError(f"port {wanted} is in use: stop what listens there, or give another PORT")
        return wanted
    if _is_free(DEFAULT_PORT):
        return DEFAULT_PORT
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


_OTHERS = ("PREFECT_", "AZURE_", "ARM_", "TF_", "IDENTITY_", "MSI_")
_OTHERS_BY_NAME = frozenset(
    {"GPUPLATFORM_SUBSCRIPTION_ID", "GPUPLATFORM_HOME", "KUBECONFIG", "SSL_CERT_FILE", "SSL_CERT_DIR"}
    | {"REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"}
)


def _is_others(name: str) -> bool:
    """Whether a variable leads to somebody's real Prefect, Azure or proxy."""
    return name.upper().startswith(_OTHERS) or name.upper() in _OTHERS_BY_NAME


def prefect_environment(directory: Path, port: int) -> dict[str, str]:
    """The environment of everything that talks to the demo's own Prefect server.

    What the user's shell has for a real Prefect, Azure or Terraform is dropped: the demo must neither
    deploy to somebody's server nor sign in to somebody's subscription.
    """
    kept = {name: value for name, value in os.environ.items() if not _is_others(name)}
    return kept | {
        "PREFECT_HOME": str(directory / "prefect"),
        "PREFECT_API_URL": f"http://127.0.0.1:{port}/api",
        "PREFECT_SERVER_API_HOST": "127.0.0.1",
        "PREFECT_SERVER_API_PORT": str(port),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
        "PREFECT_CLI_COLORS": "false",
        "PREFECT_WORKER_QUERY_SECONDS": "1",
        "DO_NOT_TRACK": "1",
        "PYTHONUNBUFFERED": "1",
        "GPUPLATFORM_HOME": str(ROOT),
        "NO_PROXY": "127.0.0.1,localhost,::1",
        "no_proxy": "127.0.0.1,localhost,::1",
    }
