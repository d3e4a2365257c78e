"""JSON patch (RFC 6902) and JSON merge patch (RFC 7386) with the API server's texts."""

from __future__ import annotations

from sandbox.kubernetes.errors import ApiError, bad_request
from sandbox.kubernetes.jsontypes import Json, Object, clone

__all__ = ["json_patch", "merge_patch"]

_NO_MEMBER = object()


def merge_patch(target: Json, patch: Json) -> Json:
    if not isinstance(patch, dict):
        return patch
    out = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            out.pop(key, None)
        else:
            out[key] = merge_patch(out.get(key), value)
    return out


class _PatchError(Exception):
    pass


def json_patch(target: Object, operations: Json) -> Json:
    """Raises ApiError: 422 when an operation cannot be done, 400 when it is none."""
    document: Json = clone(target)
    for operation in operations:
        if not isinstance(operation, dict):
            raise bad_request("json: cannot unmarshal array into Go value of type jsonpatch.Patch")
        try:
            document = _one(document, operation)
        except _PatchError as error:
            raise ApiError(
                422, "Invalid", f"the server rejected our request due to an error in our request: {error}", {}
            ) from error
    return document


def _steps(pointer: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def _parent(document: Json, pointer: str, operation: str) -> tuple[Json, str]:
    steps = _steps(pointer)
    node = document
    for step in steps[:-1]:
        node = _member(node, step)
        if node is _NO_MEMBER or not isinstance(node, (dict, list)):
            raise _PatchError(
                f"{operation} operation does not apply: doc is missing path: {pointer!r}".replace("'", '"')
            )
    return node, steps[-1] if steps else ""


def _member(node: Json, step: str) -> Json:
    if isinstance(node, dict):
        return node.get(step, _NO_MEMBER)
    if isinstance(node, list) and step.lstrip("-").isdigit() and -len(node) <= int(step) < len(node):
        return node[int(step)]
    return _NO_MEMBER


def _read(document: Json, pointer: str, operation: str) -> Json:
    parent, step = _parent(document, pointer, operation)
    value = _member(parent, step)
    if value is _NO_MEMBER:
        raise _PatchError(
            f"{operation} operation does not apply: doc is missing key: {pointer}: missing value"
        )
    return value


def _put(document: Json, pointer: str, value: Json, operation: str) -> None:
    parent, step = _parent(document, pointer, operation)
    if isinstance(parent, dict):
        parent[step] = value
    elif step == "-":
        parent.append(value)
    elif step.isdigit() and int(step) <= len(parent):
        parent.insert(int(step), value)
    else:
        raise _PatchError(
            f"{operation} operation does not apply: doc is missing path: {pointer}: Unable to access invalid"
            f" index: {step}: invalid index referenced"
        )


def _drop(document: Json, pointer: str, operation: str) -> Json:
    parent, step = _parent(document, pointer, operation)
    value = _member(parent, step)
    if value is _NO_MEMBER:
        raise _PatchError(
            f"{operation} operation does not apply: doc is missing key: {pointer}: missing value"
        )
    if isinstance(parent, dict):
        del parent[step]
    else:
        del parent[int(step)]
    return value


def _one(document: Json, operation: Object) -> Json:
    name, path = str(operation.get("op", "")), str(operation.get("path", ""))
    if name == "test":
        actual = _NO_MEMBER
        parent, step = _parent(document, path, name)
        actual = _member(parent, step)
        if (None if actual is _NO_MEMBER else actual) != operation.get("value"):
            raise _PatchError(f"testing value {path} failed: test failed")
    elif name == "add":
        _put(document, path, clone(operation.get("value")), name)
    elif name == "replace":
        parent, step = _parent(document, path, name)
        if _member(parent, step) is _NO_MEMBER:
            raise _PatchError(f"{name} operation does not apply: doc is missing key: {path}: missing value")
        if isinstance(parent, dict):
            parent[step] = clone(operation.get("value"))
        else:
            parent[int(step)] = clone(operation.get("value"))
    elif name == "remove":
        _drop(document, path, name)
    elif name in ("move", "copy"):
        source = str(operation.get("from", ""))
        value = _drop(document, source, name) if name == "move" else clone(_read(document, source, name))
        _put(document, path, value, name)
    else:
        raise _PatchError(f"Unexpected kind: {name}")
    return document
