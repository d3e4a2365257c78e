"""Updates that rebuild what they change: `update` in the plan, lost nodes in the cluster."""

from __future__ import annotations

from gpuplatform.terraform.plan import Action, ResourceChange

__all__ = ["POOL_ROTATION", "disruptive_attributes"]

POOL_ROTATION = frozenset(
    {
        "fips_enabled",
        "host_encryption_enabled",
        "kubelet_config",
        "kubelet_disk_type",
        "linux_os_config",
        "max_pods",
        "node_public_ip_enabled",
        "os_disk_size_gb",
        "os_disk_type",
        "pod_subnet_id",
        "snapshot_id",
        "ultra_ssd_enabled",
        "vm_size",
        "vnet_subnet_id",
        "zones",
    }
)
"""Attributes of a node pool whose change makes azurerm 5.x rotate the pool: a temporary pool, the old one
deleted, a new one made. Nodes are neither cordoned nor drained, and twice the quota is needed meanwhile.
"""


def disruptive_attributes(change: ResourceChange) -> tuple[str, ...]:
    """The attributes for which an in-place update rebuilds nodes; empty for any other change."""
    if change.action is not Action.UPDATE:
        return ()
    if change.type == "azurerm_kubernetes_cluster_node_pool":
        return tuple(name for name in change.changed_attributes if name in POOL_ROTATION)
    if change.type == "azurerm_kubernetes_cluster":
        before, after = _default_pool(change.before), _default_pool(change.after)
        return tuple(
            f"default_node_pool.{name}"
            for name in sorted(POOL_ROTATION)
            if before.get(name) != after.get(name)
        )
    return ()


def _default_pool(values: object) -> dict[str, object]:
    pool = values.get("default_node_pool") if isinstance(values, dict) else None
    first = pool[0] if isinstance(pool, list) and pool else pool
    return first if isinstance(first, dict) else {}
