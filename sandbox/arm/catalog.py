"""VM sizes, quota families, GPU models and regions, from the package's data files."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["Catalog", "Family", "Location", "Size", "load_data", "normalize_location"]

_DATA = Path(__file__).resolve().parent.parent / "data"


@cache
def load_data(name: str) -> Any:
    """The parsed content of a file in `sandbox/data`; do not change what it returns."""
    return json.loads((_DATA / name).read_text(encoding="utf-8"))


def normalize_location(location: str) -> str:
    """`East US` and `eastus` are the same region to ARM; it answers with the latter."""
    return location.replace(" ", "").lower()


def normalize_family(name: str) -> str:
    """Usages, SKUs and error texts spell a family differently; this is what they have in common."""
    return name.replace(" ", "").replace("_", "").replace("-", "").lower()


@dataclass(frozen=True)
class Location:
    name: str
    display_name: str
    geography: str
    geography_group: str
    zones: tuple[str, ...]


@dataclass(frozen=True)
class Size:
    """A VM size. `gpus` is what is really in the machine (may be a fraction), `api_gpus` what the SKU
    API claims."""

    name: str
    family: str
    vcpus: int
    memory_gb: float
    api_gpus: float
    gpus: float
    gpu: str | None
    vendor: str | None

    @property
    def nvidia_gpus(self) -> int:
        """Devices that `nvidia-smi` lists: a slice of a GPU shows as one."""
        return -int(-self.gpus // 1) if self.vendor == "nvidia" else 0


@dataclass(frozen=True)
class Family:
    """A quota family: `name` as the SKU API spells it, `usage` as the usages API does."""

    name: str
    usage: str
    display: str
    limit: int
    is_gpu: bool
    sizes: tuple[Size, ...]

    @property
    def key(self) -> str:
        return normalize_family(self.name)


@dataclass(frozen=True)
class Catalog:
    locations: dict[str, Location]
    families: dict[str, Family]
    sizes: dict[str, Size]
    quota: dict[str, Any] = field(repr=False)

    @classmethod
    def load(cls) -> Catalog:
        quota = load_data("quota.json")
        families: dict[str, Family] = {}
        sizes: dict[str, Size] = {}
        limits = {normalize_family(name): limit for name, limit in quota["gpuFamilyLimits"].items()}
        for file, is_gpu in (("gpu_families.json", True), ("cpu_families.json", False)):
            for row in load_data(file)["families"]:
                members = tuple(_size(row, size) for size in row["sizes"])
                key = normalize_family(row["family"])
                limit = limits.get(key, 0) if is_gpu else quota["cpuFamilyLimit"]
                families[key] = Family(row["family"], row["usage"], row["display"], limit, is_gpu, members)
                sizes.update({size.name.lower(): size for size in members})
        locations = {
            row["name"]: Location(
                row["name"],
                row["displayName"],
                row["geography"],
                row["geographyGroup"],
                tuple(row["zones"]),
            )
            for row in load_data("locations.json")["locations"]
        }
        return cls(locations, families, sizes, quota)

    def size(self, name: str) -> Size | None:
        return self.sizes.get(name.lower())

    def offered(self, size: Size, location: str) -> bool:
        """Whether the region has this size at all (restrictions of the subscription are another matter)."""
        return location in self.locations and location not in self.quota["notOffered"].get(size.family, ())

    def restriction(self, size: Size, location: str) -> dict[str, Any] | None:
        """The `NotAvailableForSubscription` entry of a size in a region, in this package's own form."""
        for row in self.quota["restrictions"]:
            if row["size"] == size.name and row["location"] == location:
                return dict(row)
        return None

    def default_limit(self, family: Family, location: str) -> int:
        """vCPUs granted to a new subscription: GPU families only in a few regions."""
        if family.is_gpu and location not in self.quota["grantedRegions"]:
            return family.limit if family.name in self.quota["everywhere"] else 0
        return family.limit


def _size(family: dict[str, Any], row: dict[str, Any]) -> Size:
    return Size(
        name=row["name"],
        family=family["family"],
        vcpus=row["vcpus"],
        memory_gb=row["memoryGb"],
        api_gpus=row.get("apiGpus", 0),
        gpus=row.get("gpus", 0),
        gpu=family.get("gpu"),
        vendor=family.get("vendor"),
    )
