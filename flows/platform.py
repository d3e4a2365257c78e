"""The flow that runs the whole chain for one environment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from prefect import flow, get_run_logger, runtime
from prefect.client.schemas.objects import State
from prefect.states import Completed, Failed

from flows.bootstrap_state import bootstrap
from flows.onboard_tenant import onboard
from flows.outcome import plainly
from flows.provision import Requester, find_record, provision_environment
from flows.quota_sweep import sweep
from flows.verify_gpu import verify
from gpuplatform.environments import EnvironmentName
from gpuplatform.errors import PlatformError
from gpuplatform.reporting.platform import PlatformSummary
from tasks.reporting import publish_platform_summary

__all__ = ["platform"]

_T = TypeVar("_T")


def _run_name() -> str:
    parameters = cast("dict[str, Any]", runtime.flow_run.parameters)
    return f"platform {parameters.get('environment', '?')} #{str(runtime.flow_run.id)[-4:]}"


# No flow-level retries: a retry clears the answers and would ask for the approval again.
@flow(name="platform", flow_run_name=_run_name, log_prints=False)
@plainly
def platform(environment: EnvironmentName, requester: Requester) -> State[Any]:
    """Run the whole chain: state backend, plan, approval, apply, GPU verification, tenants, quota.

    The steps run inside this one run, not as sub-flows: only a top-level run can wait for its operator
    without holding a process.

    Args:
        environment: What to provision.
        requester: Who asks, an e-mail address; the requester cannot approve.
    """
    # After the approval the run starts again from here; its record says that this part is done.
    backend = None if find_record(environment) else bootstrap(environment)
    outcome = provision_environment(environment, requester)
    if outcome.outputs is None:
        return Failed(name="Rejected", message=outcome.message)
    location = outcome.outputs.location
    errors: list[str] = []
    summary = PlatformSummary(
        environment=environment,
        provisioning=outcome.message,
        infrastructure_changed=outcome.status == "applied",
        backend_changed=backend is not None and backend.changed,
        outputs=outcome.outputs,
        gpus=_attempt(errors, lambda: verify(environment)),
        tenants=_attempt(errors, lambda: onboard(environment)),
        quota=_attempt(errors, lambda: sweep([location])),
        errors=tuple(errors),
    )
    publish_platform_summary(summary)
    if summary.problems:
        return Failed(message="; ".join(summary.problems))
    return Completed(name=None if summary.changed else "No changes", message=summary.message)


def _attempt(errors: list[str], step: Callable[[], _T]) -> _T | None:
    """The step's result, or None with its error noted: the steps after it do not depend on it."""
    try:
        return step()
    except PlatformError as error:
        get_run_logger().error("%s", error)
        errors.append(str(error))
        return None
