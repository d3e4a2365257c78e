"""What of a pod may change after its creation."""

from __future__ import annotations

from sandbox.kubernetes.field_errors import FieldError, forbidden_field, invalid, required
from sandbox.kubernetes.jsontypes import Object, at, clone

__all__ = ["qos_errors", "update_errors"]

_TEXT = (
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)


def update_errors(new: Object, old: Object) -> list[FieldError]:
    """Images, a shorter deadline, more tolerations, fewer gates; anything else is refused as a whole."""
    mine, theirs = clone(new["spec"]), old["spec"]
    out: list[FieldError] = []
    for key in ("containers", "initContainers"):
        if len(mine.get(key) or ()) != len(theirs.get(key) or ()):
            return [forbidden_field(f"spec.{key}", "pod updates may not add or remove containers")]
        for number, container in enumerate(mine.get(key) or ()):
            if not container.get("image"):
                out.append(required(f"spec.{key}[{number}].image"))
            container["image"] = theirs[key][number].get("image")
    out += _deadline_errors(mine, theirs)
    out += _toleration_errors(mine, theirs)
    _forgive_gates(mine, theirs)
    if not out and mine != theirs:
        out.append(forbidden_field("spec", _TEXT))
    return out


def _deadline_errors(mine: Object, theirs: Object) -> list[FieldError]:
    """Takes the deadline over where it may change."""
    field, before, now = "activeDeadlineSeconds", theirs.get("activeDeadlineSeconds"), None
    now = mine.pop(field, None)
    if before is not None:
        mine[field] = before
        if now is None:
            return [invalid(f"spec.{field}", None, "must not update from a positive integer to nil value")]
        if now > before:
            return [invalid(f"spec.{field}", now, "must be less than or equal to previous value")]
    return []


def _toleration_errors(mine: Object, theirs: Object) -> list[FieldError]:
    def timeless(item: Object) -> Object:
        return {key: value for key, value in item.items() if key != "tolerationSeconds"}

    present = [timeless(item) for item in mine.pop("tolerations", None) or ()]
    before = theirs.get("tolerations")
    if before is not None:
        mine["tolerations"] = before
    if all(timeless(item) in present for item in before or ()):
        return []
    text = "existing toleration can not be modified except its tolerationSeconds"
    return [forbidden_field("spec.tolerations", text)]


def _forgive_gates(mine: Object, theirs: Object) -> None:
    """A gated pod may lose gates and be narrowed to fewer nodes."""
    before = [gate["name"] for gate in theirs.get("schedulingGates") or ()]
    now = [gate["name"] for gate in mine.get("schedulingGates") or ()]
    if not before or not all(gate in before for gate in now):
        return
    mine["schedulingGates"] = theirs["schedulingGates"]
    if at(theirs, "affinity") is None:
        mine.pop("affinity", None)
    selector = theirs.get("nodeSelector")
    if not selector:
        mine.pop("nodeSelector", None)
    elif all((mine.get("nodeSelector") or {}).get(key) == value for key, value in selector.items()):
        mine["nodeSelector"] = selector


def qos_errors(new: Object, old: Object) -> list[FieldError]:
    before, now = at(old, "status", "qosClass"), at(new, "status", "qosClass")
    if before and now != before:
        return [invalid("status.qosClass", now, "field is immutable")]
    return []
