"""Accept: JSON or YAML, whole objects, tables or metadata only."""

from __future__ import annotations

from dataclasses import dataclass

from sandbox.kubernetes.errors import ApiError

__all__ = ["Form", "negotiate"]

_TYPES = "application/json, application/yaml, application/vnd.kubernetes.protobuf"


@dataclass(frozen=True)
class Form:
    """How the client wants the answer: json or yaml, and `as_kind`: empty, Table or PartialObjectMetadata…"""

    media: str = "json"
    as_kind: str = ""
    as_group: str = ""
    as_version: str = ""


def _parse(header: str) -> list[tuple[str, dict[str, str]]]:
    out = []
    for part in header.split(","):
        name, *parameters = [piece.strip() for piece in part.split(";")]
        options = dict(piece.split("=", 1) for piece in parameters if "=" in piece)
        out.append((name.lower(), options))
    return sorted(out, key=lambda item: -float(item[1].get("q", "1")))


def negotiate(header: str) -> Form:
    """Raises ApiError (406) when nothing that is asked for is served."""
    if not header.strip():
        return Form()
    refused = False
    for name, options in _parse(header):
        if name == "*/*":
            return Form()
        media = {"application/json": "json", "application/yaml": "yaml"}.get(name)
        if media is None:
            continue
        wanted = options.get("as", "")
        if not wanted:
            return Form(media)
        group, version = options.get("g", ""), options.get("v", "")
        known = (group, version) in (("meta.k8s.io", "v1"), ("meta.k8s.io", "v1beta1")) and wanted in (
            "Table",
            "PartialObjectMetadata",
            "PartialObjectMetadataList",
        )
        if known or wanted == "APIGroupDiscoveryList":
            return Form(media, wanted, group, version)
        refused = True
    if refused:
        text = f"only the following media types are accepted: {_TYPES}"
        raise ApiError(406, "NotAcceptable", text, None)
    raise ApiError(406, "NotAcceptable", f"406: Not Acceptable\n\nAvailable representations: {_TYPES}", {})
