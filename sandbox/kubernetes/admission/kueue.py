"""Kueue's webhooks: finalizers and defaults on its own kinds, and what they refuse."""

from __future__ import annotations

from sandbox.kubernetes import quantities
from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.errors import ApiError
from sandbox.kubernetes.field_errors import FieldError, duplicate, invalid, not_supported
from sandbox.kubernetes.jsontypes import Object, at
from sandbox.kubernetes.kinds.labels import label_errors, selector_errors
from sandbox.kubernetes.names import qualified_name_errors
from sandbox.kubernetes.request import Call
from sandbox.kubernetes.resources import Resource

__all__ = ["mutate", "validate"]

_GROUP = "kueue.x-k8s.io"
_IN_USE = "kueue.x-k8s.io/resource-in-use"


def mutate(cluster: Cluster, resource: Resource, new: Object, old: Object | None) -> None:
    """New ClusterQueues and ResourceFlavors get the finalizer that keeps them while they are used."""
    del cluster
    if resource.group == _GROUP and resource.kind in ("ClusterQueue", "ResourceFlavor") and old is None:
        finalizers = new["metadata"].setdefault("finalizers", [])
        if _IN_USE not in finalizers:
            finalizers.append(_IN_USE)
        new.setdefault("spec", {})


def validate(resource: Resource, call: Call, new: Object) -> None:
    """Raises ApiError (403) with the webhook's name."""
    if resource.group != _GROUP or call.target.subresource or new["metadata"].get("deletionTimestamp"):
        return
    checks = {
        "ClusterQueue": ("vclusterqueue.kb.io", _cluster_queue),
        "Cohort": ("vcohort.kb.io", _cohort),
        "ResourceFlavor": ("vresourceflavor.kb.io", _flavor),
    }
    if resource.kind not in checks:
        return
    webhook, check = checks[resource.kind]
    if errors := check(new.get("spec") or {}):
        texts = list(dict.fromkeys(error.text for error in errors))
        joined = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
        raise ApiError(403, "Forbidden", f'admission webhook "{webhook}" denied the request: {joined}')


def _cluster_queue(spec: Object) -> list[FieldError]:
    cohort = spec.get("cohortName") or spec.get("cohort")
    out = _group_errors(spec, "" if cohort else "must be nil when cohort is empty")
    if isinstance(spec.get("namespaceSelector"), dict):
        out += selector_errors(spec["namespaceSelector"], "spec.namespaceSelector")
    flavors = [f["name"] for g in spec.get("resourceGroups") or () for f in g["flavors"]]
    for number, check in enumerate(at(spec, "admissionChecksStrategy", "admissionChecks") or ()):
        path = f"spec.admissionChecksStrategy.admissionChecks[{number}].onFlavors"
        out += [
            not_supported(f"{path}[{index}]", name, sorted(set(flavors)))
            for index, name in enumerate(check.get("onFlavors") or ())
            if name not in flavors
        ]
    return out + _sharing_errors(spec)


def _cohort(spec: Object) -> list[FieldError]:
    nothing = "" if spec.get("parentName") else "must be nil when parent is empty"
    return _sharing_errors(spec) + _group_errors(spec, nothing)


def _sharing_errors(spec: Object) -> list[FieldError]:
    weight = at(spec, "fairSharing", "weight")
    if weight is not None and quantities.parse(str(weight)) < 0:
        return [invalid("spec.fairSharing", str(weight), "must be greater than or equal to 0")]
    return []


def _group_errors(spec: Object, alone: str) -> list[FieldError]:
    """`alone` says why limits make no sense, where there is nobody to borrow from."""
    out: list[FieldError] = []
    resources: set[str] = set()
    flavors: set[str] = set()
    for number, group in enumerate(spec.get("resourceGroups") or ()):
        path = f"spec.resourceGroups[{number}]"
        covered = group["coveredResources"]
        for index, name in enumerate(covered):
            here = f"{path}.coveredResources[{index}]"
            out += [invalid(here, name, text) for text in qualified_name_errors(name)]
            if name in resources:
                out.append(duplicate(here, name))
            resources.add(name)
        for index, flavor in enumerate(group["flavors"]):
            here = f"{path}.flavors[{index}]"
            if flavor["name"] in flavors:
                out.append(duplicate(f"{here}.name", flavor["name"]))
            flavors.add(flavor["name"])
            for place, quota in enumerate(flavor["resources"]):
                if place >= len(covered) or quota["name"] != covered[place]:
                    text = "must match the name in coveredResources"
                    out.append(invalid(f"{here}.resources[{place}].name", quota["name"], text))
                out += _quota_errors(quota, f"{here}.resources[{place}]", alone)
    return out


def _quota_errors(quota: Object, path: str, alone: str) -> list[FieldError]:
    out = []
    nominal = quantities.parse(str(quota["nominalQuota"]))
    for key in ("nominalQuota", "borrowingLimit", "lendingLimit"):
        if key not in quota or quota[key] is None:
            continue
        text = quantities.canonical(str(quota[key]))
        value = quantities.parse(text)
        if value < 0:
            out.append(invalid(f"{path}.{key}", text, "must be greater than or equal to 0"))
        if key != "nominalQuota" and alone:
            out.append(invalid(f"{path}.{key}", text, alone))
        elif key == "lendingLimit" and value > nominal:
            out.append(invalid(f"{path}.{key}", text, "must be less than or equal to the nominalQuota"))
    return out


def _flavor(spec: Object) -> list[FieldError]:
    out = label_errors(spec.get("nodeLabels"), "spec.nodeLabels")
    seen: set[tuple[str, str]] = set()
    for number, taint in enumerate(spec.get("nodeTaints") or ()):
        pair = (taint.get("key", ""), taint.get("effect", ""))
        if pair in seen:
            error = duplicate(f"spec.nodeTaints[{number}]", taint)
            out.append(
                FieldError(
                    error.field,
                    error.reason,
                    f"{error.message}: taints must be unique by key and effect pair",
                )
            )
        seen.add(pair)
    return out
