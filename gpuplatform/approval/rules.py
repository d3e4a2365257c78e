"""The rules of an approval and of using an approved plan: pure decisions on a record."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from gpuplatform.approval.record import Decision, RunRecord, RunState
from gpuplatform.environments import ApprovalRules

__all__ = ["Provenance", "Verdict", "judge", "why_not_applicable"]

_PLAN_AGAIN = "start a new run, which plans again"


@dataclass(frozen=True)
class Verdict:
    """Whether an answer counts; `reason` is one sentence where it does not."""

    decision: Decision | None
    reason: str = ""


@dataclass(frozen=True)
class Provenance:
    """What made a plan; it must be the same when the plan is applied."""

    engine_version: str
    code_version: str
    config_digest: str


def judge(
    *,
    value: Literal["approve", "reject"],
    approver: str,
    comment: str,
    record: RunRecord,
    rules: ApprovalRules,
    now: datetime,
) -> Verdict:
    """The decision, if this person may decide on this run; names are compared without their case."""
    person = approver.strip()
    allowed = {name.casefold() for name in rules.approvers}
    if person.casefold() not in allowed:
        return Verdict(
            None,
            f"{person} may not decide on {record.environment}:"
            f" the approvers are {', '.join(rules.approvers)}",
        )
    if person.casefold() == record.requester.strip().casefold():
        return Verdict(None, f"{person} asked for this run and so cannot decide on it")
    if value == "reject" and not comment.strip():
        return Verdict(None, "a rejection needs a comment that says why")
    return Verdict(Decision(value=value, approver=person, comment=comment.strip(), decided_at=now))


def why_not_applicable(record: RunRecord, current: Provenance, now: datetime) -> str | None:
    """Why the record's plan must not be applied now, one sentence; None when it may be."""
    if record.state is not RunState.APPROVED:
        return f"the plan is {record.state}, not approved: {_PLAN_AGAIN}"
    if record.expired(now):
        return f"the plan expired at {record.expires_at:%Y-%m-%d %H:%M} UTC: {_PLAN_AGAIN}"
    if record.code_version != current.code_version:
        return f"the platform's code changed after the plan was made: {_PLAN_AGAIN}"
    if record.config_digest != current.config_digest:
        return f"the Terraform configuration changed after the plan was made: {_PLAN_AGAIN}"
    if record.engine_version != current.engine_version:
        return (
            f"the plan was made by Terraform {record.engine_version} and this worker has"
            f" {current.engine_version}: {_PLAN_AGAIN}"
        )
    return None
