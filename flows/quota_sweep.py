"""The flow that reads the GPU quota of subscriptions and regions."""

from __future__ import annotations

from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.states import Completed, Failed

from flows.outcome import plainly
from gpuplatform.quota.scope import sweep_scope
from gpuplatform.quota.summary import SweepSummary
from gpuplatform.settings import settings
from tasks.quota import read_gpu_quota

__all__ = ["quota_sweep", "sweep"]


def sweep(regions: list[str] | None = None, subscription_ids: list[str] | None = None) -> SweepSummary:
    """The GPU quota of the regions in the subscriptions; by default the environments' and ours.

    Raises:
        InvalidInput: a region or a subscription id is not one.
    """
    scope = sweep_scope(regions, subscription_ids, settings())
    return read_gpu_quota(list(scope.subscription_ids), list(scope.regions))


@flow(name="quota-sweep", flow_run_name="quota-sweep", persist_result=False, log_prints=False)
@plainly
def quota_sweep(regions: list[str] | None = None, subscription_ids: list[str] | None = None) -> State[Any]:
    """Read how many GPUs of each model are granted, used and free, and what could not be seen.

    Args:
        regions: Azure regions such as `eastus2`; left out, those of the environments.
        subscription_ids: Subscriptions to read; left out, the platform's own.
    """
    summary = sweep(regions, subscription_ids)
    if not summary.seen:
        return Failed(name="Blind", message=summary.message)
    return Completed(name="Partly blind" if summary.blind else None, message=summary.message)
