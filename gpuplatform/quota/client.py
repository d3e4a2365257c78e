"""Reading limits, sizes and commitments from Azure: all pages, and a reason for whatever stays unseen."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from gpuplatform.azure.errors import azure_errors
from gpuplatform.azure.values import plain
from gpuplatform.errors import PlatformError
from gpuplatform.gpu.catalog import Catalog
from gpuplatform.quota.readings import Commitments, RegionReading, SizeOffer, Usage

if TYPE_CHECKING:
    from gpuplatform.azure.clients import AzureClients

__all__ = ["read_commitments", "read_region"]

NOT_OFFERED = "NoRegisteredProviderFound"
"""Azure's code for a region in which Compute is not offered to the subscription."""


def read_region(clients: AzureClients, region: str, catalog: Catalog) -> RegionReading:
    """The limits and the GPU sizes of one region; what cannot be read makes the reading blind."""
    subscription = clients.subscription_id
    seconds = clients.settings.sweep_read_timeout_seconds
    try:
        with azure_errors(f"reading the limits of {region}"):
            usages = tuple(_usage(item) for item in clients.compute.usage.list(region, timeout=seconds))
    except PlatformError as error:
        if NOT_OFFERED in str(error):
            return RegionReading(subscription, region, offered=False)
        return RegionReading(subscription, region, blind=(str(error),))
    blind = [] if usages else [f"reading the limits of {region}: Azure answered none"]
    offers: tuple[SizeOffer, ...] | None
    try:
        with azure_errors(f"reading the sizes of {region}"):
            found = clients.compute.resource_skus.list(filter=f"location eq '{region}'", timeout=seconds)
            offers = tuple(_offer(item, region) for item in found if _is_gpu(item, catalog))
    except PlatformError as error:
        offers = None
        blind.append(str(error))
    return RegionReading(subscription, region, usages, offers, tuple(blind))


def read_commitments(clients: AzureClients, catalog: Catalog) -> Commitments:
    """What AKS node pools may grow to and what capacity reservations hold, in GPUs."""
    blind: list[str] = []
    pool_max: Counter[tuple[str, str]] = Counter()
    reserved: Counter[tuple[str, str]] = Counter()
    seconds = clients.settings.sweep_read_timeout_seconds
    try:
        with azure_errors("reading the AKS node pools"):
            for cluster in clients.containers.managed_clusters.list(timeout=seconds):
                for pool in cluster.agent_pool_profiles or []:
                    most = pool.max_count if pool.enable_auto_scaling else pool.count
                    _add(pool_max, catalog, cluster.location, pool.vm_size, most)
    except PlatformError as error:
        blind.append(str(error))
    try:
        with azure_errors("reading the capacity reservations"):
            for group in clients.compute.capacity_reservation_groups.list_by_subscription(timeout=seconds):
                resource_group = str(group.id).split("/")[4]
                reservations = clients.compute.capacity_reservations.list_by_capacity_reservation_group(
                    resource_group, str(group.name), timeout=seconds
                )
                for item in reservations:
                    _add(reserved, catalog, item.location, item.sku.name, item.sku.capacity)
    except PlatformError as error:
        blind.append(str(error))
    return Commitments(clients.subscription_id, pool_max, reserved, tuple(blind))


def _add(
    into: Counter[tuple[str, str]], catalog: Catalog, location: Any, size: Any, machines: int | None
) -> None:
    sku, family = catalog.sku(plain(size)), catalog.family_of_sku(plain(size))
    if sku is not None and family is not None:
        region = str(location or "").lower().replace(" ", "")
        into[region, family.key] += int(sku.gpus * (machines or 0))


def _usage(item: Any) -> Usage:
    name = str(item.name.value or "")
    return Usage(name, str(item.name.localized_value or name), int(item.current_value), int(item.limit))


def _is_gpu(item: Any, catalog: Catalog) -> bool:
    if plain(item.resource_type).lower() != "virtualmachines":
        return False
    family = str(item.family or "")
    return (
        catalog.family(family) is not None
        or catalog.sku(str(item.name)) is not None
        or catalog.may_be_gpu_family(family)
    )


def _offer(item: Any, region: str) -> SizeOffer:
    vcpus = next((c.value for c in item.capabilities or [] if str(c.name).lower() == "vcpus"), "")
    whole: str | None = None
    zones: set[str] = set()
    for restriction in item.restrictions or []:
        info = restriction.restriction_info
        places = [*(restriction.values_property or []), *((info.locations if info else None) or [])]
        if places and region not in {str(place).lower() for place in places}:
            continue
        if plain(restriction.type).lower() == "location":
            whole = plain(restriction.reason_code) or "restricted"
        else:
            zones.update((info.zones if info else None) or [])
    return SizeOffer(
        name=str(item.name),
        family=str(item.family or ""),
        vcpus=int(vcpus) if str(vcpus).isdigit() else 0,
        location_restriction=whole,
        restricted_zones=tuple(sorted(zones)),
    )
