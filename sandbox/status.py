"""What `status` and `up` print about a sandbox."""

from __future__ import annotations

from sandbox.endpoints import last_endpoints
from sandbox.folder import holder
from sandbox.identity import identity_of
from sandbox.program import program
from sandbox.settings import DEFAULT_DIRECTORY, Settings
from sandbox.state import State

__all__ = ["print_status", "usage"]


def usage(settings: Settings) -> str:
    """Where the sandbox is, and the two ways to use it."""
    endpoints = last_endpoints(settings)
    proxy = endpoints.proxy_url if endpoints else "?"
    call = program()
    if settings.directory != DEFAULT_DIRECTORY:
        call += f" --dir {settings.directory}"
    return (
        f"The sandbox is up: proxy {proxy}, everything it keeps in {settings.directory}\n"
        f'  eval "$({call} env)"      lead this shell to it\n'
        f"  {call} run -- COMMAND     or one command"
    )


def print_status(settings: Settings) -> int:
    """Print a table; 0 when it is up, 3 when it is not."""
    pid = holder(settings)
    endpoints = last_endpoints(settings)
    rows = {"state": "up" if pid else "down", "folder": str(settings.directory.resolve())}
    if pid and endpoints:
        state = State(settings.state_file)
        try:
            identity = identity_of(state)
            accounts = sorted(state.table("storage_keys"))
        finally:
            state.close()
        rows |= {
            "process": str(pid),
            "proxy": endpoints.proxy_url,
            "servers": f"127.0.0.1:{endpoints.tls_port} (TLS)",
            "CA": str(settings.ca_file.resolve()),
            "tenant": identity.tenant_id,
            "subscription": f"{identity.subscription_id} ({identity.subscription_name})",
            "client": identity.client_id,
            "storage": ", ".join(accounts) or "none",
            "log": str(settings.log_file.resolve()),
        }
    width = max(map(len, rows))
    for name, value in rows.items():
        print(f"{name:<{width}}  {value}")
    return 0 if pid else 3
