"""GET of one object, lists with selectors and paging, and the forms an answer can take."""

from __future__ import annotations

import base64
import json

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.errors import ApiError, bad_request, not_found
from sandbox.kubernetes.field_errors import forbidden_field, invalid, invalid_object
from sandbox.kubernetes.field_labels import field_value, supported_fields
from sandbox.kubernetes.jsontypes import Object
from sandbox.kubernetes.request import Call
from sandbox.kubernetes.resources import Resource
from sandbox.kubernetes.selectors import Predicate, label_selector, matches, parse_field_selector
from sandbox.kubernetes.versions import from_storage

__all__ = ["get", "list_items", "list_kind", "predicate", "wrap_list"]


def get(cluster: Cluster, call: Call) -> Object:
    resource = call.resource
    if resource is None:
        raise LookupError(call.path)
    namespace = call.target.namespace if resource.namespaced else ""
    stored = cluster.store.get(resource, namespace, call.target.name)
    if stored is None:
        raise not_found(resource.group, resource.plural, call.target.name)
    return from_storage(cluster, resource, stored)


def predicate(call: Call, resource: Resource) -> Predicate:
    """Whether an object is in the list, by the selectors of the query. Raises ApiError (400)."""
    labels = label_selector(call.query.get("labelSelector", ""))
    fields = parse_field_selector(call.query.get("fieldSelector", ""))
    known = supported_fields(resource)
    for key, _, _ in fields:
        if key not in known:
            if resource.custom:
                raise bad_request(f"field label not supported: {key}")
            raise bad_request(
                f'"{key}" is not a known field selector: only "metadata.name", "metadata.namespace"'
                if len(known) == 2
                else f"field label not supported: {key}"
            )

    def fits(obj: Object) -> bool:
        if labels and not matches(labels, obj["metadata"].get("labels")):
            return False
        return all((field_value(obj, key) == value) is equal for key, value, equal in fields)

    return fits


def list_kind(resource: Resource) -> str:
    return f"{resource.kind}List"


def list_items(cluster: Cluster, call: Call, resource: Resource) -> list[Object]:
    """All objects that the path and the selectors choose."""
    namespace = call.target.namespace if resource.namespaced else ""
    fits = predicate(call, resource)
    found = (from_storage(cluster, resource, item) for item in cluster.store.items(resource, namespace))
    return [item for item in found if fits(item)]


def wrap_list(
    cluster: Cluster, call: Call, resource: Resource, items: list[Object], *, partial: bool = False
) -> Object:
    """The list object, one page of it when `limit` is set."""
    version = str(cluster.store.version)
    metadata: Object = {"resourceVersion": version}
    if token := call.query.get("continue"):
        start = _read_token(token)
        items = [item for item in items if _place(item) > start["after"]]
        metadata["resourceVersion"] = start["version"]
    limit = call.query.get("limit", "")
    if limit.isdigit() and 0 < int(limit) < len(items):
        rest = len(items) - int(limit)
        items = items[: int(limit)]
        metadata["continue"] = _token(_place(items[-1]), metadata["resourceVersion"])
        if not call.query.get("labelSelector") and not call.query.get("fieldSelector"):
            metadata["remainingItemCount"] = rest
    if resource.custom:
        if not partial:
            metadata.setdefault("continue", "")
        shown = items
    else:
        shown = [
            {key: value for key, value in item.items() if key not in ("apiVersion", "kind")} for item in items
        ]
    return {
        "kind": list_kind(resource),
        "apiVersion": resource.api_version,
        "metadata": metadata,
        "items": shown,
    }


def _place(item: Object) -> str:
    return f"{item['metadata'].get('namespace', '')}/{item['metadata']['name']}"


def _token(place: str, version: str) -> str:
    return base64.urlsafe_b64encode(json.dumps({"after": place, "version": version}).encode()).decode()


def _read_token(token: str) -> dict[str, str]:
    try:
        value = json.loads(base64.urlsafe_b64decode(token))
        return {"after": str(value["after"]), "version": str(value["version"])}
    except (ValueError, KeyError, TypeError) as error:
        raise ApiError(400, "BadRequest", f"continue key is not valid: {error}") from error


def check_list_options(call: Call, kind: str = "ListOptions") -> None:
    """Raises ApiError for a resourceVersion that is no number."""
    version, match = call.query.get("resourceVersion", ""), call.query.get("resourceVersionMatch", "")
    errors = []
    if match and not version:
        errors.append(
            forbidden_field(
                "resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided"
            )
        )
    if "sendInitialEvents" in call.query:
        errors.append(forbidden_field("sendInitialEvents", "sendInitialEvents is forbidden for list"))
    if errors:
        raise invalid_object("meta.k8s.io", kind, "", errors)
    if version and not version.isdigit():
        raise invalid_object(
            "meta.k8s.io", kind, "", [invalid("resourceVersion", version, "must be an integer")]
        )
