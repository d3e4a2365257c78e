"""ResourceQuota: refuses what would go over, and counts what goes in."""

from __future__ import annotations

from sandbox.kubernetes import managed, quantities
from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.errors import forbidden
from sandbox.kubernetes.jsontypes import Object, at
from sandbox.kubernetes.request import Call
from sandbox.kubernetes.usage import counts_for, matches_scopes, usage_of

__all__ = ["check"]

_MUST = (
    "cpu",
    "memory",
    "requests.cpu",
    "requests.memory",
    "limits.cpu",
    "limits.memory",
    "ephemeral-storage",
    "requests.ephemeral-storage",
    "limits.ephemeral-storage",
)


def check(cluster: Cluster, call: Call, new: Object, old: Object | None) -> None:
    """Raises ApiError (403)."""
    resource = call.resource
    if resource is None or not resource.namespaced or call.target.subresource:
        return
    quotas = cluster.items("", "resourcequotas", new["metadata"]["namespace"])
    if not quotas:
        return
    usage = usage_of(resource, new)
    if old is not None:
        before = usage_of(resource, old)
        usage = {name: quantities.subtract(value, before.get(name, "0")) for name, value in usage.items()}
        usage = {name: value for name, value in usage.items() if quantities.parse(value) > 0}
        if not usage:
            return
    name = new["metadata"].get("name", "")
    charged: list[tuple[Object, list[str]]] = []
    for quota in quotas:
        hard = at(quota, "status", "hard") or {}
        relevant = [key for key in hard if counts_for(resource.key, key)]
        if not relevant or not matches_scopes(quota, resource.key, new):
            continue
        quota_name = quota["metadata"]["name"]
        if resource.key == "/pods" and old is None:
            _check_stated(quota_name, relevant, new)
        used = at(quota, "status", "used") or {}
        over = [
            key
            for key in relevant
            if key in usage and key in used and _exceeds(usage[key], used[key], hard[key])
        ]
        if not used:
            continue
        charged.append((quota, [key for key in relevant if key in usage and key in used]))
        if over:
            requested, before_use, limit = (_listing(over, values) for values in (usage, used, hard))
            text = (
                f"exceeded quota: {quota_name}, requested: {requested}, used: {before_use}, limited: {limit}"
            )
            raise forbidden(resource.group, resource.plural, name, text)
    if not call.dry_run:
        for quota, keys in charged:
            _charge(cluster, quota, {key: usage[key] for key in keys})


def _charge(cluster: Cluster, quota: Object, usage: Object) -> None:
    """Counts the new object at once, before the controller does."""
    used = {**quota["status"]["used"]}
    for key, value in usage.items():
        used[key] = quantities.add(used[key], value)
    if used != quota["status"]["used"]:
        resource = cluster.resource("", "resourcequotas")
        new = {**quota, "metadata": dict(quota["metadata"]), "status": {**quota["status"], "used": used}}
        who = managed.Manager("kube-apiserver", "Update", "v1", "status")
        managed.update(managed.Change(resource.node, ("f:spec",)), quota, new, who)
        cluster.store.put(resource, new)


def _exceeds(asked: str, used: str, hard: str) -> bool:
    return quantities.parse(asked) > 0 and quantities.parse(asked) + quantities.parse(
        used
    ) > quantities.parse(hard)


def _listing(keys: list[str], values: Object) -> str:
    return ",".join(f"{key}={values[key]}" for key in sorted(keys))


def _check_stated(quota_name: str, relevant: list[str], pod: Object) -> None:
    """cpu and memory keys make every container state them."""
    missing: dict[str, list[str]] = {}
    spec = pod["spec"]
    for container in [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]:
        resources = container.get("resources") or {}
        for key in relevant:
            if key in _MUST:
                field = "limits" if key.startswith("limits.") else "requests"
                if (resources.get(field) or {}).get(key.rpartition(".")[2]) is None:
                    missing.setdefault(container["name"], []).append(key)
    if missing:
        by_key: dict[str, list[str]] = {}
        for container_name, keys in missing.items():
            for key in keys:
                by_key.setdefault(key, []).append(container_name)
        listed = "; ".join(f"{key} for: {','.join(sorted(names))}" for key, names in sorted(by_key.items()))
        raise forbidden(
            "", "pods", pod["metadata"]["name"], f"failed quota: {quota_name}: must specify {listed}"
        )
