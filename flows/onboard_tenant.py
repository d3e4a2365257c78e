"""The flow that gives teams their namespaces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from prefect import flow, get_run_logger
from prefect.client.schemas.objects import State
from prefect.states import Completed, Failed

from flows.outcome import plainly
from gpuplatform.environments import EnvironmentName
from gpuplatform.errors import InvalidInput, PlatformError
from gpuplatform.settings import settings
from gpuplatform.tenants.files import LoadedTenants, load_named, load_tenants
from gpuplatform.tenants.request import TenantRequest
from gpuplatform.tenants.results import Tenancy, TenantOutcome
from gpuplatform.tenants.summary import OnboardSummary
from tasks.tenants import onboard_one, prepare_tenancy, publish_onboarding

__all__ = ["onboard", "onboard_tenant"]


def onboard(
    environment: EnvironmentName, tenant: str | None = None, request: TenantRequest | None = None
) -> OnboardSummary:
    """Onboard one tenant, by file or by request, or every tenant file of the environment; idempotent.

    A tenant that fails, or a file that is wrong, does not keep the others from being onboarded: it is in
    the summary.

    Raises:
        InvalidInput: the one tenant that was named is not there or is wrong.
        NotFound: the environment is not provisioned.
        PlatformError: the cluster could not be prepared.
    """
    loaded = _requests(environment, tenant, request)
    for problem in loaded.problems:
        get_run_logger().error("%s", problem)
    if not loaded.requests:
        return OnboardSummary(environment=environment, tenants=(), problems=loaded.problems)
    tenancy = prepare_tenancy(environment)
    summary = OnboardSummary(
        environment=environment,
        tenants=tuple(_onboard_each(tenancy, loaded.requests)),
        tenancy=tenancy,
        problems=loaded.problems,
    )
    publish_onboarding(summary)
    return summary


def _requests(
    environment: EnvironmentName, tenant: str | None, request: TenantRequest | None
) -> LoadedTenants:
    if request is not None:
        if tenant:
            raise InvalidInput("give either the name of a tenant file or a request, not both")
        if request.environment is not environment:
            raise InvalidInput(f"the request is for {request.environment.value}, not for {environment.value}")
        return LoadedTenants((request,))
    home = settings().home
    if tenant:
        return LoadedTenants((load_named(home, environment, tenant),))
    return load_tenants(home, environment)


def _onboard_each(tenancy: Tenancy, requests: Sequence[TenantRequest]) -> list[TenantOutcome]:
    outcomes = []
    for request in requests:
        state: State[TenantOutcome] = onboard_one(tenancy, request, return_state=True)
        result = state.result(raise_on_failure=False)
        if isinstance(result, TenantOutcome):
            outcomes.append(result)
            continue
        # An error of ours is a sentence; another one is a defect, whose traceback is in the task's log.
        text = str(result) if isinstance(result, PlatformError) else f"internal error: {result!r}"[:500]
        outcomes.append(TenantOutcome(request=request, error=text))
    return outcomes


@flow(
    name="onboard-tenant",
    flow_run_name="onboard-tenant {environment}",
    persist_result=False,
    log_prints=False,
)
@plainly
def onboard_tenant(
    environment: EnvironmentName, tenant: str | None = None, request: TenantRequest | None = None
) -> State[Any]:
    """Give a team its namespace: access, quotas, network rules and a queue for GPU jobs.

    Args:
        environment: In whose cluster.
        tenant: A file in tenants/ without its ending; left out, every file of the environment.
        request: A request given here instead of in a file.
    """
    summary = onboard(environment, tenant, request)
    if not summary.succeeded:
        return Failed(name="Tenants failed", message=summary.message)
    if not summary.tenants:
        return Completed(name="Nothing to onboard", message=summary.message)
    return Completed(name=None if summary.changed else "No changes", message=summary.message)
