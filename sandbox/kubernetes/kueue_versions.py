"""Conversion of Kueue's objects between v1beta1 and v1beta2."""

from __future__ import annotations

from sandbox.kubernetes.jsontypes import Object

__all__ = ["to_v1beta1", "to_v1beta2"]

_V1, _V2 = "kueue.x-k8s.io/v1beta1", "kueue.x-k8s.io/v1beta2"
_COUNTS = {"admittedWorkloads": 0, "pendingWorkloads": 0, "reservingWorkloads": 0}
_TIME_V1, _TIME_V2 = "accumulatedPastExexcutionTimeSeconds", "accumulatedPastExecutionTimeSeconds"
"""The older version has the slip of the pen in its name."""
_BORROW = {"Borrow": "MayStopSearch", "Preempt": "MayStopSearch"}


def to_v1beta2(obj: Object) -> Object:
    out = {**obj, "apiVersion": _V2}
    if obj["kind"] == "ClusterQueue" and isinstance(obj.get("spec"), dict):
        spec = dict(obj["spec"])
        if "cohort" in spec:
            spec["cohortName"] = spec.pop("cohort")
        if checks := spec.pop("admissionChecks", None):
            spec["admissionChecksStrategy"] = {"admissionChecks": [{"name": name} for name in checks]}
        if fungibility := spec.get("flavorFungibility"):
            spec["flavorFungibility"] = {key: _BORROW.get(value, value) for key, value in fungibility.items()}
        out["spec"] = spec
        out["status"] = {**_COUNTS, **(obj.get("status") or {})}
    elif obj["kind"] == "Workload" and isinstance(obj.get("spec"), dict):
        spec = dict(obj["spec"])
        name, source = spec.pop("priorityClassName", ""), spec.pop("priorityClassSource", "")
        if name:
            group, kind = source.split("/") if "/" in source else ("kueue.x-k8s.io", "workloadpriorityclass")
            plain = {"priorityclass": "PriorityClass", "workloadpriorityclass": "WorkloadPriorityClass"}.get(
                kind, kind
            )
            spec["priorityClassRef"] = {"group": group, "kind": plain, "name": name}
        out["spec"] = spec
        _rename_time(out, _TIME_V1, _TIME_V2)
    elif obj["kind"] == "Cohort":
        out["status"] = obj.get("status") or {}
    return out


def _rename_time(obj: Object, old: str, new: str) -> None:
    status = obj.get("status")
    if isinstance(status, dict) and old in status:
        obj["status"] = {**{key: value for key, value in status.items() if key != old}, new: status[old]}


def to_v1beta1(obj: Object) -> Object:
    out = {**obj, "apiVersion": _V1}
    if obj["kind"] == "ClusterQueue" and isinstance(obj.get("spec"), dict):
        spec = dict(obj["spec"])
        if "cohortName" in spec:
            spec["cohort"] = spec.pop("cohortName")
        out["spec"] = spec
        out["status"] = {**_COUNTS, **(obj.get("status") or {})}
    elif obj["kind"] == "Workload" and isinstance(obj.get("spec"), dict):
        spec = dict(obj["spec"])
        ref = spec.pop("priorityClassRef", None)
        spec["priorityClassSource"] = ""
        if ref:
            spec["priorityClassName"] = ref["name"]
            spec["priorityClassSource"] = f"{ref['group']}/{ref['kind'].lower()}"
        out["spec"] = spec
        _rename_time(out, _TIME_V2, _TIME_V1)
    elif obj["kind"] == "Cohort":
        out["status"] = obj.get("status") or {}
    return out
