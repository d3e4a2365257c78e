"""To which Kubernetes versions a cluster or a pool can be upgraded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.arm import schema
from sandbox.arm.errors import resource_not_found
from sandbox.arm.resource import ResourceType
from sandbox.arm.types.kubernetes_versions import newer

if TYPE_CHECKING:
    from sandbox.arm.context import Context
    from sandbox.arm.ids import Target
    from sandbox.arm.store import Resource

_CLUSTER = "Microsoft.ContainerService/managedClusters"


class _Profile(ResourceType):
    """Never stored: made from what it belongs to; the one there is, is called `default`."""

    methods = frozenset({"GET"})
    located = False

    def api_versions(self) -> tuple[str, ...]:
        return schema.api_versions(_CLUSTER)

    def absent(self, ctx: Context, target: Target) -> Resource:
        owner = ctx.store.get(target.resource_id.rsplit("/", 2)[0])
        if owner is None or target.names[-1].lower() != "default":
            raise resource_not_found(target.type_and_name, target.group)
        return {
            "id": f"{owner['id']}/upgradeProfiles/default",
            "name": "default",
            "type": self.name,
            "properties": self.properties(ctx, owner),
        }

    def properties(self, ctx: Context, owner: Resource) -> dict[str, Any]:
        raise NotImplementedError


class ClusterUpgradeProfiles(_Profile):
    name = f"{_CLUSTER}/upgradeProfiles"

    def properties(self, ctx: Context, owner: Resource) -> dict[str, Any]:
        version = owner["properties"]["currentKubernetesVersion"]
        pools = ctx.store.children(owner["id"], "agentPools")
        return {
            "controlPlaneProfile": {"name": "master", "osType": "Linux", **_upgrades(version)},
            "agentPoolProfiles": [{"name": pool["name"], **_pool(pool)} for pool in pools],
        }


class PoolUpgradeProfiles(_Profile):
    name = f"{_CLUSTER}/agentPools/upgradeProfiles"

    def properties(self, ctx: Context, owner: Resource) -> dict[str, Any]:  # noqa: ARG002  # the base's signature
        return _pool(owner)


def _pool(pool: Resource) -> dict[str, Any]:
    properties = pool["properties"]
    return {"osType": properties["osType"], **_upgrades(properties["currentOrchestratorVersion"])}


def _upgrades(version: str) -> dict[str, Any]:
    candidates = [{"kubernetesVersion": candidate} for candidate in newer(version)]
    return {"kubernetesVersion": version, "upgrades": candidates}
