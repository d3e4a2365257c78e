"""What is read from Azure for one subscription and region, before any rule is applied."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Commitments", "RegionReading", "SizeOffer", "Usage"]


@dataclass(frozen=True)
class Usage:
    """One line of the usages API."""

    name: str
    """`name.value`: the key to match on. The display name is language-dependent and misspelt by Azure."""
    display: str
    used: int
    limit: int
    """In vCPUs for families; 0 is not granted, -1 unlimited."""

    @property
    def headroom(self) -> int | None:
        """What is left; None where there is no limit, 0 where use exceeds it (after a decrease)."""
        return None if self.limit < 0 else max(self.limit - self.used, 0)


@dataclass(frozen=True)
class SizeOffer:
    """One VM size in one region, from the resource SKUs API. Its own GPU count is not to be trusted."""

    name: str
    family: str
    vcpus: int
    location_restriction: str | None = None
    """The reason why the size cannot be used in the region at all, such as NotAvailableForSubscription."""
    restricted_zones: tuple[str, ...] = ()
    """Zones that refuse the size; a regional deployment may still work even if these are all."""


@dataclass(frozen=True)
class RegionReading:
    """One subscription in one region. `offers` None: the sizes could not be read."""

    subscription_id: str
    region: str
    usages: tuple[Usage, ...] = ()
    offers: tuple[SizeOffer, ...] | None = None
    blind: tuple[str, ...] = ()
    """Why something was not seen, a sentence each."""
    offered: bool = True
    """False: Compute is not offered to this subscription in this region."""


@dataclass(frozen=True)
class Commitments:
    """GPUs that a subscription has promised away, by (region, family key)."""

    subscription_id: str
    pool_max: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """What the AKS node pools may grow to, in GPUs."""
    reserved: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """What capacity reservations hold, in GPUs."""
    blind: tuple[str, ...] = ()
