"""Which fields a fieldSelector may name for a kind, and their values."""

from __future__ import annotations

from sandbox.kubernetes.jsontypes import Object, at
from sandbox.kubernetes.resources import Resource

__all__ = ["field_value", "supported_fields"]

_COMMON = ("metadata.name", "metadata.namespace")
_FIELDS = {
    "/pods": (
        "spec.nodeName",
        "spec.restartPolicy",
        "spec.schedulerName",
        "spec.serviceAccountName",
        "spec.hostNetwork",
        "status.phase",
        "status.podIP",
        "status.podIPs",
        "status.nominatedNodeName",
    ),
    "/nodes": ("spec.unschedulable",),
    "/namespaces": ("status.phase", "name"),
    "/secrets": ("type",),
    "/services": ("spec.clusterIP", "spec.type"),
    "/events": (
        "involvedObject.kind",
        "involvedObject.namespace",
        "involvedObject.name",
        "involvedObject.uid",
        "involvedObject.apiVersion",
        "involvedObject.resourceVersion",
        "involvedObject.fieldPath",
        "reason",
        "reportingComponent",
        "source",
        "type",
    ),
    "/replicationcontrollers": ("status.replicas",),
    "apps/replicasets": ("status.replicas",),
    "batch/jobs": ("status.successful",),
}
_FALSE = {"spec.unschedulable": "false", "spec.hostNetwork": "false"}


def supported_fields(resource: Resource) -> tuple[str, ...]:
    return (*_COMMON, *_FIELDS.get(resource.key, ()))


def field_value(obj: Object, key: str) -> str:
    """The field as a text; a missing one is empty."""
    if key == "name":
        key = "metadata.name"
    if key == "source":
        return str(at(obj, "source", "component") or obj.get("reportingComponent") or "")
    value = at(obj, *key.split("."))
    if value is None:
        return _FALSE.get(key, "")
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
