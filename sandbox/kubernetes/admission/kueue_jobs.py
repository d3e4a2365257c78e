"""Kueue's webhooks on Jobs, Deployments and pods: the queue's label, suspension and gates."""

from __future__ import annotations

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.errors import ApiError
from sandbox.kubernetes.field_errors import FieldError, invalid
from sandbox.kubernetes.jsontypes import Object, at
from sandbox.kubernetes.names import dns_subdomain_errors
from sandbox.kubernetes.request import Call
from sandbox.kubernetes.resources import Resource

__all__ = ["mutate_job", "validate_job"]

_QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
_PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"
_MANAGED = "kueue.x-k8s.io/managed"
_GATE = "kueue.x-k8s.io/admission"
_PARENT = "kueue.x-k8s.io/pod-suspending-parent"
_LABEL_PATH = f"metadata.labels[{_QUEUE_LABEL}]"
_UNTOUCHED = ("kube-system", "kueue-system")
_WEBHOOKS = {"batch/jobs": "vjob.kb.io", "apps/deployments": "vdeployment.kb.io", "/pods": "vpod.kb.io"}


def queue_of(obj: Object) -> str:
    return str((obj["metadata"].get("labels") or {}).get(_QUEUE_LABEL, ""))


def mutate_job(cluster: Cluster, resource: Resource, new: Object, old: Object | None) -> None:
    """A Job with a queue is suspended, a pod gated, a Deployment marks its pods."""
    if resource.key not in _WEBHOOKS or new["metadata"].get("namespace") in _UNTOUCHED:
        return
    if resource.key == "apps/deployments":
        _default_queue(cluster, new)
        _mark_template(new)
    elif old is None and resource.key == "batch/jobs":
        _default_queue(cluster, new)
        if queue_of(new):
            new["spec"]["suspend"] = True
    elif old is None:
        _gate(cluster, new)


def _default_queue(cluster: Cluster, obj: Object) -> None:
    metadata = obj["metadata"]
    if queue_of(obj) or any(ref.get("controller") for ref in metadata.get("ownerReferences") or ()):
        return
    if cluster.get("kueue.x-k8s.io", "localqueues", metadata["namespace"], "default") is not None:
        metadata["labels"] = {**(metadata.get("labels") or {}), _QUEUE_LABEL: "default"}


def _mark_template(deployment: Object) -> None:
    queue = queue_of(deployment)
    if not queue:
        return
    metadata = deployment["spec"]["template"].setdefault("metadata", {})
    labels = {**(metadata.get("labels") or {}), _MANAGED: "true", _QUEUE_LABEL: queue}
    priority = (deployment["metadata"].get("labels") or {}).get(_PRIORITY_LABEL)
    if priority:
        labels[_PRIORITY_LABEL] = priority
    metadata["labels"] = labels
    metadata["annotations"] = {**(metadata.get("annotations") or {}), _PARENT: "deployment"}


def _gate(cluster: Cluster, pod: Object) -> None:
    metadata = pod["metadata"]
    if _PARENT not in (metadata.get("annotations") or {}):
        owner = next((r for r in metadata.get("ownerReferences") or () if r.get("controller")), None)
        if owner is not None and owner["kind"] in ("Job", "ReplicaSet", "StatefulSet"):
            # Kueue looks at what made the pod, not at the pod.
            return
        _default_queue(cluster, pod)
        if not queue_of(pod):
            return
    finalizers = metadata.setdefault("finalizers", [])
    if _MANAGED not in finalizers:
        finalizers.append(_MANAGED)
    metadata["labels"] = {**(metadata.get("labels") or {}), _MANAGED: "true"}
    gates = pod["spec"].setdefault("schedulingGates", [])
    if not any(gate["name"] == _GATE for gate in gates):
        gates.append({"name": _GATE})


def validate_job(resource: Resource, call: Call, new: Object, old: Object | None) -> None:
    """Raises ApiError (403) with the webhook's name."""
    webhook = _WEBHOOKS.get(resource.key)
    if webhook is None or call.target.subresource or new["metadata"].get("deletionTimestamp"):
        return
    queue = queue_of(new)
    errors: list[FieldError] = []
    if queue:
        errors += [invalid(_LABEL_PATH, queue, text) for text in dns_subdomain_errors(queue)]
    if old is not None and _queue_fixed(resource, new, old) and queue != queue_of(old):
        errors.append(invalid(_LABEL_PATH, queue, "field is immutable"))
    if errors:
        texts = [error.text for error in errors]
        joined = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
        raise ApiError(403, "Forbidden", f'admission webhook "{webhook}" denied the request: {joined}')


def _queue_fixed(resource: Resource, new: Object, old: Object) -> bool:
    """What runs keeps its queue; a Deployment may not lose its label either."""
    if resource.key == "batch/jobs":
        return not new["spec"].get("suspend")
    if resource.key == "apps/deployments":
        return bool(at(old, "status", "readyReplicas")) or (bool(queue_of(old)) and not queue_of(new))
    return not any(gate["name"] == _GATE for gate in new["spec"].get("schedulingGates") or ())
