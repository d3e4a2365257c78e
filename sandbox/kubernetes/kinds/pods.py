"""Pods and Nodes."""

from __future__ import annotations

from sandbox.kubernetes.field_errors import FieldError, forbidden_field, not_supported
from sandbox.kubernetes.jsontypes import Object, at, clone, now
from sandbox.kubernetes.kinds.pod_defaults import default_pod_spec, default_requests, qos_class
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


_MUTABLE_TEXT = (
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)


def _update(new: Object, old: Object) -> list[FieldError]:
    """What of a pod's spec may change: images, deadlines, added tolerations, fewer gates."""
    mine, theirs = clone(new["spec"]), old["spec"]
    for key in ("containers", "initContainers"):
        for container, before in zip(mine.get(key) or (), theirs.get(key) or (), strict=False):
            container["image"] = before.get("image")
    for key in ("activeDeadlineSeconds",):
        if key in theirs:
            mine[key] = theirs[key]
        else:
            mine.pop(key, None)
    before_tolerations = theirs.get("tolerations") or []
    if all(item in (mine.get("tolerations") or []) for item in before_tolerations):
        mine["tolerations"] = theirs.get("tolerations")
        if mine["tolerations"] is None:
            del mine["tolerations"]
    gates_before = [gate["name"] for gate in theirs.get("schedulingGates") or ()]
    gates_now = [gate["name"] for gate in mine.get("schedulingGates") or ()]
    out = []
    if gates_before and all(gate in gates_before for gate in gates_now):
        mine["schedulingGates"] = theirs["schedulingGates"]
        for key in ("nodeSelector", "affinity"):
            if at(theirs, key) is None and mine.get(key) is not None:
                mine.pop(key, None)
            elif key == "nodeSelector" and theirs.get(key):
                mine[key] = (
                    theirs[key]
                    if all(mine.get(key, {}).get(k) == v for k, v in theirs[key].items())
                    else mine.get(key)
                )
    if mine != theirs:
        out.append(forbidden_field("spec", _MUTABLE_TEXT))
    return out


POD = KindRules(
    default=_default, prepare=_prepare, validate=_validate, validate_update=_update, generation=True
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


NODE = KindRules(prepare=_node_prepare, validate=_node_validate)
