"""Agent pools: VM size, quota, autoscaling bounds, spot; their nodes appear in the cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.arm.errors import ArmError, operation_in_progress
from sandbox.arm.fill import keep
from sandbox.arm.ids import subscription_of
from sandbox.arm.resource import Change, ResourceType
from sandbox.arm.types.cluster_nodes import POOL, sync_nodes
from sandbox.arm.types.kubernetes_versions import resolve
from sandbox.arm.types.sizes import require_size

if TYPE_CHECKING:
    from sandbox.arm.context import Context
    from sandbox.arm.store import Resource

IMAGE = "AKSUbuntu-2204gen2containerd-202611.10.0"
SPOT_KEY = "kubernetes.azure.com/scalesetpriority"
_FIXED = ("vmSize", "osType", "availabilityZones", "osDiskType", "scaleSetPriority", "vnetSubnetID")


class AgentPools(ResourceType):
    name = POOL
    error_code = "InvalidParameter"
    methods = frozenset({"GET", "PUT", "DELETE", "LIST"})
    located = False
    creating = (("Creating", 0.4),)
    updating = (("Updating", 0.3),)
    deleting = (("Deleting", 0.3),)

    def prepare(self, ctx: Context, change: Change) -> None:
        cluster = _cluster(ctx, change.id)
        inline = change.request.path.lower() == cluster["id"].lower()
        if ctx.operations.in_progress(change.id) or (
            not inline and ctx.operations.in_progress(cluster["id"])
        ):
            raise operation_in_progress(f"agent pool '{change.name}' of cluster '{cluster['name']}'")
        properties = change.properties
        if not properties.get("vmSize") and change.old is None:
            raise ArmError(
                400, "InvalidParameter", "Required parameter vmSize is missing (null).", target="vmSize"
            )
        self._keep_fixed(change)
        self._fill(cluster, change)
        _bound(properties, change.name)
        _mark_spot(properties)
        self._check_subnet(ctx, properties)
        self._check_quota(ctx, cluster, change)

    def _keep_fixed(self, change: Change) -> None:
        """What cannot change after creation must be left out or be what it was."""
        for name in _FIXED:
            old, new = change.old_properties.get(name), change.properties.get(name)
            if change.old is None or not old:
                continue
            if new and new != old:
                raise ArmError(
                    400,
                    "PropertyChangeNotAllowed",
                    f"Changing property 'properties.{name}' is not allowed.",
                    target=f"properties.{name}",
                )
            change.properties[name] = old

    def _fill(self, cluster: Resource, change: Change) -> None:
        properties = change.properties
        keep(change, "nodeImageVersion")
        properties.setdefault("count", change.old_properties.get("count", properties.get("minCount", 1)))
        defaults: dict[str, Any] = {
            "type": "VirtualMachineScaleSets",
            "mode": "User",
            "osType": "Linux",
            "osSKU": "Ubuntu",
            "osDiskType": "Managed",
            "osDiskSizeGB": 128,
            "maxPods": 110,
            "enableAutoScaling": False,
            "nodeImageVersion": IMAGE,
        }
        for name, value in defaults.items():
            if properties.get(name) in (None, ""):
                properties[name] = value
        if not properties.get("kubeletDiskType"):
            properties["kubeletDiskType"] = "OS"
        wanted = properties.get("orchestratorVersion") or cluster["properties"]["currentKubernetesVersion"]
        version = resolve(wanted, f"Agent pool {change.name}")
        properties["orchestratorVersion"] = properties["currentOrchestratorVersion"] = version
        properties.setdefault("powerState", {"code": "Running"})

    def _check_subnet(self, ctx: Context, properties: dict[str, Any]) -> None:
        subnet = properties.get("vnetSubnetID")
        if subnet and subnet not in ctx.store:
            raise ArmError(
                400,
                "InvalidParameter",
                f"The subnet '{subnet}' referenced by the agent pool was not found.",
                target="vnetSubnetID",
            )

    def _check_quota(self, ctx: Context, cluster: Resource, change: Change) -> None:
        """AKS checks before it accepts, with an error of its own."""
        properties, location = change.properties, cluster["location"]
        zones = properties.get("availabilityZones") or []
        size = require_size(ctx, properties["vmSize"], location, zones, change.id)
        extra = properties["count"] - change.old_properties.get("count", 0)
        spot = properties.get("scaleSetPriority") == "Spot"
        short = ctx.quota.shortage(subscription_of(change.id), location, size, extra, spot=spot)
        if short is not None:
            usage, limit, used, asked = short
            raise ArmError(
                400,
                "ErrCode_InsufficientVCPUQuota",
                f"Insufficient vcpu quota requested {asked}, remaining {max(0, limit - used)} for family "
                f"{usage} for "
                f"region {location}. Surge nodes would also consume vcpu quota.",
            )

    async def provisioned(self, ctx: Context, resource: Resource) -> None:
        sync_nodes(ctx, _cluster(ctx, resource["id"]))

    def check_delete(self, ctx: Context, resource: Resource) -> None:
        cluster = _cluster(ctx, resource["id"])
        system = [
            pool["name"]
            for pool in ctx.store.children(cluster["id"], "agentPools")
            if pool["properties"]["mode"] == "System"
        ]
        if system == [resource["name"]]:
            raise ArmError(
                400,
                "OperationNotAllowed",
                f"There has to be at least one system agent pool: '{resource['name']}' is the last one.",
            )

    async def removed(self, ctx: Context, resource: Resource) -> None:
        cluster = ctx.store.get(resource["id"].rsplit("/", 2)[0])
        ctx.store.remove(resource["id"])
        if cluster is not None and not ctx.operations.in_progress(cluster["id"], "delete"):
            sync_nodes(ctx, cluster)


def _cluster(ctx: Context, pool_id: str) -> Resource:
    cluster = ctx.store.get(pool_id.rsplit("/", 2)[0])
    if cluster is None:
        raise ArmError(404, "NotFound", f"The cluster of agent pool '{pool_id}' could not be found.")
    return cluster


def _bound(properties: dict[str, Any], name: str) -> None:
    """Keep the count within the autoscaler's bounds, and the bounds in order."""
    if not properties["enableAutoScaling"]:
        properties.pop("minCount", None)
        properties.pop("maxCount", None)
        if properties["mode"] == "System" and properties["count"] < 1:
            raise ArmError(
                400, "InvalidParameter", f"System pool '{name}' needs at least one node.", target="count"
            )
        return
    low, high = properties.get("minCount"), properties.get("maxCount")
    if low is None or high is None or low > high or (properties["mode"] == "System" and low < 1):
        raise ArmError(
            400,
            "InvalidParameter",
            f"The autoscaler of agent pool '{name}' needs minCount <= maxCount (minCount at least 1 for a "
            "system "
            f"pool), not {low} and {high}.",
            target="minCount",
        )
    properties["count"] = min(max(properties["count"], low), high)


def _mark_spot(properties: dict[str, Any]) -> None:
    """AKS adds this label and taint to every spot pool."""
    if properties.get("scaleSetPriority") != "Spot":
        return
    properties.setdefault("scaleSetEvictionPolicy", "Delete")
    properties.setdefault("spotMaxPrice", -1)
    properties["nodeLabels"] = {SPOT_KEY: "spot", **(properties.get("nodeLabels") or {})}
    taint, taints = f"{SPOT_KEY}=spot:NoSchedule", list(properties.get("nodeTaints") or [])
    properties["nodeTaints"] = taints if taint in taints else [taint, *taints]
