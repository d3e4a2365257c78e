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
    kubernetes_timeout_seconds: float = Field(
        default=30, gt=0, description="How long one request to a cluster's API may take, in seconds."
    )
    driver_timeout_seconds: float = Field(
        default=1_800,
        gt=0,
        description="How long GPU nodes and driver extensions may stay in transition, in seconds.",
    )
    sweep_concurrency: int = Field(
        default=8, ge=1, le=64, description="Subscription and region pairs read at a time by a quota sweep."
    )


@lru_cache
def settings() -> Settings:
    """The settings of this process, read once."""
    return Settings()
