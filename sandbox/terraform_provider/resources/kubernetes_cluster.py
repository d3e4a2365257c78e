"""azurerm_kubernetes_cluster."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from sandbox.terraform_provider.mapping import Part, from_arm, to_arm
from sandbox.terraform_provider.planning import changed_fields
from sandbox.terraform_provider.resources import agent_pool
from sandbox.terraform_provider.resources.base import Change, Context, Resource, Values
from sandbox.terraform_provider.resources.kubeconfig import credential_values
from sandbox.terraform_provider.resources.kubernetes_cluster_parts import CLUSTER, DEFAULT_POOL, TEMPLATE

if TYPE_CHECKING:
    from collections.abc import Mapping

_POOL_READ_ONLY = ("currentOrchestratorVersion", "nodeImageVersion", "powerState", "provisioningState")


class KubernetesCluster(Resource):
    """A managed cluster with its default node pool."""

    type_name = "azurerm_kubernetes_cluster"
    title = "Kubernetes Cluster"
    api_version = agent_pool.API_VERSION
    parts = (*CLUSTER, DEFAULT_POOL)

    def resource_id(self, values: Values, context: Context) -> str:
        group = f"{context.subscription}/resourceGroups/{values['resource_group_name']}"
        return f"{group}/providers/Microsoft.ContainerService/managedClusters/{values['name']}"

    def template(self, values: Values) -> dict[str, Any]:  # noqa: ARG002  # the contract
        return copy.deepcopy(TEMPLATE)

    def check(self, planned: Values, prior: Values | None) -> None:  # noqa: ARG002  # the contract
        for pool in planned["default_node_pool"]:
            agent_pool.check_scaling(pool)

    def put_new(self, resource_id: str, planned: Values, context: Context, until: float) -> None:
        body = to_arm(CLUSTER, planned, self.template(planned))
        pool = planned["default_node_pool"][0]
        start = {"name": pool["name"], "mode": "System", "osType": "Linux"}
        body["properties"]["agentPoolProfiles"] = [_pool_body(DEFAULT_POOL.parts, pool, start)]
        context.arm.put(resource_id, self.api_version, body, until)

    def put_changes(self, change: Change, context: Context) -> None:
        body = context.arm.get(change.resource_id, self.api_version)
        own = [part for part in change.parts if part is not DEFAULT_POOL]
        if own:
            sent = to_arm(own, change.planned, copy.deepcopy(body))
            sent["identity"] = {k: v for k, v in sent["identity"].items() if not k.endswith("Id")}
            context.arm.put(change.resource_id, self.api_version, sent, change.until)
        if DEFAULT_POOL in change.parts:
            name = change.prior["default_node_pool"][0]["name"]
            self._change_pool(change, _profile(body, name), context)

    def _change_pool(self, change: Change, profile: dict[str, Any], context: Context) -> None:
        pool, before = change.planned["default_node_pool"][0], change.prior["default_node_pool"][0]
        changed = [p for p in changed_fields(DEFAULT_POOL.parts, pool, before) if p.path]
        if not changed:
            return  # only the temporary name, which Azure does not know
        temporary = pool.get("temporary_name_for_rotation")
        rotates = agent_pool.rotated(changed, temporary)
        kept = {k: v for k, v in profile.items() if k not in (*_POOL_READ_ONLY, "name")}
        body = {"name": pool["name"], "properties": _pool_body(changed, pool, kept)}
        pools = f"{change.resource_id}/agentPools"
        if rotates:
            agent_pool.rotate(pools, str(temporary), body, context.arm, change.until)
        else:
            context.arm.put(f"{pools}/{pool['name']}", self.api_version, body, change.until)

    def values_of(self, resource_id: str, body: Mapping[str, Any], prior: Values, context: Context) -> Values:
        values = super().values_of(resource_id, body, prior, context)
        pools = prior.get("default_node_pool") or [{}]
        imported = prior.get("name") is None
        profile = _profile(body, pools[0].get("name"))
        values["default_node_pool"] = [from_arm(DEFAULT_POOL.parts, profile, None if imported else pools[0])]
        group = values.get("node_resource_group")
        values["node_resource_group_id"] = f"{context.subscription}/resourceGroups/{group}" if group else None
        # Without Entra ID the user's kubeconfig is the administrator's already.
        entra = bool(values["azure_active_directory_role_based_access_control"])
        admin = entra and not values["local_account_disabled"]
        values.update(credential_values(resource_id, admin, context))
        return values


def _pool_body(parts: tuple[Part, ...] | list[Part], pool: Values, start: dict[str, Any]) -> dict[str, Any]:
    body = to_arm(parts, pool, start)
    agent_pool.clamp_count(body)
    return body


def _profile(body: Mapping[str, Any], name: str | None) -> dict[str, Any]:
    """The default pool among the cluster's: the one of that name, else the first system pool."""
    profiles: list[dict[str, Any]] = body["properties"].get("agentPoolProfiles") or []
    named = [p for p in profiles if p["name"] == name]
    system = [p for p in profiles if p.get("mode") == "System"]
    return next(iter(named or system or profiles), {})
