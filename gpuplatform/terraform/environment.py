"""The environment variables that Terraform is started with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

__all__ = ["terraform_environment"]

_DROPPED_PREFIXES = ("TF_CLI_ARGS", "TF_LOG")
_DROPPED = frozenset({"TF_WORKSPACE", "TF_DATA_DIR", "TF_INPUT", "TF_REATTACH_PROVIDERS"})
"""They would change what the command line says, or (the logs) print request bodies with secrets."""

_ARM_FROM_AZURE = {
    "ARM_TENANT_ID": "AZURE_TENANT_ID",
    "ARM_CLIENT_ID": "AZURE_CLIENT_ID",
    "ARM_CLIENT_SECRET": "AZURE_CLIENT_SECRET",
    "ARM_CLIENT_CERTIFICATE_PATH": "AZURE_CLIENT_CERTIFICATE_PATH",
    "ARM_OIDC_TOKEN_FILE_PATH": "AZURE_FEDERATED_TOKEN_FILE",
}
"""Terraform's names of the Azure SDK's variables, so that one set of credentials serves both."""


def terraform_environment(
    base: Mapping[str, str], *, data_directory: Path, subscription_id: str
) -> dict[str, str]:
    """The variables of `base` without those that change Terraform's behaviour, with ours added.

    Where the process has credentials only under the Azure SDK's names, Terraform gets them under its own.
    """
    environment = {
        name: value
        for name, value in base.items()
        if name not in _DROPPED and not name.startswith(_DROPPED_PREFIXES)
    }
    for arm, azure in _ARM_FROM_AZURE.items():
        if arm not in environment and environment.get(azure):
            environment[arm] = environment[azure]
    if "ARM_OIDC_TOKEN_FILE_PATH" in environment and "ARM_CLIENT_SECRET" not in environment:
        environment.setdefault("ARM_USE_OIDC", "true")
    if subscription_id:
        environment["ARM_SUBSCRIPTION_ID"] = subscription_id
    environment.update(
        CHECKPOINT_DISABLE="1", TF_IN_AUTOMATION="1", TF_INPUT="0", TF_DATA_DIR=str(data_directory)
    )
    return environment
