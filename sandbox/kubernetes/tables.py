"""Table answers (what `kubectl get` prints) and metadata-only answers."""

from __future__ import annotations

from sandbox.kubernetes.jsontypes import Object
from sandbox.kubernetes.printers import printer
from sandbox.kubernetes.request import Call
from sandbox.kubernetes.resources import Resource

__all__ = ["shaped", "table"]


def shaped(obj: Object) -> Object:
    """PartialObjectMetadata of an object."""
    return {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": obj["metadata"]}


def table(resource: Resource, items: list[Object], call: Call, metadata: Object | None = None) -> Object:
    """meta.k8s.io/v1 Table; `includeObject` says what of each object comes with its row."""
    columns, cells = printer(resource)
    include = call.query.get("includeObject", "Metadata")
    rows = []
    for item in items:
        row: Object = {"cells": cells(item), "object": None}
        if include == "Metadata":
            row["object"] = shaped(item)
        elif include == "Object":
            row["object"] = item
        rows.append(row)
    if metadata is None:
        metadata = (
            {"resourceVersion": items[0]["metadata"].get("resourceVersion", "")} if len(items) == 1 else {}
        )
    return {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": metadata,
        "columnDefinitions": columns,
        "rows": rows,
    }
