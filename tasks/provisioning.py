"""Tasks of a provisioning run: plan, record the decision, apply."""

from __future__ import annotations

from prefect import get_run_logger, task
from prefect.artifacts import create_markdown_artifact, create_table_artifact

from gpuplatform.approval.client import RecordStore
from gpuplatform.approval.record import Decision, RunRecord
from gpuplatform.azure.clients import AzureClients
from gpuplatform.environments import EnvironmentName, load_environment
from gpuplatform.ids import RunId
from gpuplatform.provisioning.apply import apply_approved_plan
from gpuplatform.provisioning.plan import plan_environment
from gpuplatform.provisioning.steps import record_decision
from gpuplatform.settings import settings
from tasks.retrying import RETRYING

__all__ = ["apply_task", "decision_task", "plan_task"]


@task(name="terraform plan", task_run_name="plan {environment}", **RETRYING)
def plan_task(environment: EnvironmentName, run_id: RunId, requester: str) -> RunRecord:
    """Plan, keep the plan file in the state storage, and leave its summary as an artifact."""
    target = load_environment(environment, settings().home)
    with AzureClients() as clients:
        record = plan_environment(clients, target, run_id, requester, get_run_logger().info)
    name = target.name.value
    create_markdown_artifact(record.summary, key=f"plan-{name}", description=f"Terraform plan of {name}")
    return record


@task(name="record decision", task_run_name="record the decision on {environment}", **RETRYING)
def decision_task(environment: EnvironmentName, run_id: RunId, decision: Decision) -> RunRecord:
    """Write the operator's decision to the record, before anything else happens."""
    target = load_environment(environment, settings().home)
    with AzureClients() as clients:
        return record_decision(RecordStore(clients, target), run_id, decision)


# No retries: a plan is consumed once, and what a failed apply left behind needs a new plan.
@task(name="terraform apply", task_run_name="apply {environment}")
def apply_task(environment: EnvironmentName, run_id: RunId) -> RunRecord:
    """Apply exactly the approved plan; leave the result and the outputs as artifacts."""
    target = load_environment(environment, settings().home)
    with AzureClients() as clients:
        record = apply_approved_plan(clients, target, run_id, get_run_logger().info)
    name = target.name.value
    create_markdown_artifact(
        f"{record.outcome}\n\n{record.summary}", key=f"apply-{name}", description=f"Terraform apply of {name}"
    )
    create_table_artifact(
        [{"output": key, "value": str(value)} for key, value in record.outputs.items()],
        key=f"outputs-{name}",
        description=f"Terraform outputs of {name}",
    )
    return record
