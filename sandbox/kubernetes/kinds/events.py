"""Events, in the core group and in events.k8s.io, which asks for more."""

from __future__ import annotations

from sandbox.kubernetes.field_errors import FieldError, invalid, required
from sandbox.kubernetes.jsontypes import Object, at
from sandbox.kubernetes.kinds.rules import KindRules

__all__ = ["CORE_EVENT", "EVENT"]


def _namespace_errors(obj: Object, field: str) -> list[FieldError]:
    """An event lies in the namespace of what it is about; of cluster-scoped things in `default`."""
    about, here = at(obj, field, "namespace") or "", obj["metadata"].get("namespace", "")
    if about == here or (not about and here == "default"):
        return []
    return [invalid("involvedObject.namespace", about, "does not match event.namespace")]


def _core(obj: Object) -> list[FieldError]:
    return _namespace_errors(obj, "involvedObject")


def _event(obj: Object) -> list[FieldError]:
    out = _namespace_errors(obj, "regarding")
    if not obj.get("eventTime"):
        return [*out, required("eventTime")]
    if not obj.get("reportingController"):
        out.append(required("reportingController"))
    out += [required(field) for field in ("reportingInstance", "action", "reason") if not obj.get(field)]
    if obj.get("type") not in ("Normal", "Warning"):
        out.append(invalid("type", obj.get("type", ""), "has invalid value: "))
    return out


CORE_EVENT = KindRules(validate=_core)
EVENT = KindRules(validate=_event)
