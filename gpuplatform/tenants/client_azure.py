"""What Azure says about a cluster's GPU pools and network, and the group's right to reach the cluster."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid5

from gpuplatform.azure.errors import azure_errors
from gpuplatform.errors import Conflict, DeadlineExceeded, PlatformError
from gpuplatform.gpu.catalog import Catalog
from gpuplatform.tenants.pools import TenantPool

if TYPE_CHECKING:
    from gpuplatform.azure.clients import AzureClients

__all__ = ["CLUSTER_USER", "ensure_cluster_user", "has_network_engine", "read_pools"]

CLUSTER_USER = "4abbcc35-e782-43d8-92c5-2d3f1bd2253f"
"""Role "Azure Kubernetes Service Cluster User Role": fetching a kubeconfig, nothing in the cluster."""

_LONGEST_PAUSE = 15.0


def read_pools(
    clients: AzureClients, resource_group: str, cluster: str, catalog: Catalog
) -> tuple[tuple[TenantPool, ...], tuple[str, ...]]:
    """The pools of NVIDIA machines by name, and a sentence for each pool that could not be counted.

    Kueue and the quotas count `nvidia.com/gpu`; other vendors' GPUs are another resource.
    """
    pools, notes = [], []
    with azure_errors(f"listing the node pools of {cluster}"):
        for pool in clients.containers.agent_pools.list(resource_group, cluster):
            name, size = str(pool.name), str(pool.vm_size or "")
            sku, family = catalog.sku(size), catalog.family_of_sku(size)
            if sku is None or family is None:
                if catalog.may_be_gpu_sku(size):
                    notes.append(f"node pool {name} is not counted: its size {size} is not in the catalogue")
                continue
            if family.vendor != "nvidia":
                notes.append(f"node pool {name} is not counted: its GPUs are {family.vendor}'s")
                continue
            most = pool.max_count if pool.enable_auto_scaling else pool.count
            pools.append(
                TenantPool(
                    name=name,
                    sku=sku.name,
                    model=family.model,
                    gpus_per_node=sku.devices,
                    vcpus=sku.vcpus,
                    memory_gib=sku.memory_gib,
                    max_nodes=int(most or 0),
                    spot=str(getattr(pool.scale_set_priority, "value", pool.scale_set_priority)) == "Spot",
                    taints=tuple(pool.node_taints or ()),
                )
            )
    return tuple(sorted(pools, key=lambda pool: pool.name)), tuple(notes)


def has_network_engine(clients: AzureClients, resource_group: str, cluster: str) -> bool:
    """Whether the cluster enforces NetworkPolicies; one without an engine accepts them and does nothing."""
    with azure_errors(f"reading the cluster {cluster}"):
        profile: Any = clients.containers.managed_clusters.get(resource_group, cluster).network_profile
    engine = getattr(profile, "network_policy", None)
    return str(getattr(engine, "value", engine) or "none").lower() != "none"


def ensure_cluster_user(
    clients: AzureClients, cluster_id: str, group: str, timeout: float, report: Callable[[str], None]
) -> bool:
    """Let the group fetch a kubeconfig of the cluster; False where it could already.

    A group that is minutes old can be unknown to ARM; that is waited for up to `timeout` seconds.

    Raises:
        DeadlineExceeded: Azure does not know the group.
        Refused: we may not assign roles on the cluster.
    """
    roles = clients.authorization.role_assignments
    with azure_errors("listing the group's role assignments on the cluster"):
        for item in roles.list_for_scope(cluster_id, filter=f"principalId eq '{group}'"):
            at = str(item.scope).lower().rstrip("/")
            covers = cluster_id.lower() == at or cluster_id.lower().startswith(f"{at}/")
            if covers and str(item.role_definition_id).lower().endswith(CLUSTER_USER):
                return False
    name = str(uuid5(NAMESPACE_URL, f"{cluster_id.lower()}|{group.lower()}|{CLUSTER_USER}"))
    definition = (
        f"/subscriptions/{clients.subscription_id}/providers/Microsoft.Authorization"
        f"/roleDefinitions/{CLUSTER_USER}"
    )
    body: Any = {
        "properties": {"roleDefinitionId": definition, "principalId": group, "principalType": "Group"}
    }
    deadline, pause, told = time.monotonic() + timeout, 1.0, False
    while True:
        try:
            with azure_errors(f"letting the group {group} reach the cluster"):
                roles.create(cluster_id, name, body)
                return True
        except Conflict as error:
            if "RoleAssignmentExists" in str(error):
                return False
            raise
        except PlatformError as error:
            if "PrincipalNotFound" not in str(error):
                raise
            if time.monotonic() + pause > deadline:
                raise DeadlineExceeded(
                    f"Azure does not know the group {group} after {timeout:g} s: check group_object_id"
                ) from error
        if not told:
            report(f"waiting until Azure knows the group {group}")
            told = True
        time.sleep(pause)
        pause = min(pause * 1.5, _LONGEST_PAUSE)
