"""PriorityClass and RuntimeClass."""

from __future__ import annotations

from sandbox.kubernetes.field_errors import FieldError, forbidden_field, invalid, not_supported
from sandbox.kubernetes.jsontypes import Object
from sandbox.kubernetes.kinds.rules import KindRules

__all__ = ["PRIORITY_CLASS"]

_SYSTEM = {"system-node-critical": 2000001000, "system-cluster-critical": 2000000000}
_HIGHEST = 1_000_000_000


def _validate(obj: Object) -> list[FieldError]:
    name, value = obj["metadata"].get("name", ""), obj.get("value", 0)
    out = []
    if name.startswith("system-"):
        problem = ""
        if name not in _SYSTEM:
            problem = f"{name} is not a known system priority class"
        elif value != _SYSTEM[name]:
            problem = f"value of {name} PriorityClass must be {_SYSTEM[name]}"
        if problem:
            text = (
                "priority class names with 'system-' prefix are reserved for system use only. error:"
                f" {problem}"
            )
            out.append(forbidden_field("metadata.name", text))
    elif value > _HIGHEST:
        out.append(
            forbidden_field("value", f"maximum allowed value of a user defined priority is {_HIGHEST}")
        )
    if obj.get("preemptionPolicy") not in ("Never", "PreemptLowerPriority"):
        out.append(
            not_supported("preemptionPolicy", obj.get("preemptionPolicy"), ["PreemptLowerPriority", "Never"])
        )
    return out


def _update(new: Object, old: Object) -> list[FieldError]:
    out = []
    if new.get("value", 0) != old.get("value", 0):
        out.append(forbidden_field("value", "may not be changed in an update."))
    if new.get("preemptionPolicy") != old.get("preemptionPolicy"):
        out.append(invalid("preemptionPolicy", new.get("preemptionPolicy"), "field is immutable"))
    return out


PRIORITY_CLASS = KindRules(validate=_validate, validate_update=_update, generation=True)
