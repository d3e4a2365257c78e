"""The GPU node pools that tenants share, as plain data."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

__all__ = ["SPOT_TAINT", "TenantPool", "capacity_gap"]

SPOT_TAINT = "kubernetes.azure.com/scalesetpriority=spot:NoSchedule"
"""What AKS puts on every node of a spot pool."""


class TenantPool(BaseModel):
    """A pool of NVIDIA machines and what it can grow to."""

    model_config = ConfigDict(frozen=True)

    name: str
    sku: str
    model: str
    """GPU model as the catalogue calls it."""
    gpus_per_node: int
    vcpus: int
    memory_gib: int
    max_nodes: int
    """Most nodes that the autoscaler may give it; the fixed number where it does not scale."""
    spot: bool = False
    taints: tuple[str, ...] = ()
    """`key=value:Effect` each."""

    @property
    def max_gpus(self) -> int:
        return self.max_nodes * self.gpus_per_node

    @property
    def all_taints(self) -> tuple[str, ...]:
        """The taints of its nodes, with the one that AKS adds to spot nodes."""
        added = (SPOT_TAINT,) if self.spot and SPOT_TAINT not in self.taints else ()
        return (*self.taints, *added)


def capacity_gap(gpus: int, model: str | None, pools: Iterable[TenantPool]) -> str | None:
    """A sentence where the pools can never give what is asked for; None where they can."""
    pools = tuple(pools)
    fitting = [pool for pool in pools if model is None or pool.model == model]
    what = "GPUs" if model is None else f"{model} GPUs"
    if gpus and not fitting:
        has = ", ".join(sorted({pool.model for pool in pools})) or "none"
        return f"no node pool has {what}: the cluster's GPU models: {has}"
    most = sum(pool.max_gpus for pool in fitting)
    if gpus > most:
        return f"the quota is {gpus} GPUs, the node pools grow to {most} {what} in all"
    return None
