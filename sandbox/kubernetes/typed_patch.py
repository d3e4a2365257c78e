"""Checks of a server-side apply body before it is merged."""

from __future__ import annotations

from sandbox.kubernetes.errors import ApiError, bad_request, conflict
from sandbox.kubernetes.field_errors import invalid, invalid_object
from sandbox.kubernetes.jsontypes import Json, Object, go_json
from sandbox.kubernetes.request import Call
from sandbox.kubernetes.resources import Resource
from sandbox.kubernetes.schema import Node

__all__ = ["check_applied"]


def check_applied(call: Call, resource: Resource, body: Object, live: Object | None) -> Object:
    """The configuration to merge. Raises ApiError."""
    version, kind = body.get("apiVersion") or "", body.get("kind") or ""
    if version != resource.api_version or kind != resource.kind:
        shown = version if "/" in version else f"/{version}"
        raise bad_request(f"invalid object type: {shown}, Kind={kind}")
    metadata = body.get("metadata") or {}
    name = metadata.get("name")
    if "managedFields" in metadata and metadata["managedFields"] is not None:
        raise bad_request("metadata.managedFields must be nil")
    if not name:
        raise bad_request(
            f"the name of the object ({call.target.name} based on URL) was undeterminable: name must be"
            " provided"
        )
    if name != call.target.name:
        raise bad_request(
            f"the name of the object ({name}) does not match the name on the URL ({call.target.name})"
        )
    namespace = metadata.get("namespace")
    if resource.namespaced and namespace and namespace != call.target.namespace:
        raise bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )
    _check_versions(call, resource, metadata, live)
    problems: list[str] = []
    _walk(resource.node, body, "", problems)
    if problems:
        place = f"{namespace or ''}/{name}"
        kind_text = f"{version if '/' in version else '/' + version}, Kind={kind}"
        text = problems[0] if len(problems) == 1 else "errors:\n" + "\n".join(f"  {p}" for p in problems)
        raise ApiError(500, "", f"failed to create typed patch object ({place}; {kind_text}): {text}", None)
    return body


def _check_versions(call: Call, resource: Resource, metadata: Object, live: Object | None) -> None:
    uid, version = metadata.get("uid"), metadata.get("resourceVersion")
    if live is None:
        if uid:
            text = f"uid mismatch: the provided object specified uid {uid}, and no existing object was found"
            raise conflict(resource.group, resource.plural, call.target.name, text)
        return
    if uid and uid != live["metadata"]["uid"]:
        error = invalid("metadata.uid", uid, "field is immutable")
        raise invalid_object(resource.group, resource.kind, call.target.name, [error, error])
    if version and version != live["metadata"]["resourceVersion"]:
        text = "the object has been modified; please apply your changes to the latest version and try again"
        raise conflict(resource.group, resource.plural, call.target.name, text)


_EXPECTED = {
    "s": "string",
    "y": "string",
    "i": "numeric (int or float)",
    "l": "numeric (int or float)",
    "n": "numeric (int or float)",
    "b": "boolean",
}


def _walk(node: Node, value: Json, path: str, problems: list[str]) -> None:
    if value is None or node.shape == "any":
        return
    if node.shape == "scalar":
        _check_scalar(node, value, path, problems)
    elif node.shape == "list":
        if not isinstance(value, list):
            problems.append(f"{path}: expected list, got {_shown(value)}")
            return
        _walk_list(node, value, path, problems)
    elif not isinstance(value, dict):
        problems.append(f"{path}: expected map, got {_shown(value)}")
    else:
        for key, item in value.items():
            child = node.child(key)
            if child is None:
                problems.append(f"{path}.{key}: field not declared in schema")
            else:
                _walk(child, item, f"{path}.{key}", problems)


def _walk_list(node: Node, value: list[Json], path: str, problems: list[str]) -> None:
    seen: set[str] = set()
    for number, item in enumerate(value):
        here = f"{path}[{number}]"
        if node.keys and isinstance(item, dict):
            defaults = node.element.defaults if node.element else {}
            missing = [key for key in node.keys if key not in item and key not in defaults]
            if missing and len(missing) == len(node.keys):
                listed = ", ".join(f'"{key}"' for key in node.keys)
                problems.append(
                    f"{path}: element {number}: associative list with keys has an element that omits key"
                    f" field {listed}"
                )
                continue
            here = (
                path
                + "["
                + ",".join(f"{key}={go_json(item.get(key, defaults.get(key)))}" for key in node.keys)
                + "]"
            )
            if here in seen:
                problems.append(f"{path}: duplicate entries for key {here[len(path) :]}")
            seen.add(here)
        elif node.is_set:
            here = f"{path}[={go_json(item)}]"
            if here in seen:
                problems.append(f"{path}: duplicate entries for key {here[len(path) :]}")
            seen.add(here)
        if node.element is not None:
            _walk(node.element, item, here, problems)


def _check_scalar(node: Node, value: Json, path: str, problems: list[str]) -> None:
    letter = node.scalar
    if letter in ("q", "Q", "x", "t", "u"):
        fine = isinstance(value, (str, int, float)) and not isinstance(value, bool)
    elif letter in ("s", "y"):
        fine = isinstance(value, str)
    elif letter == "b":
        fine = isinstance(value, bool)
    else:
        fine = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not fine:
        problems.append(f"{path}: expected {_EXPECTED.get(letter, 'string')}, got {_shown(value)}")


def _shown(value: Json) -> str:
    return f"&value.valueUnstructured{{Value:{_go_value(value)}}}"


def _go_value(value: Json) -> str:
    if isinstance(value, dict):
        return (
            "map[string]interface {}{"
            + ", ".join(f"{go_json(k)}:{_go_value(v)}" for k, v in value.items())
            + "}"
        )
    if isinstance(value, list):
        return "[]interface {}{" + ", ".join(_go_value(item) for item in value) + "}"
    return go_json(value)
