"""The flow that makes the state backend of an environment."""

from __future__ import annotations

from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.states import Completed

from flows.outcome import plainly
from gpuplatform.environments import EnvironmentName
from gpuplatform.statebackend.report import BootstrapReport
from tasks.state import bootstrap_state_task

__all__ = ["bootstrap", "bootstrap_state"]


def bootstrap(environment: EnvironmentName) -> BootstrapReport:
    """The state backend of the environment, created or repaired; idempotent.

    Raises:
        InvalidInput: the environment is unknown or its storage account's name is somebody else's.
        PlatformError: Azure refused, or the data plane did not answer by its deadline.
    """
    return bootstrap_state_task(environment)


@flow(name="bootstrap-state", flow_run_name="bootstrap-state {environment}", log_prints=False)
@plainly
def bootstrap_state(environment: EnvironmentName) -> State[Any]:
    """Create or repair the storage account that holds Terraform's state and the run records.

    Args:
        environment: Whose state backend.
    """
    report = bootstrap(environment)
    return Completed(name=None if report.changed else "No changes", message=report.message)
