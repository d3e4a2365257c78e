"""PATCH in its four formats: JSON patch, merge patch, strategic merge patch and server-side apply."""

from __future__ import annotations

import json

import yaml

from sandbox.kubernetes import managed
from sandbox.kubernetes.authorization import Action
from sandbox.kubernetes.bodies import go_json_problem, media_type, parse_yaml, unsupported_media, yaml_text
from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.errors import ApiError, bad_request, forbidden
from sandbox.kubernetes.jsontypes import Json, Object, clone, go_json
from sandbox.kubernetes.objects import decode_object, zero
from sandbox.kubernetes.patching import json_patch, merge_patch
from sandbox.kubernetes.request import Call
from sandbox.kubernetes.resources import Resource
from sandbox.kubernetes.strategic import strategic_merge
from sandbox.kubernetes.typed_patch import check_applied
from sandbox.kubernetes.writing import (
    change,
    check_namespace,
    check_preconditions,
    find,
    insert,
    manager_of,
    missing,
    resource_of,
    tracked_change,
)

__all__ = ["patch"]

_PATCHES = {
    "application/json-patch+json": "json",
    "application/merge-patch+json": "merge",
    "application/strategic-merge-patch+json": "strategic",
    "application/apply-patch+yaml": "apply",
}


def patch(cluster: Cluster, call: Call) -> tuple[int, Object]:
    """PATCH in any of the four formats."""
    resource = resource_of(call)
    kind = _PATCHES.get(media_type(call), "")
    if not kind and media_type(call) not in ("", "application/json", "application/yaml"):
        raise ApiError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {})
    if not kind or (kind == "strategic" and resource.custom):
        accepted = "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
        if not resource.custom:
            accepted = (
                "application/json-patch+json, application/merge-patch+json,"
                " application/strategic-merge-patch+json, application/apply-patch+yaml"
            )
        raise unsupported_media(accepted)
    if kind == "apply":
        return _apply(cluster, call)
    live = find(cluster, call)
    if live is None:
        raise missing(call)
    body = _patch_body(call, kind)
    if kind == "json":
        result = json_patch({**live, "metadata": {"managedFields": [], **live["metadata"]}}, body)
    elif kind == "merge":
        result = merge_patch(live, body)
    else:
        result = strategic_merge(resource.node, live, body)
    return 200, _patched(cluster, call, live, result)


def _patch_body(call: Call, kind: str) -> Json:
    try:
        body = json.loads(call.body)
    except ValueError as error:
        raise bad_request(f"error decoding patch: {go_json_problem(call.body, error)}") from error
    if kind == "json":
        if not isinstance(body, list):
            raise bad_request(
                "error decoding patch: json: cannot unmarshal object into Go value of type jsonpatch.Patch"
            )
        return body
    if not isinstance(body, dict):
        name = {list: "array", str: "string", int: "number", float: "number", bool: "bool"}.get(
            type(body), "null"
        )
        raise bad_request(
            f"error decoding patch: json: cannot unmarshal {name} into Go value of type map[string]interface"
            " {}"
        )
    return body


def _patched(cluster: Cluster, call: Call, live: Object, result: Json) -> Object:
    resource = resource_of(call)
    if not isinstance(result, dict):
        raise bad_request("the patched document is no object")
    result = clone(result)
    if result.get("kind") != resource.kind or result.get("apiVersion") != resource.api_version:
        raise _changed_type(resource, result)
    try:
        obj = decode_object(call, resource, result)
    except ApiError as error:
        raise _undecodable(resource, result, error) from error
    name = obj["metadata"].get("name")
    if name != call.target.name:
        raise bad_request(
            f"the name of the object ({name}) does not match the name on the URL ({call.target.name})"
        )
    check_namespace(call, resource, obj)
    check_preconditions(call, obj, live)
    if call.target.subresource == "status" and not resource.custom and "status" not in obj:
        obj["status"] = {}
    return change(cluster, call, live, obj)


def _undecodable(resource: Resource, result: Object, error: ApiError) -> ApiError:
    """A patch whose result is no object of the kind: 422 with the whole document."""
    problem = error.message.partition(f"cannot be handled as a {resource.kind}: ")[2]
    cause = f"Invalid value: {go_json(go_json(result))}: {problem}"
    causes = [{"reason": "FieldValueInvalid", "message": cause, "field": "patch"}]
    return ApiError(422, "Invalid", f' "" is invalid: patch: {cause}', {"causes": causes})


def _changed_type(resource: Resource, result: Object) -> ApiError:
    version, kind = result.get("apiVersion", ""), result.get("kind", "")
    if version != resource.api_version:
        return bad_request(
            f"the API version in the data ({version}) does not match the expected API version"
            f" ({resource.api_version})"
        )
    return bad_request(f'no kind "{kind}" is registered for version "{version}"')


def _apply(cluster: Cluster, call: Call) -> tuple[int, Object]:
    resource = resource_of(call)
    try:
        body = parse_yaml(call.body)
    except yaml.YAMLError as error:
        raise bad_request(
            f"error decoding YAML: error converting YAML to JSON: {yaml_text(error)}"
        ) from error
    body = {} if body is None else body
    if not isinstance(body, dict):
        name = {list: "array", str: "string", int: "number", float: "number", bool: "bool"}.get(
            type(body), "null"
        )
        raise bad_request(
            "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal"
            f" {name} into Go value of type map[string]interface {{}}"
        )
    live = find(cluster, call)
    config = check_applied(call, resource, body, live)
    force = call.query.get("force", "false") in ("1", "t", "T", "true", "TRUE", "True")
    base = live if live is not None else zero(resource)
    merged = managed.apply(
        tracked_change(resource, call), base, config, manager_of(call, "Apply"), force=force
    )
    merged = clone({key: value for key, value in merged.items() if value is not None})
    try:
        obj = decode_object(call.quiet(), resource, merged)
    except ApiError as error:
        raise _conversion_error(call, resource, error) from error
    if merged["metadata"].get("managedFields"):
        obj["metadata"]["managedFields"] = merged["metadata"]["managedFields"]
    check_namespace(call, resource, obj)
    if live is None:
        if call.target.subresource:
            raise missing(call)
        _check_may_create(cluster, call)
        return 201, insert(cluster, call, obj)
    return 200, change(cluster, call, live, obj, tracked=True)


def _conversion_error(call: Call, resource: Resource, error: ApiError) -> ApiError:
    place = f"{call.target.namespace if resource.namespaced else ''}/{call.target.name}"
    kind = f"{resource.group}/{resource.version}, Kind={resource.kind}"
    problem = error.message.partition(f"cannot be handled as a {resource.kind}: ")[2]
    text = (
        f"failed to convert new object ({place}; {kind}) to proper version: unable to convert unstructured"
        f" object to {kind}: {problem}"
    )
    return ApiError(500, "", text)


def _check_may_create(cluster: Cluster, call: Call) -> None:
    """PATCH is what the path asks for; an apply that creates needs create as well."""
    target = call.target
    action = Action("create", target.group, target.plural, "", target.namespace, target.name)
    if not cluster.authorizer.allowed(call.user, action)[0]:
        raise forbidden(
            target.group, target.plural, target.name, cluster.authorizer.refusal(call.user, action)
        )
