"""Kueue's kinds: the CRDs' own rules (CEL there) that need more than the schema."""

from __future__ import annotations

from sandbox.kubernetes.field_errors import FieldError, duplicate, invalid
from sandbox.kubernetes.jsontypes import Object, at
from sandbox.kubernetes.kinds.rules import KindRules

__all__ = ["RULES"]

_GROUP = "kueue.x-k8s.io"


def _local_queue_update(new: Object, old: Object) -> list[FieldError]:
    before, after = at(old, "spec", "clusterQueue"), at(new, "spec", "clusterQueue")
    if before is not None and after is not None and before != after:
        return [invalid("spec.clusterQueue", after, "field is immutable")]
    return []


def _rule(field: str, message: str) -> FieldError:
    return FieldError(field, "FieldValueInvalid", f"Invalid value: {message}")


def _flavor(obj: Object) -> list[FieldError]:
    spec = obj.get("spec") or {}
    out = []
    if any(
        taint.get("effect") not in ("NoSchedule", "PreferNoSchedule", "NoExecute")
        for taint in spec.get("nodeTaints") or ()
    ):
        out.append(
            _rule(
                "spec.nodeTaints",
                "supported taint effect values: 'NoSchedule', 'PreferNoSchedule', 'NoExecute'",
            )
        )
    for item in spec.get("tolerations") or ():
        operator = item.get("operator", "Equal")
        if not item.get("key") and operator != "Exists":
            out.append(
                _rule(
                    "spec.tolerations",
                    "operator must be Exists when 'key' is empty, which means 'match all values and all"
                    " keys'",
                )
            )
        if item.get("tolerationSeconds") is not None and item.get("effect") != "NoExecute":
            out.append(
                _rule("spec.tolerations", "effect must be 'NoExecute' when 'tolerationSeconds' is set")
            )
        if operator == "Exists" and item.get("value"):
            out.append(_rule("spec.tolerations", "a value must be empty when 'operator' is 'Exists'"))
    if spec.get("topologyName") and not spec.get("nodeLabels"):
        text = (
            '"object": no such key: nodeLabels evaluating rule: at least one nodeLabel is required when'
            " topology is set"
        )
        out.append(_rule("spec", text))
    return list(dict.fromkeys(out))


def _groups(obj: Object) -> list[FieldError]:
    """Flavors of one group are a list map: a name may be there once."""
    out = []
    for number, group in enumerate(at(obj, "spec", "resourceGroups") or ()):
        names = [flavor.get("name") for flavor in group.get("flavors") or ()]
        out += [
            duplicate(f"spec.resourceGroups[{number}].flavors[{index}]", {"name": name})
            for index, name in enumerate(names)
            if name in names[:index]
        ]
    return out


RULES = {
    (_GROUP, "LocalQueue"): KindRules(generation=True, validate_update=_local_queue_update),
    (_GROUP, "ResourceFlavor"): KindRules(generation=True, validate=_flavor),
    (_GROUP, "ClusterQueue"): KindRules(generation=True, validate=_groups),
    (_GROUP, "Cohort"): KindRules(generation=True, validate=_groups),
}
