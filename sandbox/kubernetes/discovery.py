"""The documents that say what is served: /api, /apis, group and version documents, /version, OpenAPI."""

from __future__ import annotations

import hashlib

from sandbox.kubernetes.errors import PlainError, path_not_found
from sandbox.kubernetes.jsontypes import Object
from sandbox.kubernetes.resources import CUSTOM_GROUPS, Catalog, Resource

__all__ = ["aggregated", "document", "openapi_index", "openapi_schema", "version_document"]


def _group_document(catalog: Catalog, group: str) -> Object:
    versions = [{"groupVersion": f"{group}/{v}", "version": v} for v in catalog.version_names(group)]
    return {"name": group, "versions": versions, "preferredVersion": versions[0]}


def _resource_items(resource: Resource) -> list[Object]:
    item: Object = {
        "name": resource.plural,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": list(resource.verbs),
    }
    if resource.short_names:
        item["shortNames"] = list(resource.short_names)
    if resource.categories:
        item["categories"] = list(resource.categories)
    if resource.storage_hash:
        item["storageVersionHash"] = resource.storage_hash
    out = [item]
    for name, sub in resource.subresources.items():
        entry: Object = {
            "name": f"{resource.plural}/{name}",
            "singularName": "",
            "namespaced": resource.namespaced,
            "kind": sub.kind,
            "verbs": list(sub.verbs),
        }
        if sub.group and not resource.custom:
            entry |= {"group": sub.group, "version": sub.version}
        out.append(entry)
    return out


def document(catalog: Catalog, path: str, server: str) -> Object:
    """The plain discovery document of a path. Raises ApiError or PlainError where there is none."""
    parts = [part for part in path.split("/") if part]
    if parts == ["api"]:
        address = [{"clientCIDR": "0.0.0.0/0", "serverAddress": server}]
        return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": address}
    if parts == ["apis"]:
        groups = [_group_document(catalog, name) for name in catalog.groups() if name]
        return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}
    if parts[0] == "apis" and len(parts) == 2 and parts[1] in catalog.groups():
        return {"kind": "APIGroup", "apiVersion": "v1", **_group_document(catalog, parts[1])}
    group, version = ("", parts[1]) if parts[0] == "api" else (parts[1], parts[-1])
    for name, served, resources in catalog.versions:
        if (name, served) == (group, version) and len(parts) == (2 if parts[0] == "api" else 3):
            items = sorted(
                (item for r in resources for item in _resource_items(r)), key=lambda item: str(item["name"])
            )
            out: Object = {"kind": "APIResourceList"}
            if group:
                out["apiVersion"] = "v1"
            return {**out, "groupVersion": f"{group}/{version}" if group else version, "resources": items}
    raise unknown_path(catalog, group if parts[0] == "apis" else "")


def unknown_path(catalog: Catalog, group: str) -> Exception:
    """A Status for a built-in group, plain text for any other."""
    if group in catalog.groups() and not group.endswith(CUSTOM_GROUPS):
        return path_not_found()
    return PlainError(404, "404 page not found\n")


def aggregated(catalog: Catalog, *, core: bool) -> Object:
    """apidiscovery.k8s.io/v2: every group with its resources in one document."""
    items = []
    for group in catalog.groups():
        if bool(group) is core:
            continue
        versions = [
            {
                "version": version,
                "resources": [_aggregated_resource(r) for r in resources],
                "freshness": "Current",
            }
            for name, version, resources in catalog.versions
            if name == group
        ]
        items.append({"metadata": {"name": group} if group else {}, "versions": versions})
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": items,
    }


def _aggregated_resource(resource: Resource) -> Object:
    group, version = (resource.group, resource.version) if resource.custom else ("", "")
    out: Object = {
        "resource": resource.plural,
        "responseKind": {"group": group, "version": version, "kind": resource.kind},
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular,
        "verbs": list(resource.verbs),
    }
    if resource.short_names:
        out["shortNames"] = list(resource.short_names)
    if resource.categories:
        out["categories"] = list(resource.categories)
    if resource.subresources:
        out["subresources"] = [
            {
                "subresource": name,
                "responseKind": {
                    "group": sub.group or group,
                    "version": sub.version or version,
                    "kind": sub.kind,
                },
                "verbs": list(sub.verbs),
            }
            for name, sub in resource.subresources.items()
        ]
    return out


def version_document(version: str) -> Object:
    major, minor = version.split(".")[:2]
    return {
        "major": major,
        "minor": minor,
        "emulationMajor": major,
        "emulationMinor": minor,
        "minCompatibilityMajor": major,
        "minCompatibilityMinor": str(int(minor) - 1),
        "gitVersion": f"v{version}",
        "gitCommit": "0" * 40,
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "go1.25",
        "compiler": "gc",
        "platform": "linux/amd64",
    }


def openapi_index(catalog: Catalog) -> Object:
    paths = [".well-known/openid-configuration", "api", "api/v1", "apis", "openid/v1/jwks", "version"]
    for group, version, _ in catalog.versions:
        if group:
            if not group.endswith(CUSTOM_GROUPS):
                paths.append(f"apis/{group}")
            paths.append(f"apis/{group}/{version}")
    out = {}
    for path in sorted(set(paths)):
        digest = hashlib.sha512(path.encode()).hexdigest().upper()
        out[path] = {"serverRelativeURL": f"/openapi/v3/{path}?hash={digest}"}
    return {"paths": out}


def openapi_schema(catalog: Catalog, path: str) -> Object | None:
    """Just enough of a version's OpenAPI document for clients to see that fieldValidation is supported."""
    parts = path.strip("/").split("/")
    group, version = ("", parts[-1]) if parts[0] == "api" else (parts[1] if len(parts) > 1 else "", parts[-1])
    found = next((items for name, v, items in catalog.versions if (name, v) == (group, version)), None)
    if found is None:
        return None
    paths: Object = {}
    schemas: Object = {}
    prefix = f"/{'api' if not group else 'apis/' + group}/{version}"
    for resource in found:
        scope = "/namespaces/{namespace}" if resource.namespaced else ""
        gvk = {"group": group, "version": version, "kind": resource.kind}
        options = [
            {"name": name, "in": "query", "schema": {"type": "string"}}
            for name in ("dryRun", "fieldManager", "fieldValidation")
        ]
        if "patch" in resource.verbs:
            paths[f"{prefix}{scope}/{resource.plural}/{{name}}"] = {
                "patch": {
                    "x-kubernetes-action": "patch",
                    "x-kubernetes-group-version-kind": gvk,
                    "parameters": options,
                }
            }
        schemas[f"{group or 'core'}.{version}.{resource.kind}"] = {
            "type": "object",
            "x-kubernetes-group-version-kind": [gvk],
        }
    return {
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": version},
        "paths": paths,
        "components": {"schemas": schemas},
    }
