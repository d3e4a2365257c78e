"""vCPU quota per subscription, region and family: what is granted, used, and refused."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from sandbox.arm.catalog import Catalog, Family, Size, normalize_family
from sandbox.arm.errors import ArmError
from sandbox.arm.ids import subscription_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandbox.arm.store import Resource, Store
    from sandbox.state import State

__all__ = ["CORES", "LOW_PRIORITY", "Quota"]

CORES = "cores"
LOW_PRIORITY = "lowPriorityCores"
_VM = "Microsoft.Compute/virtualMachines"
_POOL = "Microsoft.ContainerService/managedClusters/agentPools"
_RESERVATION = "Microsoft.Compute/capacityReservationGroups/capacityReservations"


class Quota:
    """Usage is counted from the resources that exist; limits come from the data or the state.

    The state table `arm.quota` overrides a limit: key `subscription/region/usage name` (lower case, the
    usage's spaces and underscores left out), value the limit as a number. −1 means unlimited.
    """

    def __init__(self, state: State, store: Store, catalog: Catalog) -> None:
        self._overrides = state.table("arm.quota")
        self._store = store
        self._catalog = catalog

    def limit(self, subscription: str, location: str, usage: str) -> int:
        key = f"{subscription}/{location}/{normalize_family(usage)}".lower()
        if key in self._overrides:
            return int(self._overrides[key])
        family = self._catalog.families.get(normalize_family(usage))
        if family is not None:
            return self._catalog.default_limit(family, location)
        general = {row["usage"].lower(): row["limit"] for row in self._catalog.quota["general"]}
        return int(general.get(usage.lower(), 0))

    def set_limit(self, subscription: str, location: str, usage: str, limit: int) -> None:
        self._overrides[f"{subscription}/{location}/{normalize_family(usage)}".lower()] = limit

    def used(self, subscription: str, location: str) -> Counter[str]:
        """Use by usage name: families by their normalized key, the rest as the usages API names them."""
        used: Counter[str] = Counter()
        attached: Counter[tuple[str, str]] = Counter()
        for size, count, spot, group in self._machines(subscription, location):
            used["virtualMachines"] += count
            used[LOW_PRIORITY if spot else normalize_family(size.family)] += size.vcpus * count
            if not spot:
                used[CORES] += size.vcpus * count
                attached[group.lower(), size.name.lower()] += count
        for reservation in self._store.all(_RESERVATION, f"/subscriptions/{subscription}"):
            found = self._catalog.size(reservation["sku"]["name"])
            if reservation["location"] == location and found is not None:
                group = reservation["id"].rsplit("/", 2)[0].lower()
                idle = max(0, reservation["sku"]["capacity"] - attached[group, found.name.lower()])
                used[normalize_family(found.family)] += idle * found.vcpus
                used[CORES] += idle * found.vcpus
        return used

    def rows(self, subscription: str, location: str) -> list[dict[str, Any]]:
        """The usages of a region, as `locations/usages` lists them."""
        used = self.used(subscription, location)
        general = [
            (row["usage"], row["display"], used[row["usage"]]) for row in self._catalog.quota["general"]
        ]
        families = [
            (family.usage, family.display, used[family.key]) for family in self._catalog.families.values()
        ]
        return [
            {
                "unit": "Count",
                "currentValue": current,
                "limit": self.limit(subscription, location, usage),
                "name": {"value": usage, "localizedValue": display},
            }
            for usage, display, current in [*general, *families]
        ]

    def shortage(
        self, subscription: str, location: str, size: Size, count: int, *, spot: bool
    ) -> tuple[str, int, int, int] | None:
        """The first pool that `count` more machines would exceed: name, limit, use and vCPUs asked."""
        asked = size.vcpus * count
        if asked <= 0:
            return None
        used = self.used(subscription, location)
        family = self._catalog.families[normalize_family(size.family)]
        pools = (
            [(LOW_PRIORITY, used[LOW_PRIORITY])]
            if spot
            else [(CORES, used[CORES]), (family.usage, used[family.key])]
        )
        for usage, current in pools:
            limit = self.limit(subscription, location, usage)
            if limit >= 0 and current + asked > limit:
                return usage, limit, current, asked
        return None

    def family(self, size: Size) -> Family:
        return self._catalog.families[normalize_family(size.family)]

    def _machines(self, subscription: str, location: str) -> Iterator[tuple[Size, int, bool, str]]:
        """Size, count, spot and capacity reservation group of all machines; deallocated ones count too."""
        scope = f"/subscriptions/{subscription}"
        clusters: dict[str, str] = {}
        for resource in self._store.all(None, scope):
            kind, properties = resource["type"], resource.get("properties", {})
            if kind == _VM and resource["location"] == location:
                size = self._catalog.size(properties["hardwareProfile"]["vmSize"])
                group = properties.get("capacityReservation", {}).get("capacityReservationGroup", {})
                if size is not None:
                    yield size, 1, properties.get("priority") == "Spot", group.get("id", "")
            elif kind == "Microsoft.ContainerService/managedClusters":
                clusters[resource["id"].lower()] = resource["location"]
            elif kind == _POOL and clusters.get(resource["id"].rsplit("/", 2)[0].lower()) == location:
                size = self._catalog.size(properties["vmSize"])
                if size is not None:
                    spot = properties.get("scaleSetPriority") == "Spot"
                    yield (
                        size,
                        properties.get("count", 0),
                        spot,
                        properties.get("capacityReservationGroupID", ""),
                    )

    def require(self, resource: Resource, size: Size, count: int, *, spot: bool) -> None:
        """Refuse machines beyond the quota, in the words of the compute service.

        Raises:
            ArmError: 409 OperationNotAllowed with limit, use and the limit that would be needed.
        """
        location = resource["location"]
        short = self.shortage(subscription_of(resource["id"]), location, size, count, spot=spot)
        if short is None:
            return
        usage, limit, current, asked = short
        name = {CORES: "Total Regional Cores", LOW_PRIORITY: "LowPriorityCores"}.get(usage, f"{usage} Cores")
        raise ArmError(
            409,
            "OperationNotAllowed",
            f"Operation could not be completed as it results in exceeding approved {name} quota. Additional "
            f"details - Deployment Model: Resource Manager, Location: {location}, Current Limit: {limit}, "
            f"Current Usage: {current}, Additional Required: {asked}, (Minimum) New Limit Required: "
            f"{current + asked}. Submit a request for Quota increase at https://aka.ms/ProdportalCRP/ by "
            "specifying parameters listed in the 'Details' section for deployment to succeed.",
        )
