"""The form with which an operator decides on a paused run, and the wait for it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from prefect.flow_runs import suspend_flow_run
from prefect.input import RunInput
from pydantic import Field, ValidationError

from gpuplatform.approval.record import Decision, RunRecord
from gpuplatform.approval.rules import judge
from gpuplatform.approval.text import approval_request
from gpuplatform.environments import Environment
from gpuplatform.errors import Refused

__all__ = ["ApprovalForm", "ask"]

MAX_QUESTIONS = 10
"""How many answers of people who may not decide are taken before the run is given up."""


class ApprovalForm(RunInput):
    """What the operator fills in; the server checks these constraints before it accepts the answer."""

    decision: Literal["approve", "reject"] = Field(description="Apply this plan, or not.")
    approver: str = Field(
        description="Your name as in the environment's list of approvers.",
        min_length=3,
        max_length=254,
        pattern=r"^\S+@\S+\.\S+$",
    )
    comment: str = Field(default="", description="Why; required to reject.", max_length=1_000)


def ask(record: RunRecord, environment: Environment) -> Decision:
    """The decision of somebody who may decide; until there is one, the flow run is suspended.

    Each suspension ends the process. After a resume the flow runs from its top, comes here again and
    reads the answers given so far, in order: each question has its own key.

    Raises:
        Refused: too many answers did not count, or this run cannot be suspended.
    """
    reason = ""
    for question in range(1, MAX_QUESTIONS + 1):
        key = f"approve-{record.plan_sha256[:12]}" + (f"-{question}" if question > 1 else "")
        remaining = (record.expires_at - datetime.now(UTC)).total_seconds()
        # Only the description: initial data would drop the constraints of its fields.
        form = ApprovalForm.with_initial_data(description=approval_request(record, environment, reason))
        try:
            answer = suspend_flow_run(wait_for_input=form, timeout=max(1, int(remaining)), key=key)
        except ValidationError:
            reason = "the last answer was not a filled-in form"
            continue
        except RuntimeError as error:
            if "cannot be suspended" not in str(error).lower() and "can only be suspended" not in str(error):
                raise
            raise Refused(
                "this run cannot wait for an approval: start it as a deployment, so that it can be resumed"
            ) from error
        verdict = judge(
            value=answer.decision,
            approver=answer.approver,
            comment=answer.comment,
            record=record,
            rules=environment.approval,
            now=datetime.now(UTC),
        )
        if verdict.decision is not None:
            return verdict.decision
        reason = verdict.reason
    raise Refused(f"{MAX_QUESTIONS} answers did not count, the last because {reason}")
