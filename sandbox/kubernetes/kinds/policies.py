"""ValidatingAdmissionPolicies and their bindings, as far as no CEL is needed to judge them."""

from __future__ import annotations

from sandbox.kubernetes.field_errors import FieldError, invalid, not_supported, required
from sandbox.kubernetes.jsontypes import Object, at
from sandbox.kubernetes.kinds.rules import KindRules

__all__ = ["BINDING", "POLICY"]

_REASONS = ["Forbidden", "Invalid", "RequestEntityTooLarge", "Unauthorized"]
_ACTIONS = ["Audit", "Deny", "Warn"]


def _policy(obj: Object) -> list[FieldError]:
    spec = obj.get("spec") or {}
    out: list[FieldError] = []
    if not at(spec, "matchConstraints", "resourceRules"):
        out.append(required("spec.matchConstraints.resourceRules"))
    if not spec.get("validations") and not spec.get("auditAnnotations"):
        text = "validations or auditAnnotations must contain at least one item"
        out += [required("spec.validations", text), required("spec.auditAnnotations", text)]
    for number, item in enumerate(spec.get("validations") or ()):
        here = f"spec.validations[{number}]"
        if not (item.get("expression") or "").strip():
            out.append(required(f"{here}.expression", "expression is not specified"))
        if item.get("reason") is not None and item["reason"] not in _REASONS:
            out.append(not_supported(f"{here}.reason", item["reason"], _REASONS[:3]))
    return out


def _binding(obj: Object) -> list[FieldError]:
    spec = obj.get("spec") or {}
    out: list[FieldError] = []
    if not spec.get("policyName"):
        out.append(required("spec.policyName"))
    actions = spec.get("validationActions") or []
    if not actions:
        out.append(required("spec.validationActions", "at least one validation action is required"))
    out += [
        not_supported(f"spec.validationActions[{number}]", action, _ACTIONS)
        for number, action in enumerate(actions)
        if action not in _ACTIONS
    ]
    if "Deny" in actions and "Warn" in actions:
        text = (
            "must not contain both Deny and Warn (repeating the same validation failure information in the"
            " API response and headers serves no purpose)"
        )
        out.append(invalid("spec.validationActions", actions, text))
    return out


POLICY = KindRules(validate=_policy, generation=True)
BINDING = KindRules(validate=_binding, generation=True)
