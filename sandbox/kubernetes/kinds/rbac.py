"""Roles and bindings."""

from __future__ import annotations

from sandbox.kubernetes.field_errors import FieldError, invalid, not_supported, required
from sandbox.kubernetes.jsontypes import Object
from sandbox.kubernetes.kinds.rules import KindRules
from sandbox.kubernetes.names import path_segment_errors

__all__ = ["BINDING", "CLUSTER_BINDING", "CLUSTER_ROLE", "ROLE"]

_GROUP = "rbac.authorization.k8s.io"


def _rule_errors(obj: Object, *, namespaced: bool) -> list[FieldError]:
    out = []
    for number, rule in enumerate(obj.get("rules") or ()):
        path = f"rules[{number}]"
        if not rule.get("verbs"):
            out.append(required(f"{path}.verbs", "verbs must contain at least one value"))
        if rule.get("nonResourceURLs"):
            if namespaced:
                out.append(
                    invalid(
                        f"{path}.nonResourceURLs",
                        rule["nonResourceURLs"],
                        "namespaced rules cannot apply to non-resource URLs",
                    )
                )
            if rule.get("apiGroups") or rule.get("resources") or rule.get("resourceNames"):
                out.append(
                    invalid(
                        f"{path}.nonResourceURLs",
                        rule["nonResourceURLs"],
                        "rules cannot apply to both regular resources and non-resource URLs",
                    )
                )
            continue
        if not rule.get("apiGroups"):
            out.append(required(f"{path}.apiGroups", "resource rules must supply at least one api group"))
        if not rule.get("resources"):
            out.append(required(f"{path}.resources", "resource rules must supply at least one resource"))
    return out


def _role(obj: Object) -> list[FieldError]:
    return _rule_errors(obj, namespaced=True)


def _cluster_role(obj: Object) -> list[FieldError]:
    return _rule_errors(obj, namespaced=False)


ROLE = KindRules(validate=_role, name_errors=path_segment_errors, update_creates=True)
CLUSTER_ROLE = KindRules(validate=_cluster_role, name_errors=path_segment_errors, update_creates=True)


def _binding_default(obj: Object) -> None:
    if not obj["roleRef"].get("apiGroup"):
        obj["roleRef"]["apiGroup"] = _GROUP
    for subject in obj.get("subjects") or ():
        if "apiGroup" not in subject and subject.get("kind") in ("User", "Group"):
            subject["apiGroup"] = _GROUP


def _subject_errors(subject: Object, path: str) -> list[FieldError]:
    out = []
    if not subject.get("name"):
        out.append(required(f"{path}.name"))
    kind, group = subject.get("kind", ""), subject.get("apiGroup", "")
    if kind == "ServiceAccount":
        if group:
            out.append(not_supported(f"{path}.apiGroup", group, [""]))
        if not subject.get("namespace"):
            out.append(required(f"{path}.namespace"))
    elif kind in ("User", "Group"):
        if group != _GROUP:
            out.append(not_supported(f"{path}.apiGroup", group, [_GROUP]))
    else:
        out.append(not_supported(f"{path}.kind", kind, ["ServiceAccount", "User", "Group"]))
    return out


def _binding_errors(obj: Object, kinds: tuple[str, ...]) -> list[FieldError]:
    out = []
    ref = obj["roleRef"]
    if ref.get("apiGroup") != _GROUP:
        out.append(not_supported("roleRef.apiGroup", ref.get("apiGroup", ""), [_GROUP]))
    if ref.get("kind") not in kinds:
        out.append(not_supported("roleRef.kind", ref.get("kind", ""), list(kinds)))
    if not ref.get("name"):
        out.append(required("roleRef.name"))
    for number, subject in enumerate(obj.get("subjects") or ()):
        out += _subject_errors(subject, f"subjects[{number}]")
    return out


def _role_ref_change(new: Object, old: Object) -> list[FieldError]:
    ref = new["roleRef"]
    if ref == old["roleRef"]:
        return []
    value = {"APIGroup": ref.get("apiGroup", ""), "Kind": ref.get("kind", ""), "Name": ref.get("name", "")}
    return [invalid("roleRef", value, "cannot change roleRef")]


def _role_binding(obj: Object) -> list[FieldError]:
    return _binding_errors(obj, ("Role", "ClusterRole"))


def _cluster_role_binding(obj: Object) -> list[FieldError]:
    return _binding_errors(obj, ("ClusterRole",))


BINDING = KindRules(
    default=_binding_default,
    validate=_role_binding,
    validate_update=_role_ref_change,
    name_errors=path_segment_errors,
    update_creates=True,
)
CLUSTER_BINDING = KindRules(
    default=_binding_default,
    validate=_cluster_role_binding,
    validate_update=_role_ref_change,
    name_errors=path_segment_errors,
    update_creates=True,
)
