"""The environments of the platform, from `policy/environments.yaml`."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gpuplatform.errors import InvalidInput
from gpuplatform.validation import first_problem

__all__ = ["ApprovalRules", "Environment", "EnvironmentName", "StateSpec", "load_environment"]


class EnvironmentName(StrEnum):
    """The environments there can be; a choice in forms."""

    DEV = "dev"
    STAGING = "staging"
    PROD = "prod"


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class StateSpec(_Strict):
    """Where the Terraform state and the run records of an environment live."""

    resource_group: Annotated[str, Field(pattern=r"^[-\w.()]{1,89}[-\w()]$")]
    account: Annotated[str, Field(pattern=r"^[a-z0-9]{3,24}$")] | None = None
    sku: Literal["Standard_LRS", "Standard_ZRS", "Standard_GRS", "Standard_GZRS", "Standard_RAGZRS"]
    container: str = "tfstate"
    records_container: str = "provisioning"


class ApprovalRules(_Strict):
    """Who may approve a plan, and for how long it may wait."""

    approvers: Annotated[tuple[str, ...], Field(min_length=1)]
    timeout_hours: Annotated[float, Field(gt=0, le=24 * 14)] = 24
    """How long a plan waits for its approval, in hours."""

    @property
    def timeout(self) -> timedelta:
        return timedelta(hours=self.timeout_hours)


class Environment(_Strict):
    """One environment: its place in Azure, its state backend and its approval rules."""

    name: EnvironmentName
    location: Annotated[str, Field(pattern=r"^[a-z0-9]+$")]
    state: StateSpec
    approval: ApprovalRules

    def state_account(self, subscription_id: str) -> str:
        """The name of the state's storage account in this subscription (3–24 of [a-z0-9])."""
        if self.state.account:
            return self.state.account
        digest = hashlib.sha256(subscription_id.lower().encode()).hexdigest()[:8]
        return f"sttf{self.name.value}{digest}"

    @property
    def state_key(self) -> str:
        """The blob name of the environment's Terraform state."""
        return f"ai-platform-{self.name.value}.tfstate"


def load_environment(name: str, home: Path) -> Environment:
    """The environment of this name from `policy/environments.yaml` below `home`.

    Raises:
        InvalidInput: the name is unknown or the file is wrong, with the place in it.
    """
    path = home / "policy" / "environments.yaml"
    try:
        document = yaml.safe_load(path.read_text("utf-8"))
    except FileNotFoundError:
        raise InvalidInput(f"there is no {path}: the environments are described there") from None
    except yaml.YAMLError as error:
        raise InvalidInput(f"{path} is not YAML: {str(error).splitlines()[0]}") from None
    if not isinstance(document, dict) or name not in document:
        known = ", ".join(sorted(document)) if isinstance(document, dict) else "none"
        raise InvalidInput(f"unknown environment {str(name)!r}: {path.name} has {known}")
    try:
        return Environment.model_validate({"name": name, **document[name]})
    except ValidationError as error:
        raise InvalidInput(f"{path.name}, {name}: {first_problem(error)}") from None
