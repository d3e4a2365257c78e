"""What the default node pool and the other node pools of a cluster share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.terraform_provider.errors import ProviderError
from sandbox.terraform_provider.mapping import Field, Nested, Part
from sandbox.terraform_provider.resource_id import same_id
from sandbox.terraform_provider.values import UNKNOWN

if TYPE_CHECKING:
    from sandbox.terraform_provider.arm import Arm
    from sandbox.terraform_provider.resources.base import Values

__all__ = ["API_VERSION", "SHARED", "check_scaling", "clamp_count", "rotate", "rotated", "upgrade_settings"]

API_VERSION = "2025-10-01"

_KUBELET = (
    ("allowed_unsafe_sysctls", "allowedUnsafeSysctls"),
    ("container_log_max_files", "containerLogMaxFiles"),
    ("container_log_max_size_mb", "containerLogMaxSizeMB"),
    ("cpu_cfs_quota_enabled", "cpuCfsQuota"),
    ("cpu_cfs_quota_period", "cpuCfsQuotaPeriod"),
    ("cpu_manager_policy", "cpuManagerPolicy"),
    ("image_gc_high_threshold", "imageGcHighThreshold"),
    ("image_gc_low_threshold", "imageGcLowThreshold"),
    ("pod_max_pid", "podMaxPids"),
    ("topology_manager_policy", "topologyManagerPolicy"),
)

# A change of one with `rotates` makes azurerm build a temporary pool, delete the old one, create it
# anew and delete the temporary one: an update in the plan, new machines in the cluster.
SHARED: tuple[Part, ...] = (
    Field("vm_size", "vmSize", rotates=True),
    Field("auto_scaling_enabled", "enableAutoScaling", empty=False),
    Field("min_count", "minCount"),
    Field("max_count", "maxCount"),
    Field("node_count", "count"),
    Field("max_pods", "maxPods", rotates=True),
    Field("node_labels", "nodeLabels", empty={}),
    Field("tags", "tags", empty={}),
    Field("orchestrator_version", "orchestratorVersion"),
    Field("os_disk_size_gb", "osDiskSizeGB", rotates=True),
    Field("os_disk_type", "osDiskType", default="Managed", rotates=True),
    Field("os_sku", "osSKU"),
    Field("kubelet_disk_type", "kubeletDiskType", empty="", rotates=True),
    Field("scale_down_mode", "scaleDownMode", default="Delete"),
    Field("vnet_subnet_id", "vnetSubnetID", rotates=True, equal=same_id),
    Field("pod_subnet_id", "podSubnetID", rotates=True, equal=same_id),
    Field("zones", "availabilityZones", read=sorted, rotates=True),
    Field("fips_enabled", "enableFIPS", empty=False, rotates=True),
    Field("host_encryption_enabled", "enableEncryptionAtHost", empty=False, rotates=True),
    Field("node_public_ip_enabled", "enableNodePublicIP", empty=False, rotates=True),
    Field("ultra_ssd_enabled", "enableUltraSSD", empty=False, rotates=True),
    Field("snapshot_id", "creationData.sourceResourceId", rotates=True),
    Field("capacity_reservation_group_id", "capacityReservationGroupID", force_new=True, equal=same_id),
    Field("proximity_placement_group_id", "proximityPlacementGroupID", force_new=True, equal=same_id),
    Field("gpu_driver", "gpuProfile.driver", force_new=True),
    Field("gpu_instance", "gpuInstanceProfile", force_new=True),
    Field("workload_runtime", "workloadRuntime"),
    Field("temporary_name_for_rotation"),
    Nested(
        "kubelet_config",
        "kubeletConfig",
        tuple(Field(name, path) for name, path in _KUBELET),
        rotates=True,
    ),
)


def upgrade_settings(*more: Part) -> Nested:
    """The block `upgrade_settings`, with `more` parts."""
    return Nested(
        "upgrade_settings",
        "upgradeSettings",
        (
            Field("max_surge", "maxSurge"),
            Field("drain_timeout_in_minutes", "drainTimeoutInMinutes", empty=0),
            Field("node_soak_duration_in_minutes", "nodeSoakDurationInMinutes", empty=0),
            Field("undrainable_node_behavior", "undrainableNodeBehavior"),
            *more,
        ),
    )


def check_scaling(pool: Values) -> None:
    """The rules azurerm checks by itself. Raises ProviderError in its words."""
    scaling = pool.get("auto_scaling_enabled")
    low, high = pool.get("min_count"), pool.get("max_count")
    if UNKNOWN in (scaling, low, high):
        return  # to be checked when they are known
    if not scaling:
        if low or high:
            raise ProviderError(
                "`max_count` and `min_count` must be set to `null` when `auto_scaling_enabled` is set to "
                "`false`"
            )
        return
    if high is None or low is None:
        raise ProviderError(
            "`max_count` and `min_count` must be configured when `auto_scaling_enabled` is set to `true`"
        )
    if low > high:
        raise ProviderError("`max_count` must be >= `min_count`")


def clamp_count(profile: dict[str, Any]) -> None:
    """Put the node count of an ARM agent pool between its bounds, or where nothing is said at the lowest."""
    if profile.get("enableAutoScaling"):
        low, high = profile.get("minCount", 0), profile.get("maxCount", 0)
        profile["count"] = min(max(profile.get("count", low), low), high)
    else:
        profile.pop("minCount", None)
        profile.pop("maxCount", None)
        profile.setdefault("count", 0)


def rotated(changed: list[Part], temporary_name: str | None) -> bool:
    """Whether the change recreates the pool. Raises ProviderError when no temporary name is given."""
    names = [part.name for part in changed if part.rotates]
    if names and not temporary_name:
        listed = " ".join(f'"{name}"' for name in names)
        raise ProviderError(
            f"`temporary_name_for_rotation` must be specified when updating any of the following properties "
            f"[{listed}]"
        )
    return bool(names)


def rotate(pools: str, temporary: str, body: dict[str, Any], arm: Arm, until: float) -> None:
    """Replace the pool that `body` names, below the id `pools`, by way of a temporary pool."""
    name = body["name"]
    arm.put(f"{pools}/{temporary}", API_VERSION, {**body, "name": temporary}, until)
    arm.delete(f"{pools}/{name}", API_VERSION, until)
    arm.put(f"{pools}/{name}", API_VERSION, body, until)
    arm.delete(f"{pools}/{temporary}", API_VERSION, until)
