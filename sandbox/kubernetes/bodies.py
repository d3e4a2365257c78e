"""Request bodies: media types, JSON and YAML, and the decoder's refusals."""

from __future__ import annotations

import json
from typing import Any

import yaml

from sandbox.kubernetes.errors import ApiError, bad_request
from sandbox.kubernetes.jsontypes import Json, Object
from sandbox.kubernetes.protobuf import ProtobufError, parse_protobuf
from sandbox.kubernetes.request import Call

__all__ = ["go_json_problem", "json_body", "media_type", "parse_json", "parse_yaml", "unsupported_media"]

_ACCEPTED = "application/json, application/yaml, application/vnd.kubernetes.protobuf"


class _Loader(yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader):  # type: ignore[misc]  # base chosen at import
    """Without timestamps: the server's decoder keeps them as texts."""


_Loader.yaml_implicit_resolvers = {
    key: [(tag, rule) for tag, rule in rules if tag != "tag:yaml.org,2002:timestamp"]
    for key, rules in _Loader.yaml_implicit_resolvers.items()
}


class _Pairs(list[tuple[str, Any]]):
    """An object's members as they were written, duplicates too."""


def _plain(value: Any, path: str, duplicates: list[str]) -> Json:
    if isinstance(value, _Pairs):
        out: Object = {}
        for key, item in value:
            here = f"{path}.{key}" if path else key
            if key in out:
                duplicates.append(here)
            out[key] = _plain(item, here, duplicates)
        return out
    if isinstance(value, list):
        return [_plain(item, f"{path}[{number}]", duplicates) for number, item in enumerate(value)]
    return value


def media_type(call: Call) -> str:
    return call.headers.get("Content-Type", "").partition(";")[0].strip().lower()


def unsupported_media(accepted: str = _ACCEPTED) -> ApiError:
    text = f"the body of the request was in an unknown format - accepted media types include: {accepted}"
    return ApiError(415, "UnsupportedMediaType", text)


def parse_json(text: bytes, duplicates: list[str] | None = None) -> Json:
    """Raises json.JSONDecodeError or UnicodeDecodeError."""
    if duplicates is None:
        return json.loads(text)

    return _plain(json.loads(text, object_pairs_hook=_Pairs), "", duplicates)


def parse_yaml(text: bytes) -> Json:
    """JSON is tried first, being both common and quick. Raises yaml.YAMLError."""
    try:
        return json.loads(text)
    except ValueError:
        documents = yaml.load_all(text, Loader=_Loader)
        return next(iter(documents), None)


def json_body(call: Call, duplicates: list[str] | None = None) -> Json:
    """The body of a create or replace. Raises ApiError."""
    kind = media_type(call)
    if kind in ("", "application/json"):
        try:
            return parse_json(call.body, duplicates)
        except ValueError as error:
            raise bad_request(_json_error_text(call, error)) from error
    if kind == "application/yaml":
        try:
            return parse_yaml(call.body)
        except yaml.YAMLError as error:
            raise bad_request(f"error converting YAML to JSON: {yaml_text(error)}") from error
    if kind == "application/vnd.kubernetes.protobuf":
        try:
            return parse_protobuf(call.body)
        except ProtobufError as error:
            raise unsupported_media() from error
    raise unsupported_media()


def _json_error_text(call: Call, error: ValueError) -> str:
    text = call.body.decode("utf-8", "replace")
    kind = call.resource.kind if call.resource else ""
    if not text.strip():
        return "unable to parse body as JSON" if not kind else "EOF"
    return f"couldn't get version/kind; json parse error: {go_json_problem(call.body, error)}"


def go_json_problem(body: bytes, error: ValueError) -> str:
    """What Go's decoder says of JSON that is none."""
    text = body.decode("utf-8", "replace")
    position = getattr(error, "pos", 0)
    if position >= len(text.rstrip()):
        return "unexpected end of JSON input"
    for literal in ("null", "true", "false"):
        if text[position] == literal[0]:
            for number, (have, want) in enumerate(zip(text[position:], literal, strict=False)):
                if have != want and number:
                    return f"invalid character '{have}' in literal {literal} (expecting '{want}')"
    return f"invalid character '{text[position]}' looking for beginning of value"


def yaml_text(error: yaml.YAMLError) -> str:
    """The problem in the words of the Go YAML parser."""
    problem = getattr(error, "problem", None) or str(error)
    mark = getattr(error, "problem_mark", None)
    if problem == "mapping values are not allowed here":
        problem = "mapping values are not allowed in this context"
    if mark is not None and mark.line:
        return f"yaml: line {mark.line + 1}: {problem}"
    return f"yaml: {problem}"
