"""DELETE of one object or of a collection: preconditions, finalizers, grace, propagation."""

from __future__ import annotations

from sandbox.kubernetes.admission.namespaces import protect
from sandbox.kubernetes.bodies import json_body
from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.errors import bad_request, conflict, not_found
from sandbox.kubernetes.field_errors import invalid, invalid_object, not_supported
from sandbox.kubernetes.jsontypes import Object, now
from sandbox.kubernetes.reading import list_items, wrap_list
from sandbox.kubernetes.request import Call
from sandbox.kubernetes.resources import Resource
from sandbox.kubernetes.versions import from_storage, to_storage

__all__ = ["delete", "delete_collection", "delete_object"]


def _options(call: Call) -> Object:
    """DeleteOptions of the body or the query. Raises ApiError."""
    out: Object = {}
    if call.body.strip():
        body = json_body(call)
        kind = body.get("kind", "DeleteOptions")
        if kind != "DeleteOptions":
            version = body.get("apiVersion", "v1")
            raise bad_request(
                f'no kind "{kind}" is registered for version "{version}" in scheme'
                ' "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"'
            )
        out = body
    else:
        for key in ("propagationPolicy", "gracePeriodSeconds", "dryRun", "orphanDependents"):
            if key in call.query:
                out[key] = call.query[key]
        if "gracePeriodSeconds" in out:
            out["gracePeriodSeconds"] = int(out["gracePeriodSeconds"])
        if "dryRun" in out:
            out["dryRun"] = [out["dryRun"]]
    errors = []
    policy = out.get("propagationPolicy")
    if policy is not None and out.get("orphanDependents") is not None:
        errors.append(
            invalid(
                "propagationPolicy", policy, "orphanDependents and deletionPropagation cannot be both set"
            )
        )
    if policy not in (None, "Foreground", "Background", "Orphan"):
        errors.append(
            not_supported("propagationPolicy", policy, ["Foreground", "Background", "Orphan", "nil"])
        )
    dry = out.get("dryRun") or []
    if dry and dry != ["All"]:
        errors.append(not_supported("dryRun", dry, ["All"]))
    if errors:
        raise invalid_object("meta.k8s.io", "DeleteOptions", "", errors)
    return out


def delete(cluster: Cluster, call: Call) -> tuple[int, Object]:
    resource = call.resource
    if resource is None:
        raise LookupError(call.path)
    options = _options(call)
    namespace = call.target.namespace if resource.namespaced else ""
    stored = cluster.store.get(resource, namespace, call.target.name)
    protect(resource, call.target.name)
    if stored is None:
        raise not_found(resource.group, resource.plural, call.target.name)
    _preconditions(resource, stored, options)
    gone, obj = delete_object(cluster, resource, stored, options)
    if not gone or resource.key in (
        "/pods",
        "/serviceaccounts",
        "/resourcequotas",
        "/persistentvolumeclaims",
        "/services",
        "/persistentvolumes",
        "/podtemplates",
        "/endpoints",
    ):
        return 200, from_storage(cluster, resource, obj)
    details: Object = {"name": call.target.name}
    if resource.group:
        details["group"] = resource.group
    details |= {"kind": resource.plural, "uid": stored["metadata"]["uid"]}
    return 200, {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": details,
    }


def _preconditions(resource: Resource, stored: Object, options: Object) -> None:
    wanted = options.get("preconditions") or {}
    metadata = stored["metadata"]
    for key, text in (("uid", "UID"), ("resourceVersion", "ResourceVersion")):
        if wanted.get(key) and wanted[key] != metadata[key]:
            message = (
                f"Precondition failed: {text} in precondition: {wanted[key]}, {text} in object meta:"
                f" {metadata[key]}"
            )
            raise conflict(resource.group, resource.plural, metadata["name"], message)


def delete_object(
    cluster: Cluster, resource: Resource, stored: Object, options: Object
) -> tuple[bool, Object]:
    """Removes the object or marks it; says whether it is gone, and how it looks now."""
    dry_run = options.get("dryRun") == ["All"]
    metadata = stored["metadata"]
    finalizers = _finalizers(metadata, options)
    grace = _grace(resource, stored, options)
    holding = finalizers or (resource.key == "/namespaces" and stored["spec"].get("finalizers"))
    if not holding and not grace:
        return True, _remove(cluster, resource, stored, dry_run=dry_run)
    marked = _marked(resource, stored, finalizers, grace)
    if marked == stored:
        return False, stored
    if dry_run:
        return False, marked
    return False, cluster.store.put(resource, to_storage(cluster, resource, marked))


def _remove(cluster: Cluster, resource: Resource, stored: Object, *, dry_run: bool) -> Object:
    """Takes the object out; a pod is answered as it looks in its last moment."""
    metadata = stored["metadata"]
    if resource.key != "/pods":
        if not dry_run:
            cluster.store.remove(resource, stored)
        return stored
    shown = {**metadata, "deletionTimestamp": metadata.get("deletionTimestamp") or now()}
    shown["deletionGracePeriodSeconds"] = 0
    if not metadata.get("deletionTimestamp"):
        shown["generation"] = metadata.get("generation", 0) + 1
    last = {**stored, "metadata": shown}
    return last if dry_run else cluster.store.remove(resource, last)


def _marked(resource: Resource, stored: Object, finalizers: list[str], grace: int) -> Object:
    """The object with its deletion under way."""
    metadata = {key: value for key, value in stored["metadata"].items() if key != "finalizers"}
    if finalizers:
        metadata["finalizers"] = finalizers
    marked = {**stored, "metadata": metadata}
    if not metadata.get("deletionTimestamp"):
        metadata["deletionTimestamp"] = now()
        if resource.key != "/namespaces":
            metadata["deletionGracePeriodSeconds"] = grace
        if "generation" in metadata:
            metadata["generation"] += 1
    elif grace < metadata.get("deletionGracePeriodSeconds", 0):
        metadata["deletionGracePeriodSeconds"] = grace
    if resource.key == "/namespaces":
        marked["status"] = {**stored.get("status", {}), "phase": "Terminating"}
    return marked


def _finalizers(metadata: Object, options: Object) -> list[str]:
    """The object's finalizers with what the propagation policy adds or takes away."""
    finalizers = list(metadata.get("finalizers") or ())
    policy = options.get("propagationPolicy")
    orphan = policy == "Orphan" or options.get("orphanDependents") in (True, "true")
    if orphan and "orphan" not in finalizers:
        finalizers.append("orphan")
    if policy == "Foreground" and "foregroundDeletion" not in finalizers:
        finalizers.append("foregroundDeletion")
    if policy == "Background":
        finalizers = [name for name in finalizers if name not in ("orphan", "foregroundDeletion")]
    return finalizers


def _grace(resource: Resource, stored: Object, options: Object) -> int:
    """Seconds: only a pod that runs on a node gets any."""
    if resource.key != "/pods":
        return 0
    asked = options.get("gracePeriodSeconds")
    default = stored["spec"].get("terminationGracePeriodSeconds", 30)
    seconds = default if asked is None else max(int(asked), 1) if int(asked) < 0 else int(asked)
    phase = (stored.get("status") or {}).get("phase")
    if not stored["spec"].get("nodeName") or phase in ("Succeeded", "Failed"):
        return 0
    return int(seconds)


def delete_collection(cluster: Cluster, call: Call) -> tuple[int, Object]:
    resource = call.resource
    if resource is None:
        raise LookupError(call.path)
    options = _options(call)
    items = list_items(cluster, call, resource)
    answer = wrap_list(cluster, call, resource, items)
    for item in items:
        metadata = item["metadata"]
        stored = cluster.store.get(resource, metadata.get("namespace", ""), metadata["name"])
        if stored is not None:
            delete_object(cluster, resource, stored, options)
    return 200, answer
