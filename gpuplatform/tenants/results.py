"""What happened to each object and to each tenant."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from gpuplatform.environments import EnvironmentName
from gpuplatform.tenants.pools import TenantPool
from gpuplatform.tenants.request import TenantRequest

__all__ = ["ObjectResult", "Outcome", "Tenancy", "TenantOutcome"]


class Outcome(StrEnum):
    """What applying one object did."""

    UNCHANGED = "unchanged"
    CREATED = "created"
    CHANGED = "changed"
    RECREATED = "recreated"
    """Deleted and made anew, because what differs is immutable."""
    REMOVED = "removed"
    """No longer part of what was asked for."""
    CONFLICT = "conflict"
    """Somebody else owns what we would change; nothing was forced."""
    FAILED = "failed"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class ObjectResult(_Frozen):
    """One object and what happened to it."""

    kind: str
    name: str
    outcome: Outcome
    detail: str = ""

    @property
    def failed(self) -> bool:
        return self.outcome in {Outcome.CONFLICT, Outcome.FAILED}

    @property
    def changed(self) -> bool:
        return not self.failed and self.outcome is not Outcome.UNCHANGED

    def __str__(self) -> str:
        return f"{self.kind} {self.name}: {self.outcome}{f' ({self.detail})' if self.detail else ''}"


class Tenancy(_Frozen):
    """What all tenants of one cluster share, as one run found and made it."""

    environment: EnvironmentName
    resource_group: str
    cluster_name: str
    cluster_id: str
    kueue_version: str | None
    """The version of Kueue's API that is used; None: the cluster has no Kueue."""
    network_engine: bool
    """Whether something in the cluster enforces NetworkPolicies."""
    pools: tuple[TenantPool, ...]
    objects: tuple[ObjectResult, ...] = ()
    notes: tuple[str, ...] = ()
    """What is missing for everybody, a sentence each."""

    @property
    def failures(self) -> tuple[str, ...]:
        return tuple(str(item) for item in self.objects if item.failed)

    @property
    def changed(self) -> bool:
        return any(item.changed for item in self.objects)


class TenantOutcome(_Frozen):
    """One tenant after a run."""

    request: TenantRequest
    objects: tuple[ObjectResult, ...] = ()
    notes: tuple[str, ...] = ()
    """What the team cannot use (yet) although nothing failed, a sentence each."""
    error: str = ""
    """Why the run gave up on this tenant; what `objects` says was done stays done."""

    @property
    def team(self) -> str:
        return self.request.team

    @property
    def failures(self) -> tuple[str, ...]:
        return (*((self.error,) if self.error else ()), *(str(item) for item in self.objects if item.failed))

    @property
    def changed(self) -> bool:
        return any(item.changed for item in self.objects)
