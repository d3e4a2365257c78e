"""ResourceQuota: fills the status with what is used."""

from __future__ import annotations

from sandbox.kubernetes import quantities
from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.controllers.base import find_resource, write_status
from sandbox.kubernetes.jsontypes import Object
from sandbox.kubernetes.store import Change
from sandbox.kubernetes.usage import counts_for, matches_scopes, tracked_keys, usage_of

__all__ = ["measure", "reconcile"]

_MANAGER = "kube-controller-manager"


def reconcile(cluster: Cluster, change: Change) -> None:
    obj = change.after or change.before
    namespace = obj["metadata"].get("namespace", "") if obj else ""
    if not namespace:
        return
    if change.key == "/resourcequotas" and change.after is not None and _wanted_changed(change):
        names = [change.after["metadata"]["name"]]
    else:
        names = []
    for quota in cluster.items("", "resourcequotas", namespace):
        hard = quota["spec"].get("hard") or {}
        if quota["metadata"]["name"] in names or any(counts_for(change.key, key) for key in hard):
            _fill(cluster, quota)


def _wanted_changed(change: Change) -> bool:
    """A status that somebody wrote stays until something that counts changes."""
    return change.before is None or change.after is None or change.before["spec"] != change.after["spec"]


def _fill(cluster: Cluster, quota: Object) -> None:
    if quota["metadata"].get("deletionTimestamp"):
        return
    status: Object = {}
    hard = quota["spec"].get("hard") or {}
    if hard:
        status["hard"] = dict(hard)
    if used := measure(cluster, quota):
        status["used"] = used
    write_status(cluster, "/resourcequotas", quota, status, _MANAGER)


def measure(cluster: Cluster, quota: Object) -> Object:
    """What is used now of every key that this quota tracks."""
    namespace = quota["metadata"]["namespace"]
    served = {r.qualified for r in cluster.catalog.stored() if r.namespaced}
    keys = tracked_keys(quota["spec"].get("hard") or {}, served=served)
    used = dict.fromkeys(keys, "0")
    for store_key in list(cluster.store.keys()):
        wanted = [key for key in keys if counts_for(store_key, key)]
        if not wanted or not find_resource(cluster, store_key).namespaced:
            continue
        for obj in cluster.store.items(store_key, namespace):
            if not matches_scopes(quota, store_key, obj):
                continue
            amounts = usage_of(store_key, obj)
            for key in wanted:
                if key in amounts:
                    used[key] = quantities.add(used[key], amounts[key])
    return used
