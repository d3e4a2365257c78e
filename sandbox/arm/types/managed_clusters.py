"""AKS clusters: API server name, node resource group, pools, credentials."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from sandbox.arm import crud, schema
from sandbox.arm.errors import ArmError, operation_in_progress
from sandbox.arm.fill import fill_identity, hexes, keep
from sandbox.arm.messages import Reply
from sandbox.arm.operations import set_state
from sandbox.arm.polling import operation_headers
from sandbox.arm.resource import Action, Call, Change, ResourceType
from sandbox.arm.types import cluster_credentials
from sandbox.arm.types.cluster_defaults import fill_profiles
from sandbox.arm.types.cluster_nodes import POOL, sync_nodes
from sandbox.arm.types.kubernetes_versions import resolve

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandbox.arm.context import Context
    from sandbox.arm.operations import Operation
    from sandbox.arm.store import Resource

CLUSTER = "Microsoft.ContainerService/managedClusters"
_GROUP = "Microsoft.Resources/resourceGroups"


def start_cluster(ctx: Context, cluster: Resource) -> None:
    """Have the API server of a cluster run, with its nodes; does nothing twice."""
    properties = cluster["properties"]
    if properties.get("provisioningState") in {"Creating", "Deleting"}:
        return
    ctx.clusters.create(properties["fqdn"], kubernetes_version=properties["currentKubernetesVersion"])
    sync_nodes(ctx, cluster)


class ManagedClusters(ResourceType):
    name = CLUSTER
    error_code = "InvalidParameter"
    system_data = True
    creating = (("Creating", 0.7),)
    updating = (("Updating", 0.4),)
    deleting = (("Deleting", 0.4),)

    def prepare(self, ctx: Context, change: Change) -> None:
        if ctx.operations.in_progress(change.id):
            raise operation_in_progress(f"managed cluster '{change.name}'")
        properties, location = change.properties, change.body["location"]
        wanted = properties.get("kubernetesVersion") or change.old_properties.get("kubernetesVersion", "")
        version = resolve(wanted, f"Managed cluster {change.name}")
        properties["kubernetesVersion"] = wanted or version
        properties["currentKubernetesVersion"] = version
        pools = properties.get("agentPoolProfiles") or []
        if change.old is None and not pools:
            raise ArmError(
                400,
                "InvalidParameter",
                "Required parameter agentPoolProfiles is missing (null).",
                target="agentPoolProfiles",
            )
        if change.old is None and not any(pool.get("mode", "System") == "System" for pool in pools):
            raise ArmError(400, "InvalidParameter", "There has to be at least one system agent pool.")
        self._name(ctx, change, location)
        fill_identity(ctx, change)
        fill_profiles(ctx, change)
        change.body.setdefault("sku", {"name": "Base", "tier": "Free"})
        change.body.setdefault("kind", "Base")
        self._check_pools(ctx, change)

    def _name(self, ctx: Context, change: Change, location: str) -> None:
        properties, group = change.properties, change.id.split("/")[4]
        keep(change, "fqdn", "azurePortalFQDN", "resourceUID", "nodeResourceGroup", "dnsPrefix")
        prefix = properties.setdefault("dnsPrefix", change.name)
        tag = hexes(8, change.id)
        properties["fqdn"] = f"{prefix}-{tag}.hcp.{location}.azmk8s.io".lower()
        properties["azurePortalFQDN"] = f"{prefix}-{tag}.portal.hcp.{location}.azmk8s.io".lower()
        properties["resourceUID"] = hexes(24, change.id, "uid")
        if not properties.get("nodeResourceGroup"):
            properties["nodeResourceGroup"] = f"MC_{group}_{change.name}_{location}"[:80]
        node_group = ctx.store.get(_node_group_id(change.id, properties))
        if change.old is None and node_group is not None:
            raise ArmError(
                409,
                "ResourceGroupAlreadyExists",
                f"The node resource group '{properties['nodeResourceGroup']}' exists already.",
            )

    def _check_pools(self, ctx: Context, change: Change) -> None:
        """Let each pool be checked before anything is stored, all against the quota together."""
        given = change.properties.get("agentPoolProfiles") or []
        properties = {key: value for key, value in change.properties.items() if key != "agentPoolProfiles"}
        named = {"id": change.id, "name": change.name, "type": CLUSTER}
        staged = {**change.body, **named, "properties": properties}
        before = [ctx.store.get(change.id), *ctx.store.children(change.id, "agentPools")]
        ctx.store.put(staged)
        try:
            for pool in given:
                profile = {key: value for key, value in pool.items() if key != "name"}
                crud.store_child(ctx, POOL, change, str(pool.get("name", "")), {"properties": profile})
        except ArmError:
            for row in ctx.store.all(None, change.id):
                ctx.store.remove(row["id"])
            for known in before:
                if known is not None:
                    ctx.store.put(known)
            raise

    def stored(self, ctx: Context, change: Change) -> None:
        """The pools are resources of their own by now; the node resource group comes with the cluster."""
        change.properties.pop("agentPoolProfiles", None)
        ctx.store.put(change.body)
        if change.old is None:
            for pool in ctx.store.children(change.id, "agentPools"):
                set_state(pool, "Creating")
                ctx.store.put(pool)
        group_id = _node_group_id(change.id, change.properties)
        if group_id not in ctx.store:
            group = {
                "id": group_id,
                "name": change.properties["nodeResourceGroup"],
                "type": _GROUP,
                "location": change.body["location"],
                "managedBy": change.id,
                "tags": {"aks-managed-cluster-name": change.name},
            }
            set_state(group, "Succeeded")
            ctx.store.put(group)

    async def provisioned(self, ctx: Context, resource: Resource) -> None:
        for pool in ctx.store.children(resource["id"], "agentPools"):
            set_state(pool, "Succeeded")
            ctx.store.put(pool)
        table = ctx.state.table("arm.clusterTokens")
        table.setdefault(resource["properties"]["fqdn"], secrets.token_hex(32))
        start_cluster(
            ctx, {**resource, "properties": {**resource["properties"], "provisioningState": "Succeeded"}}
        )

    async def removed(self, ctx: Context, resource: Resource) -> None:
        ctx.clusters.delete(resource["properties"]["fqdn"])
        ctx.state.table("arm.clusterTokens").pop(resource["properties"]["fqdn"], None)
        await crud.remove_tree(ctx, _node_group_id(resource["id"], resource["properties"]))

    def view(self, ctx: Context, resource: Resource, *, expand: str, listing: bool) -> Resource:  # noqa: ARG002  # the base's signature
        pools = ctx.store.children(resource["id"], "agentPools")
        profiles = [{"name": pool["name"], **pool["properties"]} for pool in pools]
        return {**resource, "properties": {**resource["properties"], "agentPoolProfiles": profiles}}

    def posts(self) -> Mapping[str, Action]:
        return {
            "listclusterusercredential": cluster_credentials.list_user,
            "listclusteradmincredential": cluster_credentials.list_admin,
            "start": self._power,
            "stop": self._power,
        }

    async def _power(self, ctx: Context, call: Call) -> Reply:
        cluster, verb = call.resource, (call.target.tail or "").lower()
        if ctx.operations.in_progress(cluster["id"]):
            raise operation_in_progress(f"managed cluster '{cluster['name']}'")
        operation = await ctx.operations.start(
            f"action:{verb}", cluster["id"], cluster["location"], ((f"{verb}ing", 0.3),)
        )
        return Reply(202, None, operation_headers(operation, call.request.api_version, location=True))

    async def finish_action(self, ctx: Context, operation: Operation) -> dict[str, Any] | None:
        cluster = ctx.store.get(operation["resourceId"])
        if cluster is not None:
            stopped = operation["kind"] == "action:stop"
            cluster["properties"]["powerState"] = {"code": "Stopped" if stopped else "Running"}
            ctx.store.put(cluster)
            sync_nodes(ctx, cluster)
        return None


class MaintenanceConfigurations(ResourceType):
    """None can be made here; clients that ask get the 404 they are used to."""

    name = f"{CLUSTER}/maintenanceConfigurations"
    methods = frozenset({"GET", "LIST"})
    located = False

    def api_versions(self) -> tuple[str, ...]:
        return schema.api_versions(CLUSTER)


def _node_group_id(cluster_id: str, properties: dict[str, Any]) -> str:
    subscription = cluster_id.split("/")[2]
    return f"/subscriptions/{subscription}/resourceGroups/{properties['nodeResourceGroup']}"


__all__ = ["CLUSTER", "MaintenanceConfigurations", "ManagedClusters", "start_cluster"]
