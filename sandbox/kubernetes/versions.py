"""Kinds served in two versions: what is stored, and how the other version reads."""

from __future__ import annotations

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.jsontypes import Object
from sandbox.kubernetes.kueue_versions import to_v1beta1, to_v1beta2
from sandbox.kubernetes.resources import Resource

__all__ = ["from_storage", "to_storage"]


def to_storage(cluster: Cluster, resource: Resource, obj: Object) -> Object:
    """The object in the version its kind is stored in."""
    if resource.group == "kueue.x-k8s.io" and resource.version == "v1beta1":
        if "kueue" in cluster.features:
            return to_v1beta2(obj)
        return {**obj, "apiVersion": "kueue.x-k8s.io/v1beta2"}
    return obj


def from_storage(cluster: Cluster, resource: Resource, stored: Object) -> Object:
    """The stored object in the version of the request."""
    if stored["apiVersion"] == resource.api_version:
        return stored
    if resource.group == "kueue.x-k8s.io" and resource.version == "v1beta1" and "kueue" in cluster.features:
        return to_v1beta1(stored)
    if resource.group == "events.k8s.io" or stored["apiVersion"] == "events.k8s.io/v1":
        return _event(stored, resource)
    return {**stored, "apiVersion": resource.api_version}


_EVENT_NAMES = (
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("reportingComponent", "reportingController"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
)


def _event(stored: Object, resource: Resource) -> Object:
    """One event under the names of the core group or of events.k8s.io."""
    names = dict(_EVENT_NAMES) if resource.group else {new: old for old, new in _EVENT_NAMES}
    kept = {
        key: value
        for key, value in stored.items()
        if not (resource.group and value == "" and key != "eventTime")
    }
    return {names.get(key, key): value for key, value in kept.items()} | {"apiVersion": resource.api_version}
