"""Access reviews: authorization.k8s.io and authentication.k8s.io, which are asked and never stored."""

from __future__ import annotations

from sandbox.kubernetes import managed
from sandbox.kubernetes.authorization import MASTERS, Action
from sandbox.kubernetes.bodies import json_body
from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.errors import bad_request
from sandbox.kubernetes.field_errors import FieldError, invalid, invalid_object
from sandbox.kubernetes.jsontypes import Object, clone, now
from sandbox.kubernetes.objects import check_type, decode_object, zero
from sandbox.kubernetes.request import Call, User

__all__ = ["REVIEWS", "review"]

REVIEWS = (
    "SelfSubjectAccessReview",
    "SubjectAccessReview",
    "LocalSubjectAccessReview",
    "SelfSubjectRulesReview",
    "SelfSubjectReview",
    "TokenReview",
)
_EXACTLY = "exactly one of nonResourceAttributes or resourceAttributes must be specified"


def review(cluster: Cluster, call: Call) -> tuple[int, Object]:
    resource = call.resource
    if resource is None:
        raise LookupError(call.path)
    body = json_body(call)
    check_type(resource, body)
    obj = decode_object(call, resource, body)
    if resource.kind == "SelfSubjectRulesReview":
        return 201, _rules(cluster, call, obj)
    managed.update(
        managed.Change(resource.node, ("f:status",)),
        zero(resource),
        obj,
        managed.Manager(call.manager, "Update", resource.api_version),
    )
    if resource.kind == "SelfSubjectReview":
        obj["metadata"]["creationTimestamp"] = now()
        obj["status"] = {"userInfo": _user_info(call.user)}
        return 201, obj
    if resource.kind == "TokenReview":
        return 201, _token_review(cluster, obj)
    return 201, _access(cluster, call, obj)


def _user_info(user: User) -> Object:
    out: Object = {"username": user.username, "groups": list(user.groups)}
    if user.uid:
        out["uid"] = user.uid
    if user.extra:
        out["extra"] = {key: list(values) for key, values in user.extra}
    return out


def _token_review(cluster: Cluster, obj: Object) -> Object:
    found = cluster.service_tokens.get(obj["spec"].get("token", ""))
    if found is None:
        obj["status"] = {"user": {}, "error": "[invalid bearer token, token lookup failed]"}
        return obj
    namespace, name, uid, _ = found
    groups = ["system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated"]
    user = {"username": f"system:serviceaccount:{namespace}:{name}", "uid": uid, "groups": groups}
    obj["status"] = {"authenticated": True, "user": user}
    return obj


def _errors(obj: Object) -> list[FieldError]:
    spec, kind = obj["spec"], obj["kind"]
    resource, path = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    out = []
    if resource is not None and path is not None:
        value = {"Path": path.get("path", ""), "Verb": path.get("verb", "")}
        out.append(
            invalid(
                "spec.nonResourceAttributes",
                value,
                "cannot be specified in combination with resourceAttributes",
            )
        )
    if resource is None and path is None:
        out.append(invalid("spec.resourceAttributes", None, _EXACTLY))
    if kind != "SelfSubjectAccessReview" and not spec.get("user") and not spec.get("groups"):
        out.append(invalid("spec.user", "", "at least one of user or group must be specified"))
    metadata = {key: value for key, value in obj["metadata"].items() if key != "managedFields"}
    if kind != "LocalSubjectAccessReview":
        metadata.pop("namespace", None)
        if metadata:
            shown = {**metadata, **{k: v for k, v in obj["metadata"].items() if k == "managedFields"}}
            out.append(invalid("metadata", shown, "must be empty"))
    return out


def _access(cluster: Cluster, call: Call, obj: Object) -> Object:
    if errors := _errors(obj):
        error = invalid_object("authorization.k8s.io", "", "", errors)
        error.details = {"group": "authorization.k8s.io", "causes": (error.details or {})["causes"]}
        raise error
    if obj["kind"] != "LocalSubjectAccessReview":
        obj["metadata"].pop("namespace", None)
    spec = obj["spec"]
    user = call.user
    if obj["kind"] != "SelfSubjectAccessReview":
        user = User(spec.get("user", ""), tuple(spec.get("groups") or ()), spec.get("uid", ""))
    if obj["kind"] == "LocalSubjectAccessReview":
        wanted = (spec.get("resourceAttributes") or {}).get("namespace")
        if wanted != call.target.namespace:
            text = f"spec.resourceAttributes.namespace must match namespace: {call.target.namespace}"
            raise bad_request(text)
    allowed, reason = cluster.authorizer.allowed(user, _action(spec))
    obj["status"] = {"allowed": allowed}
    if reason:
        obj["status"]["reason"] = reason
    return obj


def _action(spec: Object) -> Action:
    path = spec.get("nonResourceAttributes")
    if path is not None:
        return Action(path.get("verb", ""), path=path.get("path", ""))
    item = spec["resourceAttributes"]
    return Action(
        item.get("verb", ""),
        item.get("group", ""),
        item.get("resource", ""),
        item.get("subresource", ""),
        item.get("namespace", ""),
        item.get("name", ""),
    )


def _rules(cluster: Cluster, call: Call, obj: Object) -> Object:
    namespace = obj["spec"].get("namespace")
    if not namespace:
        raise bad_request("no namespace on request")
    rules = cluster.authorizer.rules(call.user, namespace)
    if MASTERS in call.user.groups and not any(rule.get("apiGroups") == ["*"] for rule in rules):
        rules = [
            {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]},
            {"verbs": ["*"], "nonResourceURLs": ["*"]},
            *rules,
        ]
    keys = ("verbs", "apiGroups", "resources", "resourceNames")
    obj["status"] = {
        "resourceRules": [
            {k: clone(rule[k]) for k in keys if k in rule} for rule in rules if rule.get("resources")
        ],
        "nonResourceRules": [
            {k: clone(rule[k]) for k in ("verbs", "nonResourceURLs")}
            for rule in rules
            if rule.get("nonResourceURLs")
        ],
        "incomplete": False,
    }
    obj["spec"] = {}
    return obj
