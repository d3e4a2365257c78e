"""The catalogue of Azure's GPU families and SKUs, with the lookups that cope with Azure's spellings."""

from __future__ import annotations

import json
import re
from enum import StrEnum
from fractions import Fraction
from functools import cached_property, lru_cache
from importlib.resources import files
from math import ceil

from pydantic import BaseModel, ConfigDict, field_validator

__all__ = ["Catalog", "Driver", "GpuFamily", "GpuSku", "catalog", "normalize_family", "normalize_sku"]


class Driver(StrEnum):
    """What kind of driver a family needs."""

    CUDA = "cuda"
    GRID = "grid"
    AMD = "amd"
    UNKNOWN = "unknown"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class GpuSku(_Frozen):
    """One VM size."""

    name: str
    vcpus: int
    gpus: Fraction
    """Physical GPUs of one machine; a fraction where it gets a slice of one."""
    memory_gib: int
    """Main memory of the machine, in GiB."""

    @property
    def devices(self) -> int:
        """GPUs that software on the machine sees: a slice of a GPU is one device."""
        return ceil(self.gpus)


class GpuFamily(_Frozen):
    """One quota family: the sizes that share a vCPU limit, all with the same GPU."""

    key: str
    quota_names: tuple[str, ...]
    display: str
    model: str
    vendor: str
    gpu_memory_gib: int | None
    smi_words: tuple[str, ...]
    """Words that nvidia-smi's product name contains for this GPU."""
    driver: Driver
    extension: bool
    """Whether the NVIDIA driver extension is meant for it; ND, H100 and later use images with a driver."""
    reservable: bool
    """Whether on-demand capacity reservations support it."""
    retired: bool
    skus: tuple[GpuSku, ...]

    def is_model(self, product: str) -> bool:
        """Whether this product name of nvidia-smi is the family's GPU: `A10` does not match an A100."""
        words = set(re.split(r"[^a-z0-9]+", product.lower()))
        return all(word.lower() in words for word in self.smi_words)


class _NotGpu(_Frozen):
    key: str
    quota_names: tuple[str, ...]
    reason: str


class Catalog(_Frozen):
    """All families; look up by any spelling of a quota name or of a SKU."""

    about: str
    families: tuple[GpuFamily, ...]
    not_gpu: tuple[_NotGpu, ...]

    @field_validator("families")
    @classmethod
    def _distinct(cls, families: tuple[GpuFamily, ...]) -> tuple[GpuFamily, ...]:
        seen: dict[str, str] = {}
        for family in families:
            for name in family.quota_names:
                if seen.setdefault(normalize_family(name), family.key) != family.key:
                    raise ValueError(f"{name} belongs to two families")
        return families

    @cached_property
    def _by_quota_name(self) -> dict[str, GpuFamily]:
        return {normalize_family(name): family for family in self.families for name in family.quota_names}

    @cached_property
    def _by_sku(self) -> dict[str, tuple[GpuFamily, GpuSku]]:
        return {normalize_sku(sku.name): (family, sku) for family in self.families for sku in family.skus}

    @cached_property
    def _excluded(self) -> frozenset[str]:
        return frozenset(normalize_family(name) for entry in self.not_gpu for name in entry.quota_names)

    def family(self, quota_name: str) -> GpuFamily | None:
        """The family of a quota's `name.value` or of a SKU's `family`, in any spelling."""
        return self._by_quota_name.get(normalize_family(quota_name))

    def sku(self, name: str) -> GpuSku | None:
        """The GPU size of this name, in any case, with or without `Standard_`; None: no known GPU size."""
        found = self._by_sku.get(normalize_sku(name))
        return found[1] if found else None

    def family_of_sku(self, name: str) -> GpuFamily | None:
        """The family that a GPU size belongs to."""
        found = self._by_sku.get(normalize_sku(name))
        return found[0] if found else None

    def may_be_gpu_family(self, quota_name: str) -> bool:
        """Whether an unlisted quota name is one of the N-series, so probably a GPU that is new to us."""
        name = normalize_family(quota_name)
        return name not in self._excluded and _N_SERIES_FAMILY.match(name) is not None

    def may_be_gpu_sku(self, name: str) -> bool:
        """Whether an unlisted size is of the N-series (NP, with FPGAs, is not)."""
        return _N_SERIES_SKU.match(normalize_sku(name)) is not None


_N_SERIES_FAMILY = re.compile(r"(?:standard|internal)n(?!p)[a-z].*family$")
_N_SERIES_SKU = re.compile(r"n(?!p)[a-z]+\d")


def normalize_family(name: str) -> str:
    """A quota name as it can be compared: Azure spells one family with other cases, spaces, `_` and `-`."""
    return re.sub(r"[\s_-]", "", name).lower()


def normalize_sku(name: str) -> str:
    """A SKU's name as it can be compared."""
    return name.strip().lower().removeprefix("standard_")


@lru_cache
def catalog() -> Catalog:
    """The catalogue of this package, read once."""
    return Catalog.model_validate(json.loads(files(__package__).joinpath("catalog.json").read_text("utf-8")))
