"""Pods and Nodes."""

from __future__ import annotations

from sandbox.kubernetes.field_errors import FieldError, forbidden_field, not_supported
from sandbox.kubernetes.jsontypes import Object, at, now
from sandbox.kubernetes.kinds.pod_defaults import default_pod_spec, default_requests, qos_class
from sandbox.kubernetes.kinds.pod_updates import qos_errors, update_errors
from sandbox.kubernetes.kinds.pod_validation import pod_spec_errors
from sandbox.kubernetes.kinds.rules import KindRules

__all__ = ["NODE", "POD"]


def _default(obj: Object) -> None:
    spec = obj["spec"]
    spec.setdefault("enableServiceLinks", True)
    default_pod_spec(spec)
    default_requests(spec)


def _prepare(new: Object, old: Object | None) -> None:
    if old is None:
        new["status"] = {"phase": "Pending", "qosClass": qos_class(new["spec"])}
        if new["spec"].get("schedulingGates"):
            new["status"]["conditions"] = [
                {
                    "type": "PodScheduled",
                    "status": "False",
                    "lastProbeTime": None,
                    "lastTransitionTime": now(),
                    "reason": "SchedulingGated",
                    "message": "Scheduling is blocked due to non-empty scheduling gates",
                }
            ]
    else:
        new["status"] = old.get("status", {})


def _validate(obj: Object) -> list[FieldError]:
    return pod_spec_errors(obj["spec"], "spec")


POD = KindRules(
    default=_default,
    prepare=_prepare,
    validate=_validate,
    validate_update=update_errors,
    validate_status_update=qos_errors,
    generation=True,
)


def _node_prepare(new: Object, old: Object | None) -> None:
    if old is not None:
        new["status"] = old.get("status", {})
        return
    not_ready = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
    ready = any(c["type"] == "Ready" and c["status"] == "True" for c in at(new, "status", "conditions") or ())
    taints = new["spec"].get("taints") or []
    if not ready and not_ready not in taints:
        new["spec"]["taints"] = [*taints, not_ready]


def _node_validate(obj: Object) -> list[FieldError]:
    effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"]
    return [
        not_supported(f"metadata.taints[{number}].effect", taint.get("effect", ""), effects)
        for number, taint in enumerate(obj["spec"].get("taints") or ())
        if taint.get("effect") not in effects
    ]


def _node_update(new: Object, old: Object) -> list[FieldError]:
    before = at(old, "spec", "providerID")
    if before and at(new, "spec", "providerID") != before:
        text = 'node updates may not change providerID except from "" to valid'
        return [forbidden_field("spec.providerID", text)]
    return []


NODE = KindRules(prepare=_node_prepare, validate=_node_validate, validate_update=_node_update)
