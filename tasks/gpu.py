"""Tasks on the GPUs of an environment."""

from __future__ import annotations

from prefect import get_run_logger, task
from prefect.artifacts import create_markdown_artifact, create_table_artifact

from gpuplatform.azure.clients import AzureClients
from gpuplatform.environments import EnvironmentName, load_environment
from gpuplatform.gpu.summary import VerifySummary
from gpuplatform.gpu.verification import verify_environment
from gpuplatform.provisioning.outputs import environment_outputs
from gpuplatform.settings import settings
from tasks.retrying import RETRYING

__all__ = ["verify_gpus"]


@task(name="verify GPUs", task_run_name="verify GPUs of {environment}", **RETRYING)
def verify_gpus(environment: EnvironmentName) -> VerifySummary:
    """Examine the GPU node pools and machines of the environment and write down the verdicts."""
    target = load_environment(environment, settings().home)
    log = get_run_logger()
    with AzureClients() as clients:
        place = environment_outputs(clients, target)
        summary = verify_environment(
            clients, target.name, place.resource_group_name, place.cluster_name, log.info
        )
    name = target.name.value
    create_table_artifact(summary.rows(), key=f"gpu-verdicts-{name}", description=summary.message)
    create_markdown_artifact(
        summary.markdown(), key=f"gpu-verification-{name}", description=f"GPUs of {name}"
    )
    return summary
