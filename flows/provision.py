"""The flow that plans an environment, waits for an approval and applies exactly that plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, cast

from prefect import flow, get_run_logger, runtime
from prefect.client.schemas.objects import State
from prefect.states import Completed, Failed
from pydantic import Field

from flows.approval_form import ask
from flows.outcome import plainly
from gpuplatform.approval.record import RunRecord, RunState
from gpuplatform.environments import EnvironmentName, load_environment
from gpuplatform.errors import PlatformError, Refused
from gpuplatform.ids import RunId
from gpuplatform.provisioning.steps import await_approval, earlier_record, fail_waiting, mark_interrupted
from gpuplatform.settings import settings
from gpuplatform.terraform.outputs import Outputs, parse_outputs
from tasks.provisioning import apply_task, decision_task, plan_task

__all__ = ["ProvisionOutcome", "Requester", "find_record", "provision", "provision_environment", "this_run"]

Requester = Annotated[str, Field(min_length=3, max_length=254, pattern=r"^\S+@\S+\.\S+$")]


@dataclass(frozen=True)
class ProvisionOutcome:
    """How provisioning ended where it did not fail; `outputs` is None after a rejection."""

    status: Literal["applied", "no_changes", "rejected"]
    message: str
    record: RunRecord
    outputs: Outputs | None


def this_run() -> RunId:
    """The id of the present flow run, which is also the id of its record."""
    return RunId(str(runtime.flow_run.id))


def find_record(environment: EnvironmentName) -> RunRecord | None:
    """The record this flow run made before it was suspended; None in a run that has not planned yet.

    What comes before the plan (the bootstrap) is for runs where this is None. It is no task: a person
    does not want to see it in the history.
    """
    return earlier_record(load_environment(environment, settings().home), this_run())


def provision_environment(environment: EnvironmentName, requester: str) -> ProvisionOutcome:
    """Plan, wait for the approval, apply. To be called from the top-level flow: it suspends that run.

    After the resume it is called again and goes on where the record says: each task runs once.

    Raises:
        PlatformError: the plan or the apply did not succeed, or the plan may no longer be applied.
    """
    target = load_environment(environment, settings().home)
    record = find_record(environment) or plan_task(environment, this_run(), requester)
    if record.state is RunState.APPLYING:
        record = mark_interrupted(target, record)
    if record.state in (RunState.PLANNED, RunState.AWAITING_APPROVAL):
        record = await_approval(target, record)
        try:
            decision = ask(record, target)
        except PlatformError as error:
            fail_waiting(target, record, str(error))
            raise
        get_run_logger().info("%s: %s by %s (self-declared)", environment, decision.value, decision.approver)
        record = decision_task(environment, record.run_id, decision)
    if record.state is RunState.APPROVED:
        record = apply_task(environment, record.run_id)
    return _outcome(record)


def _outcome(record: RunRecord) -> ProvisionOutcome:
    match record.state:
        case RunState.APPLIED:
            return ProvisionOutcome("applied", record.outcome, record, parse_outputs(record.outputs))
        case RunState.PLANNED_NO_CHANGES:
            return ProvisionOutcome("no_changes", record.outcome, record, parse_outputs(record.outputs))
        case RunState.REJECTED:
            return ProvisionOutcome("rejected", record.outcome, record, None)
        case _:
            raise Refused(record.outcome or f"this run ended as {record.state.value}")


def _run_name() -> str:
    parameters = cast("dict[str, Any]", runtime.flow_run.parameters)
    return f"provision {parameters.get('environment', '?')} #{str(runtime.flow_run.id)[-4:]}"


# No flow-level retries: a retry clears the answers and would ask for the approval again.
@flow(name="provision", flow_run_name=_run_name, log_prints=False)
@plainly
def provision(environment: EnvironmentName, requester: Requester) -> State[Any]:
    """Plan an environment's infrastructure, wait for an approval, apply exactly that plan.

    Args:
        environment: What to provision.
        requester: Who asks, an e-mail address; the requester cannot approve.
    """
    outcome = provision_environment(environment, requester)
    if outcome.status == "rejected":
        return Failed(name="Rejected", message=outcome.message)
    return Completed(name="No changes" if outcome.status == "no_changes" else None, message=outcome.message)
