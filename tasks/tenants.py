"""Tasks on tenants."""

from __future__ import annotations

from prefect import get_run_logger, task
from prefect.artifacts import create_markdown_artifact, create_table_artifact

from gpuplatform.azure.clients import AzureClients
from gpuplatform.environments import EnvironmentName, load_environment
from gpuplatform.provisioning.outputs import environment_outputs
from gpuplatform.settings import settings
from gpuplatform.tenants.onboarding import onboard_tenant
from gpuplatform.tenants.preparation import prepare_cluster
from gpuplatform.tenants.request import TenantRequest
from gpuplatform.tenants.results import Tenancy, TenantOutcome
from gpuplatform.tenants.summary import OnboardSummary
from gpuplatform.tenants.usage import tenant_markdown
from tasks.retrying import RETRYING

__all__ = ["onboard_one", "prepare_tenancy", "publish_onboarding"]


@task(name="prepare cluster", task_run_name="prepare the cluster of {environment} for tenants", **RETRYING)
def prepare_tenancy(environment: EnvironmentName) -> Tenancy:
    """Apply what all tenants share: priority classes, and Kueue's queue over the GPU pools."""
    target = load_environment(environment, settings().home)
    with AzureClients() as clients:
        place = environment_outputs(clients, target)
        return prepare_cluster(clients, target.name, place, get_run_logger().info)


@task(name="onboard", task_run_name="onboard {request.team}", **RETRYING)
def onboard_one(tenancy: Tenancy, request: TenantRequest) -> TenantOutcome:
    """Give one tenant what it asked for, and write down what it has and how to use it."""
    with AzureClients() as clients:
        outcome = onboard_tenant(clients, tenancy, request, get_run_logger().info)
    create_markdown_artifact(
        tenant_markdown(outcome, tenancy),
        key=f"tenant-{tenancy.environment.value}-{request.team}",
        description=f"Tenant {request.team} in {tenancy.environment.value}",
    )
    return outcome


def publish_onboarding(summary: OnboardSummary) -> None:
    """The table of all tenants of the run, as an artifact of the flow run."""
    name = summary.environment.value
    create_table_artifact(summary.rows(), key=f"tenants-{name}", description=summary.message)
