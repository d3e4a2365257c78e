"""Makes `data/schema.json` from the JSON Schema definitions of a Kubernetes release.

    python -m sandbox.kubernetes.build_schema <…/v1.36.0-local/_definitions.json>

The definitions are those of the API server's OpenAPI document (the PyPI package kubernetes-validate
carries them for each release). Kept of them: the fields of every type that a served kind reaches, their
types, list and map semantics, and which fields are required. Descriptions are left out.

A type is `{"f": {field: expression}, "r": [required], "a": 1 when atomic}`; an expression is a scalar's
letter (`s` string, `i` int32, `l` int64, `n` number, `b` bool, `q` quantity, `t` time, `u` microtime,
`x` int-or-string, `Q` a quantity of a custom resource, `y` bytes, `*` anything), `#Type`, or an object:
`{"m": element}` a map, `{"l": element}` a list, with `k` (keys of a list map), `set`, `a` (atomic) and
`p` (strategic merge key, `""`: plain values).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

_SCALARS = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": "q",
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": "t",
    "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": "u",
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": "x",
    "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": "*",
    "io.k8s.apimachinery.pkg.runtime.RawExtension": "*",
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON": "*",
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps": "*",
}


def _short(name: str) -> str:
    parts = name.split(".")
    group = parts[-3] if len(parts) > 2 else ""
    return f"{group}.{parts[-2]}.{parts[-1]}"


def _kind(node: dict[str, Any]) -> str:
    kinds = node.get("type", [])
    return next((k for k in ([kinds] if isinstance(kinds, str) else kinds) if k != "null"), "any")


def expression(node: dict[str, Any]) -> Any:
    """The compact form of one property's schema."""
    if reference := node.get("$ref"):
        name = reference.rsplit("/", 1)[1]
        if name in _SCALARS:
            return _SCALARS[name]
        return (
            {"t": f"#{_short(name)}", "a": 1}
            if node.get("x-kubernetes-map-type") == "atomic"
            else f"#{_short(name)}"
        )
    kind = _kind(node)
    if kind == "array":
        return _list(node)
    if kind == "object":
        if "additionalProperties" not in node:
            return "*"
        out: dict[str, Any] = {"m": expression(node["additionalProperties"])}
        if node.get("x-kubernetes-map-type") == "atomic":
            out["a"] = 1
        return out
    if kind == "integer":
        return "l" if node.get("format") == "int64" else "i"
    if kind == "string":
        return "y" if node.get("format") == "byte" else "s"
    return {"boolean": "b", "number": "n"}.get(kind, "*")


def _list(node: dict[str, Any]) -> Any:
    out: dict[str, Any] = {"l": expression(node["items"])}
    if node.get("x-kubernetes-list-type") == "map":
        out["k"] = node["x-kubernetes-list-map-keys"]
    elif node.get("x-kubernetes-list-type") == "set":
        out["set"] = 1
    if "merge" in node.get("x-kubernetes-patch-strategy", "").split(","):
        out["p"] = node.get("x-kubernetes-patch-merge-key", "")
    return out


def build(definitions: dict[str, Any], served: set[str]) -> dict[str, Any]:
    """All types that a kind of the served groups (`group/version`) reaches, and the kinds by full name."""
    types: dict[str, Any] = {}
    kinds: dict[str, str] = {}
    todo = []
    for name, node in definitions.items():
        for gvk in node.get("x-kubernetes-group-version-kind", []):
            many = len(node["x-kubernetes-group-version-kind"]) > 1 or gvk["kind"].endswith("List")
            if not many and f"{gvk['group']}/{gvk['version']}" in served:
                kinds[f"{gvk['group']}/{gvk['version']}/{gvk['kind']}"] = _short(name)
                todo.append(name)
    full = {_short(name): name for name in definitions}
    while todo:
        name = todo.pop()
        if _short(name) in types:
            continue
        node = definitions[name]
        fields = {key: expression(value) for key, value in node.get("properties", {}).items()}
        entry: dict[str, Any] = {"f": fields}
        if node.get("required"):
            entry["r"] = node["required"]
        if node.get("x-kubernetes-map-type") == "atomic":
            entry["a"] = 1
        types[_short(name)] = entry
        text = json.dumps(fields)
        todo.extend(full[part.split('"')[0]] for part in text.split('"#')[1:])
    return {"kinds": dict(sorted(kinds.items())), "types": dict(sorted(types.items()))}


if __name__ == "__main__":
    source = json.loads(Path(sys.argv[1]).read_text())
    data = Path(__file__).parent / "data"
    groups = {f"{g['group']}/{g['version']}" for g in json.loads((data / "resources.json").read_text())}
    out = build(source.get("$defs") or source["definitions"], groups)
    lines = [
        f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}"
        for key, value in out["types"].items()
    ]
    kinds_text = json.dumps(out["kinds"], indent=1)
    (data / "schema.json").write_text(
        '{"kinds": ' + kinds_text + ',\n"types": {\n' + ",\n".join(lines) + "\n}}\n"
    )
