"""Quota in GPUs: every family recognised, every limit honoured, nothing made up."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplatform.gpu.catalog import catalog
from gpuplatform.quota.readings import Commitments, RegionReading, SizeOffer, Usage
from gpuplatform.quota.rows import QuotaRow, QuotaState, region_rows

SUBSCRIPTION = "00000000-0000-0000-0000-000000000001"
T4, A100 = "Standard NCASv3_T4 Family", "StandardNCADSA100v4Family"
NC4, NC64 = SizeOffer("Standard_NC4as_T4_v3", T4, 4), SizeOffer("Standard_NC64as_T4_v3", T4, 64)
NC24 = SizeOffer("Standard_NC24ads_A100_v4", A100, 24)


def usage(name: str, used: int, limit: int) -> Usage:
    return Usage(name, name, used, limit)


def rows(*usages: Usage, offers: tuple[SizeOffer, ...] | None = (NC4, NC64, NC24)) -> dict[str, QuotaRow]:
    reading = RegionReading(SUBSCRIPTION, "eastus", usages, offers)
    return {row.family: row for row in region_rows(reading, catalog())}


CORES = usage("cores", 230, 350)


def test_gpus_of_the_best_size() -> None:
    row = rows(CORES, usage(T4, 16, 24))["NCasT4_v3"]
    assert row.model == "T4"
    assert (row.granted_gpus, row.used_gpus, row.free_gpus) == (6, 4, 2)
    assert row.state is QuotaState.FREE
    assert [(size.name, size.free_machines) for size in row.sizes] == [(NC4.name, 2), (NC64.name, 0)]


def test_the_regional_limit_counts_too() -> None:
    row = rows(usage("cores", 345, 350), usage(T4, 0, 24))["NCasT4_v3"]
    assert (row.granted_gpus, row.free_gpus, row.limited_by) == (6, 1, "regional vCPUs")


@pytest.mark.parametrize(
    ("used", "limit", "state", "granted", "free"),
    [
        (0, 0, QuotaState.NOT_GRANTED, 0, 0),
        (96, 96, QuotaState.EXHAUSTED, 4, 0),
        (192, 96, QuotaState.EXHAUSTED, 4, 0),  # after a decrease
        (0, 23, QuotaState.EXHAUSTED, 0, 0),  # too little for one machine
        (0, -1, QuotaState.FREE, None, 5),  # unlimited: the region's 120 vCPUs decide
    ],
)
def test_limits(used: int, limit: int, state: QuotaState, granted: float | None, free: float) -> None:
    row = rows(CORES, usage(A100, used, limit))["NC_A100_v4"]
    assert (row.state, row.granted_gpus, row.free_gpus) == (state, granted, free)


def test_without_any_limit_there_is_no_number() -> None:
    row = rows(usage("cores", 0, -1), usage(A100, 0, -1))["NC_A100_v4"]
    assert (row.granted_gpus, row.free_gpus, row.state) == (None, None, QuotaState.FREE)


def test_a_size_that_is_restricted_gives_nothing() -> None:
    restricted = SizeOffer(NC24.name, A100, 24, location_restriction="NotAvailableForSubscription")
    row = rows(CORES, usage(A100, 0, 96), offers=(restricted,))["NC_A100_v4"]
    assert (row.state, row.granted_gpus, row.free_gpus) == (QuotaState.RESTRICTED, 4, 0)
    assert row.sizes[0].restriction == "NotAvailableForSubscription"


def test_a_zone_restriction_is_told_and_not_counted() -> None:
    zonal = SizeOffer(NC24.name, A100, 24, restricted_zones=("1", "2", "3"))
    row = rows(CORES, usage(A100, 0, 96), offers=(zonal,))["NC_A100_v4"]
    assert (row.state, row.free_gpus) == (QuotaState.FREE, 4)
    assert row.sizes[0].restriction == "not in zone 1, 2, 3"


def test_spot_has_one_pool_for_all_families() -> None:
    found = rows(CORES, usage("lowPriorityCores", 0, 30), usage(T4, 0, 0), usage(A100, 0, 0))
    assert found["NCasT4_v3"].free_spot_gpus == 7
    assert found["NC_A100_v4"].free_spot_gpus == 1


def test_slices_of_a_gpu() -> None:
    name = "StandardNVADSA10v5Family"
    offer = SizeOffer("Standard_NV6ads_A10_v5", name, 6)
    row = rows(CORES, usage(name, 0, 36), offers=(offer,))["NVadsA10_v5"]
    assert (row.granted_gpus, row.sizes[0].gpus) == (1, 0.17)


def test_families_that_are_retired_or_not_sold_here() -> None:
    row = rows(CORES, usage("standardNCFamily", 0, 12))["NC_K80"]
    assert row.state is QuotaState.NOT_OFFERED


def test_a_new_family_is_shown_as_unknown() -> None:
    new = SizeOffer("Standard_NC8as_T9_v9", "standardNCAST9v9Family", 8)
    row = rows(CORES, usage("standardNCAST9v9Family", 0, 80), offers=(new,))["standardNCAST9v9Family"]
    assert (row.state, row.model, row.free_gpus) == (QuotaState.UNKNOWN, "unknown", None)
    assert (
        rows(CORES, usage("internalNDMSv1Family", 0, 65))["internalNDMSv1Family"].state is QuotaState.UNKNOWN
    )


def test_a_new_size_of_a_known_family_is_not_guessed() -> None:
    new = SizeOffer("Standard_NC12as_T4_v9", T4, 12)
    row = rows(CORES, usage(T4, 0, 24), offers=(new,))["NCasT4_v3"]
    assert (row.state, row.free_gpus, row.sizes[0].gpus) == (QuotaState.UNKNOWN, None, None)


def test_sizes_without_a_limit_line() -> None:
    row = rows(CORES)["NCasT4_v3"]
    assert (row.state, row.limit_vcpus, row.free_gpus) == (QuotaState.UNKNOWN, None, None)


def test_other_families_are_left_out() -> None:
    found = rows(CORES, usage("standardDSv5Family", 0, 10), usage("standardNPSFamily", 0, 10), offers=())
    assert found == {}


def test_unreadable_sizes_are_taken_from_the_catalogue() -> None:
    row = rows(CORES, usage(T4, 0, 24), offers=None)["NCasT4_v3"]
    assert (row.state, row.free_gpus) == (QuotaState.FREE, 6)


def test_what_pools_and_reservations_hold() -> None:
    reading = RegionReading(SUBSCRIPTION, "eastus", (CORES, usage(T4, 0, 24)), (NC4,))
    promised = Commitments(SUBSCRIPTION, {("eastus", "NCasT4_v3"): 3}, {("westus", "NCasT4_v3"): 9})
    (row,) = region_rows(reading, catalog(), promised)
    assert (row.pool_max_gpus, row.reserved_gpus) == (3, None)


@given(limit=st.integers(-1, 2_000), used=st.integers(0, 2_000), cores=st.integers(0, 2_000), data=st.data())
def test_free_never_exceeds_any_limit(limit: int, used: int, cores: int, data: Any) -> None:
    offers = data.draw(st.lists(st.sampled_from([NC4, NC64]), min_size=1, unique=True))
    row = rows(usage("cores", 0, cores), usage(T4, used, limit), offers=tuple(offers))["NCasT4_v3"]
    assert row.free_gpus is not None
    assert 0 <= row.free_gpus * 4 <= cores
    if limit >= 0:
        assert row.free_gpus * 4 <= max(limit - used, 0)
        assert row.granted_gpus is not None
        assert row.free_gpus <= row.granted_gpus
