"""Events as controllers and the scheduler record them."""

from __future__ import annotations

import re

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.controllers.base import add
from sandbox.kubernetes.jsontypes import Object, now, now_micro
from sandbox.kubernetes.resources import Resource

__all__ = ["record", "record_scheduling"]


def _reference(resource: Resource, obj: Object) -> Object:
    metadata = obj["metadata"]
    return {
        "kind": resource.kind,
        "namespace": metadata.get("namespace", ""),
        "name": metadata["name"],
        "uid": metadata["uid"],
        "apiVersion": resource.api_version,
        "resourceVersion": metadata["resourceVersion"],
    }


def _name(cluster: Cluster, obj: Object) -> str:
    return f"{obj['metadata']['name']}.{cluster.store.version:016x}"


def _known(cluster: Cluster, obj: Object, reason: str, message: str) -> bool:
    """The same event is not recorded twice."""
    wanted = (obj["metadata"]["uid"], reason, _without_names(message))
    return any(
        (
            (event.get("involvedObject") or {}).get("uid"),
            event.get("reason"),
            _without_names(event.get("message", "")),
        )
        == wanted
        for event in cluster.items("", "events", obj["metadata"]["namespace"])
    )


def _without_names(message: str) -> str:
    """The text without the quoted names, which differ at each try."""
    return re.sub(r'"[^"]*"', '""', message)


def record(
    cluster: Cluster, resource: Resource, obj: Object, *, kind: str, reason: str, message: str, component: str
) -> None:
    """A core/v1 event of a controller; `kind` is Normal or Warning."""
    if _known(cluster, obj, reason, message):
        return
    time = now()
    event = {
        "metadata": {"name": _name(cluster, obj), "namespace": obj["metadata"]["namespace"]},
        "involvedObject": _reference(resource, obj),
        "reason": reason,
        "message": message,
        "source": {"component": component},
        "firstTimestamp": time,
        "lastTimestamp": time,
        "count": 1,
        "type": kind,
        "eventTime": None,
        "reportingComponent": component,
        "reportingInstance": "",
    }
    add(cluster, "/events", event, "kube-controller-manager")


def record_scheduling(
    cluster: Cluster, pod: Object, *, kind: str, reason: str, message: str, action: str
) -> None:
    """An events.k8s.io event of the scheduler, kept under the core group's names."""
    if _known(cluster, pod, reason, message):
        return
    fields = (
        "action",
        "eventTime",
        "note",
        "reason",
        "regarding",
        "reportingController",
        "reportingInstance",
        "type",
    )
    event = {
        "metadata": {
            "name": _name(cluster, pod),
            "namespace": pod["metadata"]["namespace"],
            "managedFields": [
                {
                    "manager": "kube-scheduler",
                    "operation": "Update",
                    "apiVersion": "events.k8s.io/v1",
                    "time": now(),
                    "fieldsType": "FieldsV1",
                    "fieldsV1": {f"f:{field}": {} for field in fields},
                }
            ],
        },
        "involvedObject": _reference(cluster.resource("", "pods"), pod),
        "reason": reason,
        "message": message,
        "source": {},
        "firstTimestamp": None,
        "lastTimestamp": None,
        "type": kind,
        "eventTime": now_micro(),
        "action": action,
        "reportingComponent": "default-scheduler",
        "reportingInstance": "default-scheduler-0",
    }
    add(cluster, "/events", event, "kube-scheduler", tracked=False)
