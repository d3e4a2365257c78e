"""The backend configuration that `terraform init` gets."""

from __future__ import annotations

from gpuplatform.environments import Environment

__all__ = ["backend_config"]


def backend_config(environment: Environment, subscription_id: str) -> dict[str, str]:
    """Where the state is. It is frozen into every plan file, so it names places and never a credential."""
    return {
        "resource_group_name": environment.state.resource_group,
        "storage_account_name": environment.state_account(subscription_id),
        "container_name": environment.state.container,
        "key": environment.state_key,
        "use_azuread_auth": "true",
    }
