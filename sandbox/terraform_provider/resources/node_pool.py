"""azurerm_kubernetes_cluster_node_pool."""

from __future__ import annotations

import dataclasses
from typing import Any

from sandbox.terraform_provider.errors import ProviderError
from sandbox.terraform_provider.mapping import Field, Part, to_arm
from sandbox.terraform_provider.resource_id import describe, name_of, parent_of, same_id
from sandbox.terraform_provider.resources import agent_pool
from sandbox.terraform_provider.resources.base import Change, Context, Resource, Values

_READ_ONLY = ("provisioningState", "powerState", "currentOrchestratorVersion", "nodeImageVersion")


def _below_properties(part: Part) -> Part:
    """`part` with its path below `properties`, where a pool of its own has them."""
    if not part.path:
        return part
    return dataclasses.replace(part, path=f"properties.{part.path}")


_POOL: tuple[Part, ...] = (
    *agent_pool.SHARED,
    Field("mode", "mode", default="User"),
    Field("node_taints", "nodeTaints"),
    Field("os_type", "osType", default="Linux", force_new=True),
    Field("priority", "scaleSetPriority", default="Regular", force_new=True),
    Field("eviction_policy", "scaleSetEvictionPolicy", force_new=True),
    Field("spot_max_price", "spotMaxPrice", default=-1, absent=-1, force_new=True),
    Field("node_image_version", "nodeImageVersion", read_only=True),
    agent_pool.upgrade_settings(Field("max_unavailable", "maxUnavailable")),
)


class KubernetesClusterNodePool(Resource):
    """A node pool besides the cluster's default one."""

    type_name = "azurerm_kubernetes_cluster_node_pool"
    title = "Agent Pool"
    api_version = agent_pool.API_VERSION
    parts = (
        Field("name", force_new=True),
        Field("kubernetes_cluster_id", force_new=True, equal=same_id),
        *(_below_properties(part) for part in _POOL),
    )

    def resource_id(self, values: Values, context: Context) -> str:  # noqa: ARG002  # the contract
        return f"{values['kubernetes_cluster_id']}/agentPools/{values['name']}"

    def lock_name(self, resource_id: str) -> str:
        return parent_of(resource_id)

    def identity(self, resource_id: str) -> Values:
        return {"name": name_of(resource_id), "kubernetes_cluster_id": parent_of(resource_id)}

    def template(self, values: Values) -> dict[str, Any]:
        return {"name": values["name"], "properties": {"type": "VirtualMachineScaleSets"}}

    def check(self, planned: Values, prior: Values | None) -> None:  # noqa: ARG002  # the contract
        agent_pool.check_scaling(planned)
        if planned.get("priority") == "Regular" and planned.get("eviction_policy"):
            raise ProviderError("`eviction_policy` can only be set when `priority` is set to `Spot`")

    def create(self, planned: Values, context: Context) -> Values:
        cluster = planned["kubernetes_cluster_id"]
        with self._saying(f"retrieving Kubernetes Cluster {describe(cluster)}"):
            context.arm.get(cluster, self.api_version)
        return super().create(planned, context)

    def put_new(self, resource_id: str, planned: Values, context: Context, until: float) -> None:
        body = self._body(to_arm(self.parts, planned, self.template(planned)))
        context.arm.put(resource_id, self.api_version, body, until)

    def put_changes(self, change: Change, context: Context) -> None:
        sent = [part for part in change.parts if part.path]
        if not sent:
            return  # only the temporary name, which Azure does not know
        temporary = change.planned.get("temporary_name_for_rotation")
        rotates = agent_pool.rotated(sent, temporary)
        body = context.arm.get(change.resource_id, self.api_version)
        body = self._body(to_arm(sent, change.planned, body))
        if rotates:
            fresh = {"name": body["name"], "properties": _writable(body["properties"])}
            pools = parent_of(change.resource_id) + "/agentPools"
            agent_pool.rotate(pools, str(temporary), fresh, context.arm, change.until)
        else:
            context.arm.put(change.resource_id, self.api_version, body, change.until)

    @staticmethod
    def _body(body: dict[str, Any]) -> dict[str, Any]:
        properties = body["properties"]
        agent_pool.clamp_count(properties)
        if properties.get("scaleSetPriority") != "Spot":
            properties.pop("spotMaxPrice", None)
        return body


def _writable(properties: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in properties.items() if name not in _READ_ONLY}
