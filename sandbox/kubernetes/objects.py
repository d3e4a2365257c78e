"""From a request's body to an object of a kind, and from a stored object to an answer."""

from __future__ import annotations

from sandbox.kubernetes.decoding import DecodeError, complete, decode, fill, prune
from sandbox.kubernetes.errors import ApiError, bad_request
from sandbox.kubernetes.jsontypes import Json, Object, clone
from sandbox.kubernetes.kinds import rules_of
from sandbox.kubernetes.request import Call
from sandbox.kubernetes.resources import Resource
from sandbox.kubernetes.schema import named

__all__ = ["check_body_type", "check_type", "decode_object", "zero"]


def zero(resource: Resource) -> Object:
    """What the server compares a new object with: an empty Go struct, or nothing for a custom resource."""
    base: Object = {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": {}}
    if not resource.custom:
        base |= clone(resource.node.present)
    return base


def check_type(resource: Resource, body: Json) -> None:
    """Raises ApiError where apiVersion or kind are others than the path's."""
    if not isinstance(body, dict):
        name = {list: "array", str: "string", int: "number", float: "number", bool: "bool"}.get(
            type(body), "null"
        )
        raise bad_request(
            "couldn't get version/kind; json parse error: json: cannot unmarshal"
            f' {name} into Go value of type struct {{ APIVersion string "json:\\"apiVersion,omitempty\\"";'
            " Kind string"
            ' "json:\\"kind,omitempty\\"" }'
        )
    version, kind = body.get("apiVersion"), body.get("kind")
    if (version or resource.api_version) == resource.api_version and (kind or resource.kind) == resource.kind:
        return
    raise _mismatch(resource, str(version or ""), str(kind or ""))


def check_body_type(call: Call, resource: Resource, body: Json) -> None:
    """Of a version that a custom kind does not have the server knows no fields, and says that too."""
    try:
        check_type(resource, body)
    except ApiError:
        if resource.custom and isinstance(body, dict) and body.get("apiVersion") != resource.api_version:
            known = ("apiVersion", "kind", "metadata")
            if call.query.get("fieldValidation", "Warn") == "Warn":
                call.warnings += [f'unknown field "{key}"' for key in sorted(body) if key not in known]
        raise


def _mismatch(resource: Resource, version: str, kind: str) -> ApiError:
    if version not in ("", resource.api_version):
        return bad_request(
            f"the API version in the data ({version}) does not match the expected API version"
            f" ({resource.api_version})"
        )
    return bad_request(
        f'{kind} in version "{resource.version}" cannot be handled as a {resource.kind}: no kind "{kind}" is'
        f' registered for version "{resource.api_version}"'
    )


def decode_object(
    call: Call, resource: Resource, body: Object, duplicates: list[str] | None = None
) -> Object:
    """The typed or pruned object, with its defaults; reports unknown fields as asked. Raises ApiError."""
    unknown: list[str] = [f'duplicate field "{path}"' for path in duplicates or ()]
    if resource.custom:
        paths: list[str] = []
        obj: Object = prune(resource.node, body, paths)
        metadata = obj.get("metadata")
        try:
            obj["metadata"], more = decode(
                named("meta.v1.ObjectMeta"), metadata if isinstance(metadata, dict) else {}
            )
        except DecodeError as error:
            raise _cannot_handle(resource, error) from error
        paths += [f"metadata.{path}" for path in more if f"metadata.{path}" not in paths]
        fill(resource.node, obj)
    else:
        try:
            obj, paths = decode(resource.node, body)
        except DecodeError as error:
            raise _cannot_handle(resource, error) from error
        obj.setdefault("metadata", {})
        complete(resource.node, obj)
        rules_of(resource).default(obj)
    obj["apiVersion"], obj["kind"] = resource.api_version, resource.kind
    unknown += [f'unknown field "{path}"' for path in sorted(paths)]
    report_unknown(call, resource, unknown)
    return obj


def _cannot_handle(resource: Resource, error: DecodeError) -> ApiError:
    text = f'{resource.kind} in version "{resource.version}" cannot be handled as a {resource.kind}: {error}'
    return bad_request(text)


def report_unknown(call: Call, resource: Resource, unknown: list[str]) -> None:
    """Strict: a 400 with all of them; Warn (the default): a warning each; Ignore: nothing."""
    if not unknown:
        return
    mode = call.query.get("fieldValidation", "Warn")
    if mode == "Strict":
        joined = ", ".join(unknown)
        raise bad_request(
            f'{resource.kind} in version "{resource.version}" cannot be handled as a {resource.kind}: strict'
            f" decoding error: {joined}"
        )
    if mode == "Warn":
        call.warnings += unknown
