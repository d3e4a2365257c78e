"""The record of one provisioning run: what was planned, who decided, how it ended."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from gpuplatform.environments import EnvironmentName
from gpuplatform.ids import RunId

__all__ = ["Counts", "Decision", "RunRecord", "RunState"]


class RunState(StrEnum):
    """Where a run stands; `transitions.py` says what may follow what."""

    PLANNED = "planned"
    PLANNED_NO_CHANGES = "planned_no_changes"
    AWAITING_APPROVAL = "awaiting_approval"
    APPROVED = "approved"
    REJECTED = "rejected"
    EXPIRED = "expired"
    APPLYING = "applying"
    APPLIED = "applied"
    FAILED = "failed"
    UNKNOWN = "unknown"


class _Frozen(BaseModel):
    # A newer version's record may hold fields that this one does not know.
    model_config = ConfigDict(frozen=True, extra="ignore")


class Counts(_Frozen):
    """How many resources a plan adds, changes in place, replaces and destroys."""

    add: int = 0
    change: int = 0
    replace: int = 0
    destroy: int = 0

    @property
    def total(self) -> int:
        return self.add + self.change + self.replace + self.destroy

    def __str__(self) -> str:
        return (
            f"{self.add} to add, {self.change} to change,"
            f" {self.replace} to replace, {self.destroy} to destroy"
        )


class Decision(_Frozen):
    """What the operator answered. `verified` says how much the approver's name is worth."""

    value: Literal["approve", "reject"]
    approver: str
    comment: str = ""
    decided_at: AwareDatetime
    verified: Literal["self-declared"] = "self-declared"


class RunRecord(_Frozen):
    """One run, as `record.json`; it holds no secret: the plan file beside it does."""

    format: Literal[1] = 1
    run_id: RunId
    environment: EnvironmentName
    requester: str
    state: RunState
    created_at: AwareDatetime
    updated_at: AwareDatetime
    expires_at: AwareDatetime
    """After this moment the plan may be neither approved nor applied."""
    engine_version: str
    code_version: str
    config_digest: str
    plan_sha256: str
    plan_bytes: int
    state_lineage: str = ""
    state_serial: int = 0
    counts: Counts
    summary: str
    """The plan for a person, Markdown, with every sensitive value hidden."""
    decision: Decision | None = None
    outcome: str = ""
    """How the run ended, one sentence."""
    outputs: dict[str, Any] = Field(default_factory=dict)
    """Terraform's outputs that are not sensitive, after the apply."""

    def expired(self, now: datetime) -> bool:
        return now >= self.expires_at
