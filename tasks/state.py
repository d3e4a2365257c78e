"""Tasks on the state backend of an environment."""

from __future__ import annotations

from prefect import get_run_logger, task
from prefect.artifacts import create_markdown_artifact

from gpuplatform.azure.clients import AzureClients
from gpuplatform.environments import EnvironmentName, load_environment
from gpuplatform.settings import settings
from gpuplatform.statebackend.bootstrap import bootstrap_state_backend
from gpuplatform.statebackend.report import BootstrapReport
from tasks.retrying import RETRYING

__all__ = ["bootstrap_state_task"]


@task(name="bootstrap state backend", task_run_name="bootstrap state of {environment}", **RETRYING)
def bootstrap_state_task(environment: EnvironmentName) -> BootstrapReport:
    """Create or repair the storage account of the state; a second run changes nothing."""
    target = load_environment(environment, settings().home)
    with AzureClients() as clients:
        report = bootstrap_state_backend(clients, target, get_run_logger().info)
    create_markdown_artifact(
        report.markdown(),
        key=f"state-backend-{target.name.value}",
        description=f"State backend of {target.name.value}",
    )
    return report
