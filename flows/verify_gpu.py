"""The flow that proves that the GPUs of an environment work."""

from __future__ import annotations

from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.states import Completed, Failed

from flows.outcome import plainly
from gpuplatform.environments import EnvironmentName
from gpuplatform.gpu.findings import Status
from gpuplatform.gpu.summary import VerifySummary
from tasks.gpu import verify_gpus

__all__ = ["verify", "verify_gpu"]


def verify(environment: EnvironmentName) -> VerifySummary:
    """The verdicts on every GPU node pool, node and machine of the environment.

    Raises:
        NotFound: the environment is not provisioned.
        PlatformError: Azure refused or did not answer.
    """
    return verify_gpus(environment)


@flow(name="verify-gpu", flow_run_name="verify-gpu {environment}", persist_result=False, log_prints=False)
@plainly
def verify_gpu(environment: EnvironmentName) -> State[Any]:
    """Prove that the GPUs of an environment work: machines, drivers, node pools.

    Ends Failed where a GPU does not work or where nothing could be proven about one.

    Args:
        environment: Whose GPUs.
    """
    summary = verify(environment)
    if not summary.proven:
        return Failed(
            name="GPUs failing" if summary.having(Status.FAILING) else "Unproven", message=summary.message
        )
    working = summary.having(Status.HEALTHY) or summary.having(Status.DEGRADED)
    return Completed(name=None if working else "Nothing to verify", message=summary.message)
