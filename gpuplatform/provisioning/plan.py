"""Plan an environment and keep the plan with its record."""

from __future__ import annotations

from datetime import UTC, datetime

from gpuplatform.approval.client import RecordStore
from gpuplatform.approval.record import RunRecord, RunState
from gpuplatform.azure.clients import AzureClients
from gpuplatform.environments import Environment
from gpuplatform.errors import NotFound
from gpuplatform.ids import RunId
from gpuplatform.provisioning.backend import backend_config
from gpuplatform.terraform.configuration import Configuration, code_version
from gpuplatform.terraform.engine import find_engine
from gpuplatform.terraform.plan_file import read_plan_file
from gpuplatform.terraform.runner import Report, Terraform
from gpuplatform.terraform.summary import plan_counts, summarize
from gpuplatform.terraform.workspace import open_workspace

__all__ = ["plan_environment"]


def plan_environment(
    clients: AzureClients, environment: Environment, run_id: RunId, requester: str, report: Report
) -> RunRecord:
    """`terraform init`, `plan` and `show`; the record is `planned` or `planned_no_changes` afterwards.

    A plan without changes is not kept: there is nothing to apply.

    Raises:
        InvalidInput: the configuration or the variables are wrong; the text is the configuration's own.
        NotFound: there is no state backend yet.
        Conflict: the state is locked, or the run has a record already.
        Retryable: a passing fault.
    """
    name = environment.name.value
    configuration = Configuration(clients.settings.home, name)
    engine = find_engine(clients.settings)
    store = RecordStore(clients, environment)
    missing = f"{name} has no complete state backend ({store.account}): run bootstrap-state for it first"
    if not store.exists():
        raise NotFound(missing)
    try:
        store.expire_overdue(datetime.now(UTC))
    except NotFound:
        raise NotFound(missing) from None
    digest = configuration.digest()
    report(f"planning {name} with {engine}")
    with open_workspace(configuration, engine) as workspace:
        terraform = Terraform(
            workspace, clients.settings, name=name, subscription_id=clients.subscription_id, report=report
        )
        terraform.init(backend_config(environment, clients.subscription_id))
        changes = terraform.plan()
        plan = terraform.show()
        content = workspace.plan_file.read_bytes()
    file = read_plan_file(content)
    now = datetime.now(UTC)
    counts = plan_counts(plan)
    record = RunRecord(
        run_id=run_id,
        environment=environment.name,
        requester=requester,
        state=RunState.PLANNED if changes else RunState.PLANNED_NO_CHANGES,
        created_at=now,
        updated_at=now,
        expires_at=now + environment.approval.timeout,
        engine_version=engine.version,
        code_version=code_version(),
        config_digest=digest,
        plan_sha256=file.sha256,
        plan_bytes=file.size,
        state_lineage=file.lineage,
        state_serial=file.serial,
        counts=counts,
        summary=summarize(plan) if changes else f"**No changes**: {name} is as its configuration says.",
        outcome="" if changes else f"No changes: {name} is as its configuration says.",
        outputs={} if changes else dict(plan.planned_outputs),
    )
    if changes:
        store.put_plan(run_id, content)
    stored = store.create(record)
    report(f"{name}: {counts}" if changes else record.outcome)
    return stored.record
