"""The GPU view of quota: every GPU family of a region, in GPUs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from pydantic import BaseModel, ConfigDict

from gpuplatform.gpu.catalog import Catalog, GpuFamily, normalize_family
from gpuplatform.quota.readings import Commitments, RegionReading, SizeOffer, Usage

__all__ = ["UNKNOWN_MODEL", "QuotaRow", "QuotaState", "SizeRow", "region_rows"]

REGIONAL, SPOT = "cores", "lowPriorityCores"
"""Names of the two limits that hold for all families together."""

UNKNOWN_MODEL = "unknown"
"""The model of an N-series family that the catalogue does not know."""


class QuotaState(StrEnum):
    """What the next GPU of a family would meet."""

    FREE = "free"
    EXHAUSTED = "exhausted"
    NOT_GRANTED = "not granted"
    RESTRICTED = "restricted"
    NOT_OFFERED = "not offered"
    UNKNOWN = "unknown"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class SizeRow(_Frozen):
    """What one VM size of a family comes to."""

    name: str
    vcpus: int
    gpus: float | None
    """GPUs of one machine; None where the catalogue does not know the size."""
    free_machines: int | None
    """Machines that still fit; None: no limit."""
    free_gpus: float | None
    restriction: str | None = None


class QuotaRow(_Frozen):
    """One GPU family in one region of one subscription. None for GPUs: unlimited, or not known."""

    subscription_id: str
    region: str
    model: str
    family: str
    state: QuotaState
    used_vcpus: int | None
    limit_vcpus: int | None
    """None: Azure reported no limit line; -1: unlimited."""
    granted_gpus: float | None
    used_gpus: float | None
    """At most so many: the usages count vCPUs, and a family's sizes have several vCPUs a GPU."""
    free_gpus: float | None
    free_spot_gpus: float | None
    limited_by: str | None
    """Which limit leaves the fewest vCPUs: the family's or the region's."""
    pool_max_gpus: int | None = None
    reserved_gpus: int | None = None
    sizes: tuple[SizeRow, ...] = ()


def region_rows(
    reading: RegionReading, catalog: Catalog, commitments: Commitments | None = None
) -> tuple[QuotaRow, ...]:
    """A row for every GPU family that the region's limits or sizes name, N-series that are new included.

    GPUs = floor(min(family headroom, regional headroom) / vCPUs of a machine) x GPUs of a machine, a size
    at a time; the family's number is that of its best size.
    """
    usages = {normalize_family(usage.name): usage for usage in reading.usages}
    view = _View(
        reading,
        catalog,
        commitments,
        regional=usages.get(normalize_family(REGIONAL)),
        spot=usages.get(normalize_family(SPOT)),
    )
    rows = [_row(view, *found) for found in _families(reading, catalog, usages)]
    return tuple(sorted(rows, key=lambda row: (row.model, row.family)))


@dataclass(frozen=True)
class _View:
    """What holds for every family of the region."""

    reading: RegionReading
    catalog: Catalog
    commitments: Commitments | None
    regional: Usage | None
    spot: Usage | None


def _families(
    reading: RegionReading, catalog: Catalog, usages: dict[str, Usage]
) -> Iterator[tuple[str, GpuFamily | None, Usage | None]]:
    seen = set()
    for key, usage in usages.items():
        family = catalog.family(usage.name)
        if family is not None or catalog.may_be_gpu_family(usage.name):
            seen.add(family.key if family else key)
            yield usage.name, family, usage
    for offer in reading.offers or ():
        family = catalog.family(offer.family) or catalog.family_of_sku(offer.name)
        unknown = family is None and catalog.may_be_gpu_family(offer.family)
        key = family.key if family else normalize_family(offer.family)
        if (family or unknown) and key not in seen:
            seen.add(key)
            yield offer.family, family, None


def _offers(
    name: str, family: GpuFamily | None, reading: RegionReading, catalog: Catalog
) -> tuple[SizeOffer, ...]:
    if reading.offers is None:  # the catalogue stands in for what could not be read
        return tuple(SizeOffer(sku.name, name, sku.vcpus) for sku in (family.skus if family else ()))
    mine = []
    for offer in reading.offers:
        other = catalog.family(offer.family) or catalog.family_of_sku(offer.name)
        same = normalize_family(offer.family) == normalize_family(name)
        if (family is not None and other is family) or (family is None and same):
            mine.append(offer)
    return tuple(mine)


def _row(view: _View, name: str, family: GpuFamily | None, usage: Usage | None) -> QuotaRow:
    reading, catalog, commitments, spot = view.reading, view.catalog, view.commitments, view.spot
    offers = _offers(name, family, reading, catalog)
    headroom, limited_by = _least(usage, view.regional)
    sizes = [_size(offer, catalog, headroom, known=usage is not None) for offer in offers]
    usable = [offer for offer in offers if offer.location_restriction is None]
    limit = usage.limit if usage else None
    known = usage is not None and any(size.gpus is not None for size in sizes)
    place = (reading.region, family.key if family else "")
    return QuotaRow(
        subscription_id=reading.subscription_id,
        region=reading.region,
        model=family.model if family else UNKNOWN_MODEL,
        family=family.key if family else name,
        state=_state(reading, family, usage, sizes, usable),
        used_vcpus=usage.used if usage else None,
        limit_vcpus=limit,
        granted_gpus=_best(offers, catalog, limit) if known and limit is not None and limit >= 0 else None,
        used_gpus=_best(offers, catalog, usage.used) if known and usage else None,
        free_gpus=_best(usable, catalog, headroom) if known and headroom is not None else None,
        free_spot_gpus=_best(usable, catalog, spot.headroom) if spot and spot.headroom is not None else None,
        limited_by=limited_by,
        pool_max_gpus=commitments.pool_max.get(place) if commitments else None,
        reserved_gpus=commitments.reserved.get(place) if commitments else None,
        sizes=tuple(sizes),
    )


def _least(usage: Usage | None, regional: Usage | None) -> tuple[int | None, str | None]:
    """The vCPUs that are left, and by which limit; None where neither has one."""
    limits = [
        (each.headroom, label)
        for each, label in ((usage, "family vCPUs"), (regional, "regional vCPUs"))
        if each is not None and each.headroom is not None
    ]
    return min(limits, key=lambda item: item[0] or 0) if limits else (None, None)


def _size(offer: SizeOffer, catalog: Catalog, headroom: int | None, *, known: bool) -> SizeRow:
    sku = catalog.sku(offer.name)
    vcpus = offer.vcpus or (sku.vcpus if sku else 0)
    machines = headroom // vcpus if known and headroom is not None and vcpus else None
    if offer.location_restriction:
        machines = 0
    zones = f"not in zone {', '.join(offer.restricted_zones)}" if offer.restricted_zones else None
    return SizeRow(
        name=offer.name,
        vcpus=vcpus,
        gpus=_number(sku.gpus) if sku else None,
        free_machines=machines,
        free_gpus=_number(machines * sku.gpus) if sku and machines is not None else None,
        restriction=offer.location_restriction or zones,
    )


def _best(offers: tuple[SizeOffer, ...] | list[SizeOffer], catalog: Catalog, vcpus: int | None) -> float:
    """The most GPUs that these vCPUs can be, over the sizes."""
    most = Fraction(0)
    for offer in offers:
        sku = catalog.sku(offer.name)
        size = offer.vcpus or (sku.vcpus if sku else 0)
        if sku is not None and size:
            most = max(most, (vcpus or 0) // size * sku.gpus)
    return _number(most)


def _state(
    reading: RegionReading,
    family: GpuFamily | None,
    usage: Usage | None,
    sizes: list[SizeRow],
    usable: list[SizeOffer],
) -> QuotaState:
    if usage is None or (family is None and (usage.limit != 0 or sizes)):
        return QuotaState.UNKNOWN
    if reading.offers is not None and not sizes:
        # Azure keeps quota lines of families that are retired or not sold in the region.
        return QuotaState.NOT_OFFERED
    if usage.limit == 0:
        return QuotaState.NOT_GRANTED
    if reading.offers is not None and not usable:
        return QuotaState.RESTRICTED
    if not any(size.gpus is not None for size in sizes):
        return QuotaState.UNKNOWN
    if all(size.free_machines == 0 for size in sizes):
        return QuotaState.EXHAUSTED
    return QuotaState.FREE


def _number(value: Fraction) -> float:
    return round(float(value), 2)
