"""The sweep over subscriptions and regions, a bounded number of pairs at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack

from gpuplatform.azure.clients import AzureClients
from gpuplatform.gpu.catalog import catalog
from gpuplatform.quota.client import read_commitments, read_region
from gpuplatform.quota.readings import Commitments, RegionReading
from gpuplatform.quota.rows import region_rows
from gpuplatform.quota.summary import Blind, Cell, SweepSummary
from gpuplatform.settings import Settings
from gpuplatform.settings import settings as process_settings

__all__ = ["sweep_quota"]


def sweep_quota(
    subscription_ids: Sequence[str],
    regions: Sequence[str],
    report: Callable[[str], None],
    settings: Settings | None = None,
) -> SweepSummary:
    """Read every region of every subscription; a pair that cannot be read is blind, never empty."""
    known = catalog()
    settings = settings or process_settings()
    cells = [(subscription, region) for subscription in subscription_ids for region in regions]
    with ExitStack() as stack:
        clients = {
            each: stack.enter_context(AzureClients(each, settings=settings)) for each in subscription_ids
        }
        for each in clients.values():
            _ = each.compute, each.containers  # made here: the threads share them
        workers = min(settings.sweep_concurrency, len(cells) + len(clients)) or 1
        pool = stack.enter_context(ThreadPoolExecutor(workers, thread_name_prefix="quota"))
        promised = {each: pool.submit(read_commitments, clients[each], known) for each in clients}
        reads: list[Future[RegionReading]] = [
            pool.submit(read_region, clients[subscription], region, known) for subscription, region in cells
        ]
        commitments: dict[str, Commitments] = {each: future.result() for each, future in promised.items()}
        readings = []
        for future in reads:
            readings.append(future.result())
            report(f"{len(readings)} of {len(cells)} regions read")
    rows = [row for each in readings for row in region_rows(each, known, commitments[each.subscription_id])]
    return SweepSummary(
        cells=tuple(Cell(subscription_id=one, region=two) for one, two in cells),
        rows=tuple(rows),
        blind=(*_blind_regions(readings), *_blind_commitments(commitments)),
        not_offered=tuple(
            Cell(subscription_id=each.subscription_id, region=each.region)
            for each in readings
            if not each.offered
        ),
    )


def _blind_regions(readings: Sequence[RegionReading]) -> list[Blind]:
    return [
        Blind(subscription_id=each.subscription_id, region=each.region, reason=reason)
        for each in readings
        for reason in each.blind
    ]


def _blind_commitments(commitments: dict[str, Commitments]) -> list[Blind]:
    return [
        Blind(subscription_id=each, region="*", reason=reason)
        for each, found in commitments.items()
        for reason in found.blind
    ]
