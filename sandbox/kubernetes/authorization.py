"""RBAC: may this user do that, and by which rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sandbox.kubernetes.jsontypes import Object
from sandbox.kubernetes.request import User
from sandbox.kubernetes.store import Store

__all__ = ["Action", "Authorizer", "covers"]

_GROUP = "rbac.authorization.k8s.io"
MASTERS = "system:masters"


@dataclass(frozen=True)
class Action:
    """A verb on a resource, or on a path when `path` is set."""

    verb: str
    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""

    @property
    def full_resource(self) -> str:
        return f"{self.resource}/{self.subresource}" if self.subresource else self.resource


def _matches_resource(rule: Object, action: Action) -> bool:
    if not _any(rule.get("verbs"), action.verb) or not _any(rule.get("apiGroups"), action.group):
        return False
    full = action.full_resource
    resources = rule.get("resources") or ()
    found = "*" in resources or full in resources
    if not found and action.subresource:
        found = f"*/{action.subresource}" in resources
    if not found:
        return False
    names = rule.get("resourceNames") or ()
    return not names or action.name in names


def _any(values: list[str] | None, wanted: str) -> bool:
    return bool(values) and ("*" in (values or ()) or wanted in (values or ()))


def _matches_path(rule: Object, action: Action) -> bool:
    if not _any(rule.get("verbs"), action.verb):
        return False
    for pattern in rule.get("nonResourceURLs") or ():
        if pattern in ("*", action.path) or (pattern.endswith("*") and action.path.startswith(pattern[:-1])):
            return True
    return False


def rule_allows(rule: Object, action: Action) -> bool:
    return _matches_path(rule, action) if action.path else _matches_resource(rule, action)


def covers(owned: list[Object], wanted: Object) -> bool:
    """Whether rules already held include every part of another rule (one verb, group, resource each)."""
    return any(_covers_one(rule, wanted) for rule in owned)


def _covers_one(rule: Object, wanted: Object) -> bool:
    def has(key: str) -> bool:
        mine = rule.get(key) or ()
        return all(value in mine or "*" in mine for value in wanted.get(key) or ())

    if not has("verbs"):
        return False
    if wanted.get("nonResourceURLs"):
        urls = rule.get("nonResourceURLs") or ()
        return all(
            any(u == url or (u.endswith("*") and url.startswith(u[:-1])) for u in urls)
            for url in wanted["nonResourceURLs"]
        )
    if not has("apiGroups"):
        return False
    resources = rule.get("resources") or ()
    for value in wanted.get("resources") or ():
        _, slash, sub = value.partition("/")
        if value not in resources and "*" not in resources and not (slash and f"*/{sub}" in resources):
            return False
    names = rule.get("resourceNames") or ()
    if not names:
        return True
    return bool(wanted.get("resourceNames")) and all(name in names for name in wanted["resourceNames"])


def _subject_text(subject: Object) -> str:
    if subject["kind"] == "ServiceAccount":
        return f'ServiceAccount "{subject["name"]}/{subject.get("namespace", "")}"'
    return f'{subject["kind"]} "{subject["name"]}"'


def _applies(subject: Object, user: User, namespace: str) -> bool:
    kind, name = subject.get("kind"), subject.get("name")
    if kind == "User":
        return user.username == name
    if kind == "Group":
        return name in user.groups
    return user.username == f"system:serviceaccount:{subject.get('namespace') or namespace}:{name}"


class Authorizer:
    """Reads Roles and bindings from the store at each question."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def role_rules(self, role_ref: Object, namespace: str) -> list[Object] | None:
        """The rules a binding gives; None where the role is missing."""
        cluster = role_ref["kind"] == "ClusterRole"
        plural = "clusterroles" if cluster else "roles"
        role = self._store.get(f"{_GROUP}/{plural}", "" if cluster else namespace, role_ref["name"])
        return None if role is None else role.get("rules") or []

    def _grants(self, user: User, namespace: str) -> Iterator[tuple[Object, str]]:
        for binding in self._store.items(f"{_GROUP}/clusterrolebindings"):
            yield from self._binding_grants(
                binding, user, "", f'ClusterRoleBinding "{binding["metadata"]["name"]}"'
            )
        if namespace:
            for binding in self._store.items(f"{_GROUP}/rolebindings", namespace):
                text = f'RoleBinding "{binding["metadata"]["name"]}/{namespace}"'
                yield from self._binding_grants(binding, user, namespace, text)

    def _binding_grants(
        self, binding: Object, user: User, namespace: str, text: str
    ) -> Iterator[tuple[Object, str]]:
        for subject in binding.get("subjects") or ():
            if _applies(subject, user, namespace):
                ref = binding["roleRef"]
                why = f'RBAC: allowed by {text} of {ref["kind"]} "{ref["name"]}" to {_subject_text(subject)}'
                for rule in self.role_rules(ref, namespace) or ():
                    yield rule, why
                return

    def rules(self, user: User, namespace: str) -> list[Object]:
        """Every rule that applies to the user in a namespace."""
        return [rule for rule, _ in self._grants(user, namespace)]

    def allowed(self, user: User, action: Action) -> tuple[bool, str]:
        """The answer and its reason, as a SubjectAccessReview gives them."""
        if MASTERS in user.groups:
            return True, ""
        for rule, why in self._grants(user, action.namespace):
            if rule_allows(rule, action):
                return True, why
        return False, ""

    def refusal(self, user: User, action: Action) -> str:
        """The sentence of the 403."""
        if action.path:
            return f'User "{user.username}" cannot {action.verb} path "{action.path}"'
        scope = f'in the namespace "{action.namespace}"' if action.namespace else "at the cluster scope"
        text = f'User "{user.username}" cannot {action.verb} resource "{action.full_resource}"'
        return f'{text} in API group "{action.group}" {scope}'
