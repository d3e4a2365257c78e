"""Creating, replacing, patching and applying objects: the order of steps that every write goes through."""

from __future__ import annotations

from sandbox.kubernetes import admission, managed
from sandbox.kubernetes.bodies import (
    json_body,
)
from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.custom_validation import custom_errors
from sandbox.kubernetes.errors import ApiError, already_exists, bad_request, conflict, not_found
from sandbox.kubernetes.field_errors import FieldError, invalid, invalid_object, required
from sandbox.kubernetes.jsontypes import Object, now
from sandbox.kubernetes.kinds import rules_of
from sandbox.kubernetes.kinds.labels import metadata_errors
from sandbox.kubernetes.names import dns_label_errors, random_suffix
from sandbox.kubernetes.objects import check_body_type, decode_object, zero
from sandbox.kubernetes.request import Call
from sandbox.kubernetes.resources import Resource
from sandbox.kubernetes.store import new_uid
from sandbox.kubernetes.versions import from_storage, to_storage

__all__ = [
    "change",
    "check_namespace",
    "check_preconditions",
    "create",
    "find",
    "insert",
    "manager_of",
    "missing",
    "replace",
    "resource_of",
    "store_change",
    "tracked_change",
]

_OWNED = (
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
    "generation",
)
_STALE = "the object has been modified; please apply your changes to the latest version and try again"


def resource_of(call: Call) -> Resource:
    if call.resource is None:
        raise LookupError(call.path)
    return call.resource


def create(cluster: Cluster, call: Call) -> tuple[int, Object]:
    """POST to a collection."""
    resource = resource_of(call)
    duplicates: list[str] = []
    body = json_body(call, duplicates)
    check_body_type(call, resource, body)
    obj = decode_object(call, resource, body, duplicates)
    check_namespace(call, resource, obj)
    _dedupe_owners(call, obj)
    metadata = obj["metadata"]
    if not metadata.get("name") and metadata.get("generateName"):
        metadata["name"] = metadata["generateName"][:58] + random_suffix()
        rules_of(resource).default(obj)
    for key in _OWNED:
        metadata.pop(key, None)
    if metadata.pop("resourceVersion", None):
        raise ApiError(500, "", "resourceVersion should not be set on objects to be created", None)
    managed.update(tracked_change(resource, call), zero(resource), obj, manager_of(call, "Update"))
    return 201, insert(cluster, call, obj)


def _dedupe_owners(call: Call, obj: Object) -> None:
    owners = obj["metadata"].get("ownerReferences") or []
    unique = [owner for number, owner in enumerate(owners) if owner not in owners[:number]]
    if len(unique) < len(owners):
        uids = list(dict.fromkeys(o["uid"] for n, o in enumerate(owners) if o in owners[:n]))
        call.warnings.append(
            ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in"
            " 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate"
            " UID(s) observed: " + ", ".join(uids)
        )
        obj["metadata"]["ownerReferences"] = unique


def tracked_change(resource: Resource, call: Call) -> managed.Change:
    sub = call.target.subresource
    if sub == "status":
        ignored = ("f:spec", "f:metadata") if resource.custom else ("f:spec",)
        return managed.Change(resource.node, ignored)
    has_status = "status" in resource.subresources
    return managed.Change(resource.node, ("f:status",) if has_status else ())


def manager_of(call: Call, operation: str) -> managed.Manager:
    return managed.Manager(call.manager, operation, resource_of(call).api_version, call.target.subresource)


def check_namespace(call: Call, resource: Resource, obj: Object) -> None:
    metadata = obj["metadata"]
    if not resource.namespaced:
        metadata.pop("namespace", None)
        return
    if metadata.get("namespace", call.target.namespace) != call.target.namespace:
        raise bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )
    metadata["namespace"] = call.target.namespace


def insert(cluster: Cluster, call: Call, obj: Object) -> Object:
    """Everything after decoding that creating an object takes."""
    resource, rules = resource_of(call), rules_of(resource_of(call))
    metadata = obj["metadata"]
    admission.check_namespace(cluster, resource, obj)
    admission.mutate(cluster, call, obj, None)
    metadata["uid"] = new_uid()
    metadata["creationTimestamp"] = now()
    metadata.pop("deletionTimestamp", None)
    if rules.generation:
        metadata["generation"] = 1
    else:
        metadata.pop("generation", None)
    if resource.custom and "status" in resource.subresources:
        obj.pop("status", None)
    rules.prepare(obj, None)
    _raise_invalid(resource, obj, _all_errors(cluster, resource, obj, None))
    call.warnings += rules.warn(obj, None)
    existing = cluster.store.get(resource, metadata.get("namespace", ""), metadata["name"])
    if existing is not None:
        error = already_exists(resource.group, resource.plural, metadata["name"])
        if existing["metadata"].get("deletionTimestamp"):
            error = ApiError(409, "AlreadyExists", f"object is being deleted: {error.message}", error.details)
        raise error
    admission.validate(cluster, call, obj, None)
    if call.dry_run:
        return obj
    if obj.get("rules") == []:
        obj["rules"] = None
    stored = cluster.store.put(resource, to_storage(cluster, resource, obj))
    return from_storage(cluster, resource, stored)


def _all_errors(cluster: Cluster, resource: Resource, new: Object, old: Object | None) -> list[FieldError]:
    rules = rules_of(resource)
    metadata = new["metadata"]
    out: list[FieldError] = []
    name = metadata.get("name", "")
    if old is None:
        if not name:
            out.append(required("metadata.name", "name or generateName is required"))
        else:
            if prefix := metadata.get("generateName"):
                out += [
                    invalid("metadata.generateName", prefix, text)
                    for text in rules.name_errors(prefix.rstrip("-."))
                ]
            out += [invalid("metadata.name", name, text) for text in rules.name_errors(name)]
        if resource.namespaced:
            out += [
                invalid("metadata.namespace", metadata["namespace"], t)
                for t in dns_label_errors(metadata["namespace"])
            ]
    out += metadata_errors(metadata)
    if old is not None:
        out += _metadata_update_errors(metadata, old["metadata"])
    if resource.custom:
        out += custom_errors(cluster, resource, new, old)
    else:
        out += rules.validate(new)
    if old is not None:
        out += rules.validate_update(new, old)
    return out


def _metadata_update_errors(new: Object, old: Object) -> list[FieldError]:
    out = []
    if old.get("deletionTimestamp"):
        added = [f for f in new.get("finalizers") or () if f not in (old.get("finalizers") or ())]
        if added:
            listed = "".join(f'"{f}"' for f in added)
            out.append(
                FieldError(
                    "metadata.finalizers",
                    "FieldValueForbidden",
                    "Forbidden: no new finalizers can be added if the object is being deleted, found new"
                    f" finalizers []string{{{listed}}}",
                )
            )
    return out


def _raise_invalid(resource: Resource, obj: Object, errors: list[FieldError]) -> None:
    if errors:
        # Both kinds of events are the core group's to the validation.
        group = "" if resource.group == "events.k8s.io" else resource.group
        raise invalid_object(group, resource.kind, obj["metadata"].get("name", ""), errors)


def find(cluster: Cluster, call: Call) -> Object | None:
    resource = resource_of(call)
    namespace = call.target.namespace if resource.namespaced else ""
    stored = cluster.store.get(resource, namespace, call.target.name)
    return None if stored is None else from_storage(cluster, resource, stored)


def missing(call: Call) -> ApiError:
    resource = resource_of(call)
    return not_found(resource.group, resource.plural, call.target.name)


def replace(cluster: Cluster, call: Call) -> tuple[int, Object]:
    """PUT of an object or of its status."""
    resource = resource_of(call)
    duplicates: list[str] = []
    body = json_body(call, duplicates)
    check_body_type(call, resource, body)
    obj = decode_object(call, resource, body, duplicates)
    _check_name(call, obj)
    check_namespace(call, resource, obj)
    live = find(cluster, call)
    if live is None:
        if rules_of(resource).update_creates and not call.target.subresource:
            admission.check_namespace(cluster, resource, obj)
            obj["metadata"].pop("resourceVersion", None)
            managed.update(tracked_change(resource, call), zero(resource), obj, manager_of(call, "Update"))
            return 201, insert(cluster, call, obj)
        raise missing(call)
    check_preconditions(call, obj, live)
    if resource.custom and not obj["metadata"].get("resourceVersion"):
        raise invalid_object(
            resource.group,
            resource.kind,
            call.target.name,
            [invalid("metadata.resourceVersion", 0, "must be specified for an update")],
        )
    return 200, change(cluster, call, live, obj)


def _check_name(call: Call, obj: Object) -> None:
    name = obj["metadata"].get("name")
    if not name:
        raise bad_request(
            f"the name of the object ({call.target.name} based on URL) was undeterminable: name must be"
            " provided"
        )
    if name != call.target.name:
        raise bad_request(
            f"the name of the object ({name}) does not match the name on the URL ({call.target.name})"
        )


def check_preconditions(call: Call, obj: Object, live: Object) -> None:
    resource = resource_of(call)
    uid, version = obj["metadata"].get("uid"), obj["metadata"].get("resourceVersion")
    if uid and uid != live["metadata"]["uid"]:
        text = (
            f"Precondition failed: UID in precondition: {uid}, UID in object meta: {live['metadata']['uid']}"
        )
        raise conflict(resource.group, resource.plural, call.target.name, text)
    if version and version != "0":
        if not version.isdigit():
            text = f'strconv.ParseUint: parsing "{version}": invalid syntax'
            raise invalid_object(
                resource.group,
                resource.kind,
                call.target.name,
                [invalid("metadata.resourceVersion", version, text)],
            )
        if version != live["metadata"]["resourceVersion"]:
            raise conflict(resource.group, resource.plural, call.target.name, _STALE)


def change(cluster: Cluster, call: Call, live: Object, new: Object, *, tracked: bool = False) -> Object:
    """Everything after decoding that changing an object takes; `tracked`: managedFields are done."""
    resource, rules = resource_of(call), rules_of(resource_of(call))
    sub = call.target.subresource
    metadata = new["metadata"]
    before = live["metadata"]
    metadata["name"] = before["name"]
    metadata["resourceVersion"] = before["resourceVersion"]
    for key in _OWNED:
        metadata.pop(key, None)
    metadata |= {key: before[key] for key in _OWNED if key in before}
    if not tracked:
        _track(call, live, new)
    if sub == "status":
        if resource.key == "/pods" and "qosClass" in live.get("status", {}):
            new.setdefault("status", {}).setdefault("qosClass", live["status"]["qosClass"])
        new = _only_status(resource, live, new)
    elif not sub or sub == "ephemeralcontainers":
        admission.mutate(cluster, call, new, live)
        if resource.custom and "status" in resource.subresources:
            new.pop("status", None)
            if "status" in live:
                new["status"] = live["status"]
        rules.prepare(new, live)
        if rules.generation and _spec_changed(resource, new, live):
            new["metadata"]["generation"] = before.get("generation", 0) + 1
    _raise_invalid(resource, new, _change_errors(cluster, call, live, new))
    call.warnings += rules.warn(new, live)
    admission.validate(cluster, call, new, live)
    return store_change(cluster, resource, live, new, dry_run=call.dry_run)


def _change_errors(cluster: Cluster, call: Call, live: Object, new: Object) -> list[FieldError]:
    resource = resource_of(call)
    if call.target.subresource != "status":
        return _all_errors(cluster, resource, new, live)
    if resource.custom:
        return custom_errors(cluster, resource, new, live, status=True)
    rules = rules_of(resource)
    return rules.validate_status(new) + rules.validate_status_update(new, live)


def _track(call: Call, live: Object, new: Object) -> None:
    """managedFields of a plain write; `[{}]` clears them, anything else that is sent is ignored."""
    sent = new["metadata"].pop("managedFields", None)
    if sent == [{}]:
        return
    managed.update(tracked_change(resource_of(call), call), live, new, manager_of(call, "Update"))


def _only_status(resource: Resource, live: Object, new: Object) -> Object:
    out = {**live, "metadata": dict(live["metadata"])}
    if not resource.custom:
        out["metadata"] = {**new["metadata"]}
    if managed_fields := new["metadata"].get("managedFields"):
        out["metadata"]["managedFields"] = managed_fields
    else:
        out["metadata"].pop("managedFields", None)
    out.pop("status", None)
    if "status" in new:
        out["status"] = new["status"]
    return out


def _spec_changed(resource: Resource, new: Object, old: Object) -> bool:
    skip = ("metadata", "status", "apiVersion", "kind")
    if resource.custom:
        return {k: v for k, v in new.items() if k not in skip} != {
            k: v for k, v in old.items() if k not in skip
        }
    return bool(new.get("spec") != old.get("spec"))


def _same(new: Object, old: Object) -> bool:
    if {k: v for k, v in new.items() if k != "metadata"} != {k: v for k, v in old.items() if k != "metadata"}:
        return False
    mine, theirs = new["metadata"], old["metadata"]
    if {k: v for k, v in mine.items() if k != "managedFields"} != {
        k: v for k, v in theirs.items() if k != "managedFields"
    }:
        return False

    def timeless(metadata: Object) -> list[Object]:
        return sorted(
            ({k: v for k, v in item.items() if k != "time"} for item in metadata.get("managedFields") or ()),
            key=lambda item: (
                item["operation"],
                item.get("manager", ""),
                item.get("apiVersion", ""),
                item.get("subresource", ""),
            ),
        )

    return timeless(mine) == timeless(theirs)


def store_change(
    cluster: Cluster, resource: Resource, live: Object, new: Object, *, dry_run: bool = False
) -> Object:
    """Writes a changed object, or removes it when it was only waiting for its finalizers."""
    metadata = new["metadata"]
    done = (
        metadata.get("deletionTimestamp")
        and not metadata.get("finalizers")
        and not metadata.get("deletionGracePeriodSeconds")
        and not (resource.key == "/namespaces" and new["spec"].get("finalizers"))
    )
    if done:
        if not dry_run:
            cluster.store.remove(resource, to_storage(cluster, resource, new))
        return new
    if new.get("rules") == []:
        new = {**new, "rules": None}
    if _same(new, live):
        return live
    if dry_run:
        return new
    stored = cluster.store.put(resource, to_storage(cluster, resource, new))
    return from_storage(cluster, resource, stored)
