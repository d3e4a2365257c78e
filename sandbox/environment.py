"""The environment variables that lead unmodified Azure clients to the sandbox."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping

from sandbox.endpoints import last_endpoints
from sandbox.folder import SandboxError
from sandbox.identity import identity_of
from sandbox.program import program
from sandbox.settings import Settings
from sandbox.state import State

__all__ = ["CLEARED", "apply", "environment", "shell_lines"]

_NO_PROXY = "127.0.0.1,localhost,::1"

CLEARED = (
    "ALL_PROXY",
    "ARM_ACCESS_KEY",
    "ARM_CLIENT_CERTIFICATE",
    "ARM_CLIENT_CERTIFICATE_PATH",
    "ARM_CLIENT_ID_FILE_PATH",
    "ARM_CLIENT_SECRET_FILE_PATH",
    "ARM_ENVIRONMENT",
    "ARM_METADATA_HOSTNAME",
    "ARM_OIDC_REQUEST_TOKEN",
    "ARM_OIDC_REQUEST_URL",
    "ARM_OIDC_TOKEN",
    "ARM_OIDC_TOKEN_FILE_PATH",
    "ARM_SAS_TOKEN",
    "ARM_USE_AKS_WORKLOAD_IDENTITY",
    "ARM_USE_CLI",
    "ARM_USE_MSI",
    "ARM_USE_OIDC",
    "AZURE_AUTHORITY_HOST",
    "AZURE_CLIENT_CERTIFICATE_PATH",
    "AZURE_FEDERATED_TOKEN_FILE",
    "AZURE_PASSWORD",
    "AZURE_TOKEN_CREDENTIALS",
    "AZURE_USERNAME",
    "SSL_CERT_DIR",
    "all_proxy",
)
"""Variables of a real Azure (or of another proxy) that would win over the sandbox's: taken away."""


def environment(settings: Settings) -> dict[str, str]:
    """The variables for a sandbox that runs, or did: it comes back on the same ports if they are free.

    Raises:
        SandboxError: No sandbox has run in this folder.
    """
    endpoints = last_endpoints(settings)
    if endpoints is None or not settings.state_file.exists():
        raise SandboxError(f"There is no sandbox in {settings.directory}; start one: {program()} up")
    state = State(settings.state_file)
    try:
        identity = identity_of(state)
    finally:
        state.close()
    directory = settings.directory.resolve()
    ca_file = str(settings.ca_file.resolve())
    return {
        "HTTPS_PROXY": endpoints.proxy_url,
        "https_proxy": endpoints.proxy_url,
        "NO_PROXY": _NO_PROXY,
        "no_proxy": _NO_PROXY,
        "SSL_CERT_FILE": ca_file,
        "REQUESTS_CA_BUNDLE": ca_file,
        "AZURE_TENANT_ID": identity.tenant_id,
        "AZURE_CLIENT_ID": identity.client_id,
        "AZURE_CLIENT_SECRET": identity.client_secret,
        "AZURE_SUBSCRIPTION_ID": identity.subscription_id,
        "ARM_TENANT_ID": identity.tenant_id,
        "ARM_CLIENT_ID": identity.client_id,
        "ARM_CLIENT_SECRET": identity.client_secret,
        "ARM_SUBSCRIPTION_ID": identity.subscription_id,
        "TF_CLI_CONFIG_FILE": endpoints.terraform_config,
        "CHECKPOINT_DISABLE": "1",
        "AZURE_CORE_COLLECT_TELEMETRY": "0",
        # The Azure CLI keeps its logins there: the user's own stay as they are.
        "AZURE_CONFIG_DIR": str(directory / "azure-cli"),
        "SANDBOX_DIR": str(directory),
    }


def apply(variables: Mapping[str, str], base: Mapping[str, str] | None = None) -> dict[str, str]:
    """`base` (the process environment by default) with the sandbox's variables and without `CLEARED`."""
    start = os.environ if base is None else base
    return {**{name: value for name, value in start.items() if name not in CLEARED}, **variables}


def shell_lines(variables: Mapping[str, str]) -> list[str]:
    """Lines for `eval` in a POSIX shell."""
    exports = [f"export {name}={shlex.quote(value)}" for name, value in variables.items()]
    return [*exports, f"unset {' '.join(CLEARED)}"]
