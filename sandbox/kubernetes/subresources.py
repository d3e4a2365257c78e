"""Subresources other than status: tokens, scale, eviction, binding, logs, namespace finalize."""

from __future__ import annotations

import base64
import datetime as dt
import json
import secrets
from collections.abc import Callable

from sandbox.kubernetes import managed
from sandbox.kubernetes.bodies import json_body, media_type, parse_yaml
from sandbox.kubernetes.budgets import check_budget
from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.deleting import delete_object
from sandbox.kubernetes.errors import ApiError, bad_request, method_not_allowed, not_found
from sandbox.kubernetes.field_errors import invalid, invalid_object
from sandbox.kubernetes.jsontypes import Json, Object, at, clone, now
from sandbox.kubernetes.patch_writes import patch
from sandbox.kubernetes.request import Call
from sandbox.kubernetes.resources import Resource
from sandbox.kubernetes.store import new_uid
from sandbox.kubernetes.writing import replace, store_change

__all__ = ["SUBRESOURCES"]


def _parent(cluster: Cluster, call: Call) -> tuple[Resource, Object]:
    resource = call.resource
    if resource is None:
        raise LookupError(call.path)
    namespace = call.target.namespace if resource.namespaced else ""
    stored = cluster.store.get(resource, namespace, call.target.name)
    if stored is None:
        raise not_found(resource.group, resource.plural, call.target.name)
    return resource, stored


def _segment(value: Object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def token(cluster: Cluster, call: Call) -> tuple[int, Json]:
    """TokenRequest: a token that this cluster's API accepts."""
    _, account = _parent(cluster, call)
    if call.method != "POST":
        raise method_not_allowed()
    body = json_body(call)
    spec = dict(body.get("spec") or {})
    seconds = spec.get("expirationSeconds") or 3600
    errors = []
    if seconds < 600:
        errors.append(
            invalid("spec.expirationSeconds", seconds, "may not specify a duration less than 10 minutes")
        )
    if seconds > 1 << 32:
        errors.append(
            invalid("spec.expirationSeconds", seconds, "may not specify a duration larger than 2^32 seconds")
        )
    if errors:
        raise invalid_object("authentication.k8s.io", "TokenRequest", "", errors)
    namespace, name, uid = (
        account["metadata"]["namespace"],
        account["metadata"]["name"],
        account["metadata"]["uid"],
    )
    expires = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=seconds)
    claims: Object = {
        "iss": f"https://{cluster.host}",
        "sub": f"system:serviceaccount:{namespace}:{name}",
        "exp": int(expires.timestamp()),
        "jti": new_uid(),
    }
    value = f"{_segment({'alg': 'none'})}.{_segment(claims)}.{secrets.token_urlsafe(32)}"
    cluster.service_tokens[value] = (namespace, name, uid, claims["jti"])
    audiences = spec.get("audiences") or ["https://kubernetes.default.svc.cluster.local"]
    out: Object = {
        "kind": "TokenRequest",
        "apiVersion": "authentication.k8s.io/v1",
        "metadata": {"name": name, "namespace": namespace, "uid": uid, "creationTimestamp": now()},
        "spec": {
            "audiences": audiences,
            "expirationSeconds": seconds,
            "boundObjectRef": spec.get("boundObjectRef"),
        },
        "status": {"token": value, "expirationTimestamp": expires.strftime("%Y-%m-%dT%H:%M:%SZ")},
    }
    fields = [("f:spec", f"f:{key}") for key in {"expirationSeconds", *spec}]
    if fields:
        who = managed.Manager(call.manager, "Update", "authentication.k8s.io/v1", "token")
        managed.write(out, {who.key: managed.Entry(who, frozenset(fields), now())})
    return 201, out


def scale(cluster: Cluster, call: Call) -> tuple[int, Json]:
    """The replicas of a workload, read or set."""
    _, stored = _parent(cluster, call)
    if call.method == "GET":
        return 200, _scale_of(stored)
    new = clone(stored)
    body = json_body(call) if call.method == "PUT" else parse_yaml(call.body)
    replicas = at(body, "spec", "replicas")
    if not isinstance(replicas, int):
        raise bad_request("spec.replicas must be a number")
    if replicas < 0:
        errors = [invalid("spec.replicas", replicas, "must be greater than or equal to 0")]
        raise invalid_object("autoscaling", "Scale", call.target.name, errors)
    new["spec"]["replicas"] = replicas
    if media_type(call) == "application/apply-patch+yaml":
        return 200, _scale_of(_apply_scale(cluster, call, stored, replicas))
    return 200, _scale_of(_write_scale(cluster, call, stored, new))


def _apply_scale(cluster: Cluster, call: Call, stored: Object, replicas: int) -> Object:
    """A server-side apply of the Scale: its managers speak of the Scale's version in a conflict."""
    resource, _ = _parent(cluster, call)
    change = managed.Change(resource.node)
    patch_body = {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "metadata": {"name": stored["metadata"]["name"]},
        "spec": {"replicas": replicas},
    }
    shown = clone(stored)
    for entry in shown["metadata"].get("managedFields") or ():
        entry["apiVersion"] = "autoscaling/v1"
    who = managed.Manager(call.manager, "Apply", "autoscaling/v1", "scale")
    force = call.query.get("force", "false") in ("1", "t", "T", "true", "TRUE", "True")
    managed.apply(change, shown, patch_body, who, force=force)
    who = managed.Manager(call.manager, "Apply", resource.api_version, "scale")
    new = managed.apply(change, stored, patch_body, who, force=True)
    if new["spec"] != stored["spec"]:
        new["metadata"]["generation"] = stored["metadata"].get("generation", 0) + 1
    return store_change(cluster, resource, stored, new, dry_run=call.dry_run)


def _write_scale(cluster: Cluster, call: Call, stored: Object, new: Object) -> Object:
    resource = call.resource
    if resource is None:
        raise LookupError(call.path)
    who = managed.Manager(call.manager, "Update", resource.api_version, "scale")
    managed.update(managed.Change(resource.node), stored, new, who)
    for entry in new["metadata"].get("managedFields") or ():
        if entry.get("subresource") == "scale":
            # Handed over from the Scale object, where fields have no times.
            entry.pop("time", None)
    if new["spec"] != stored["spec"]:
        new["metadata"]["generation"] = stored["metadata"].get("generation", 0) + 1
    return store_change(cluster, resource, stored, new, dry_run=call.dry_run)


def _scale_of(stored: Object) -> Object:
    metadata = {
        k: stored["metadata"][k] for k in ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    }
    labels = at(stored, "spec", "selector", "matchLabels") or {}
    selector = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
    replicas = at(stored, "spec", "replicas") or 0
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": metadata,
        "spec": {"replicas": replicas} if replicas else {},
        "status": {"replicas": at(stored, "status", "replicas") or 0, "selector": selector},
    }


def eviction(cluster: Cluster, call: Call) -> tuple[int, Json]:
    """POST: deletes the pod unless a disruption budget forbids it."""
    resource, pod = _parent(cluster, call)
    if call.method != "POST":
        raise method_not_allowed()
    body = json_body(call)
    name = at(body, "metadata", "name")
    if name and name != call.target.name:
        raise bad_request("name in URL does not match name in Eviction object")
    options = dict(body.get("deleteOptions") or {})
    if call.dry_run:
        options["dryRun"] = ["All"]
    check_budget(cluster, pod)
    delete_object(cluster, resource, pod, options)
    return 201, {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


def binding(cluster: Cluster, call: Call) -> tuple[int, Json]:
    """POST: puts a pod on a node, as a scheduler does."""
    resource, pod = _parent(cluster, call)
    body = json_body(call)
    node = at(body, "target", "name")
    if not node:
        raise bad_request("target.name is required")
    if pod["spec"].get("nodeName"):
        text = (
            f'Operation cannot be fulfilled on pods/binding "{call.target.name}": pod {call.target.name} is'
            f' already assigned to node "{pod["spec"]["nodeName"]}"'
        )
        raise ApiError(409, "Conflict", text, {"name": call.target.name, "kind": "pods/binding"})
    new = {**pod, "spec": {**pod["spec"], "nodeName": node}}
    cluster.store.put(resource, new)
    return 201, {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


def log(cluster: Cluster, call: Call) -> tuple[int, Json]:
    """A pod's log: the text of an annotation of the sandbox's own, else empty."""
    _, pod = _parent(cluster, call)
    if not pod["spec"].get("nodeName"):
        raise bad_request(f"pod {call.target.name} does not have a host assigned")
    return 200, str(at(pod, "metadata", "annotations", "sandbox.example/log") or "")


def finalize(cluster: Cluster, call: Call) -> tuple[int, Json]:
    """PUT of a namespace's spec.finalizers."""
    resource, namespace = _parent(cluster, call)
    body = json_body(call)
    new = {**namespace, "spec": {**(body.get("spec") or {})}}
    if (
        not new["spec"].get("finalizers")
        and namespace["metadata"].get("deletionTimestamp")
        and not namespace["metadata"].get("finalizers")
    ):
        cluster.store.remove(resource, new)
        return 200, new
    return 200, cluster.store.put(resource, new)


def ephemeral(cluster: Cluster, call: Call) -> tuple[int, Json]:
    if call.method == "GET":
        return 200, _parent(cluster, call)[1]
    return (replace if call.method == "PUT" else patch)(cluster, call)


Handler = Callable[[Cluster, Call], tuple[int, Json]]
SUBRESOURCES: dict[tuple[str, str], Handler] = {
    ("/serviceaccounts", "token"): token,
    ("/pods", "eviction"): eviction,
    ("/pods", "binding"): binding,
    ("/pods", "log"): log,
    ("/pods", "ephemeralcontainers"): ephemeral,
    ("/namespaces", "finalize"): finalize,
    ("apps/deployments", "scale"): scale,
    ("apps/replicasets", "scale"): scale,
    ("apps/statefulsets", "scale"): scale,
}
