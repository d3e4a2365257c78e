"""ClusterRoles with an aggregationRule get the rules of the roles it selects."""

from __future__ import annotations

from sandbox.kubernetes import managed
from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.controllers.base import find_resource
from sandbox.kubernetes.jsontypes import Object
from sandbox.kubernetes.selectors import matches_label_selector
from sandbox.kubernetes.store import Change
from sandbox.kubernetes.writing import store_change

__all__ = ["reconcile"]

_KEY = "rbac.authorization.k8s.io/clusterroles"


def reconcile(cluster: Cluster, change: Change) -> None:
    if change.key != _KEY:
        return
    roles = cluster.store.items(_KEY)
    for role in roles:
        if rule := role.get("aggregationRule"):
            rules = _collect(role, rule, roles)
            if rules != (role.get("rules") or []):
                _apply(cluster, role, rules)


def _apply(cluster: Cluster, role: Object, rules: list[Object]) -> None:
    """The controller uses server-side apply, so it owns `rules` as an applier."""
    resource = find_resource(cluster, _KEY)
    who = managed.Manager("clusterrole-aggregation-controller", "Apply", resource.api_version)
    config: Object = {
        "apiVersion": role["apiVersion"],
        "kind": role["kind"],
        "metadata": {"name": role["metadata"]["name"]},
    }
    if rules:
        config["rules"] = rules
    new = managed.apply(managed.Change(resource.node), role, config, who, force=True)
    new.setdefault("rules", None)
    store_change(cluster, resource, role, new)


def _collect(role: Object, rule: Object, roles: list[Object]) -> list[Object]:
    out: list[Object] = []
    for selector in rule.get("clusterRoleSelectors") or ():
        for other in roles:
            if other["metadata"]["name"] == role["metadata"]["name"]:
                continue
            if matches_label_selector(selector, other["metadata"].get("labels")):
                out += [item for item in other.get("rules") or () if item not in out]
    return out
