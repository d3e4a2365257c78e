"""What objects use of a ResourceQuota: amounts of one object, scopes, and which keys a quota tracks."""

from __future__ import annotations

from sandbox.kubernetes import quantities
from sandbox.kubernetes.jsontypes import Object, at
from sandbox.kubernetes.kinds.pod_defaults import qos_class
from sandbox.kubernetes.resources import Resource

__all__ = ["counts_for", "matches_scopes", "pod_amounts", "pod_usage", "tracked_keys", "usage_of"]

_OBJECT_KEYS = {
    "/services": "services",
    "/replicationcontrollers": "replicationcontrollers",
    "/resourcequotas": "resourcequotas",
    "/secrets": "secrets",
    "/configmaps": "configmaps",
    "/persistentvolumeclaims": "persistentvolumeclaims",
}
_POD_KEYS = ("cpu", "memory", "ephemeral-storage")


def _larger(left: Object, right: Object) -> Object:
    out = dict(left)
    for name, value in right.items():
        if name not in out or quantities.parse(value) > quantities.parse(out[name]):
            out[name] = value
    return out


def _sum(left: Object, right: Object) -> Object:
    out = dict(left)
    for name, value in right.items():
        out[name] = quantities.add(out[name], value) if name in out else value
    return out


def pod_amounts(spec: Object, field: str) -> Object:
    """Requests or limits: the sum of the containers or the largest init container, plus overhead."""
    total: Object = {}
    for container in spec.get("containers") or ():
        total = _sum(total, at(container, "resources", field) or {})
    running: Object = {}
    for container in spec.get("initContainers") or ():
        amounts = at(container, "resources", field) or {}
        if container.get("restartPolicy") == "Always":
            total, running = _sum(total, amounts), _sum(running, amounts)
        else:
            total = _larger(total, _sum(running, amounts))
    overhead = spec.get("overhead")
    if overhead and (field == "requests" or total):
        total = _sum(
            total, overhead if field == "requests" else {k: v for k, v in overhead.items() if k in total}
        )
    return total


def pod_usage(pod: Object) -> Object:
    out: Object = {"count/pods": "1"}
    if at(pod, "status", "phase") in ("Succeeded", "Failed"):
        return out
    out["pods"] = "1"
    requests, limits = pod_amounts(pod["spec"], "requests"), pod_amounts(pod["spec"], "limits")
    for name, value in requests.items():
        out[f"requests.{name}"] = value
        if name in _POD_KEYS or name.startswith("hugepages-"):
            out[name] = value
    for name in _POD_KEYS:
        if name in limits:
            out[f"limits.{name}"] = limits[name]
    return out


def usage_of(resource: Resource | str, obj: Object) -> Object:
    """What one object counts for, by quota key."""
    key = resource if isinstance(resource, str) else resource.key
    if key == "/pods":
        return pod_usage(obj)
    group, _, plural = key.partition("/")
    out = {f"count/{plural}.{group}" if group else f"count/{plural}": "1"}
    if key in _OBJECT_KEYS:
        out[_OBJECT_KEYS[key]] = "1"
    if key == "/services":
        kind = at(obj, "spec", "type")
        ports = str(len(at(obj, "spec", "ports") or ()))
        if kind in ("NodePort", "LoadBalancer"):
            out["services.nodeports"] = ports
        if kind == "LoadBalancer":
            out["services.loadbalancers"] = "1"
    if key == "/persistentvolumeclaims":
        asked = at(obj, "spec", "resources", "requests", "storage")
        if asked:
            out["requests.storage"] = asked
            if name := at(obj, "spec", "storageClassName"):
                out[f"{name}.storageclass.storage.k8s.io/requests.storage"] = asked
                out[f"{name}.storageclass.storage.k8s.io/persistentvolumeclaims"] = "1"
    return out


def tracked_keys(hard: Object, *, served: set[str]) -> list[str]:
    """The keys of a quota that are measured; others are accepted and ignored."""
    return [name for name in hard if _tracked(name, served)]


def _tracked(name: str, served: set[str]) -> bool:
    if name.startswith("count/"):
        return name.removeprefix("count/") in served
    if name.startswith("requests."):
        return True
    if name in _OBJECT_KEYS.values() or name in ("pods", "services.nodeports", "services.loadbalancers"):
        return True
    if ".storageclass.storage.k8s.io/" in name:
        return True
    return name in (*_POD_KEYS, "limits.cpu", "limits.memory", "limits.ephemeral-storage") or name.startswith(
        "hugepages-"
    )


def counts_for(key: str, name: str) -> bool:
    """Whether a quota key is about objects of this resource."""
    group, _, plural = key.partition("/")
    if name == (f"count/{plural}.{group}" if group else f"count/{plural}") or _OBJECT_KEYS.get(key) == name:
        return True
    if key == "/pods":
        is_storage = name == "requests.storage" or ".storageclass." in name
        return (
            name == "pods"
            or name in _POD_KEYS
            or name.startswith(("limits.", "hugepages-"))
            or (name.startswith("requests.") and not is_storage)
        )
    if key == "/services":
        return name.startswith("services.")
    if key == "/persistentvolumeclaims":
        return name == "requests.storage" or ".storageclass." in name
    return False


def _scope(name: str, pod: Object) -> bool:
    spec = pod["spec"]
    if name == "BestEffort":
        return qos_class(spec) == "BestEffort"
    if name == "NotBestEffort":
        return qos_class(spec) != "BestEffort"
    if name == "Terminating":
        return spec.get("activeDeadlineSeconds") is not None
    if name == "NotTerminating":
        return spec.get("activeDeadlineSeconds") is None
    if name == "PriorityClass":
        return bool(spec.get("priorityClassName"))
    return False


def matches_scopes(quota: Object, key: str, obj: Object) -> bool:
    spec = quota["spec"]
    scopes, expressions = spec.get("scopes") or [], at(spec, "scopeSelector", "matchExpressions") or []
    if not scopes and not expressions:
        return True
    if key != "/pods":
        return False
    if not all(_scope(name, obj) for name in scopes):
        return False
    return all(_matches_expression(expression, obj) for expression in expressions)


def _matches_expression(expression: Object, pod: Object) -> bool:
    scope, operator = expression["scopeName"], expression["operator"]
    values = expression.get("values") or []
    if scope != "PriorityClass":
        return _scope(scope, pod)
    name = pod["spec"].get("priorityClassName", "")
    if operator == "Exists":
        return bool(name)
    if operator == "DoesNotExist":
        return not name
    if operator == "In":
        return bool(name) and name in values
    return name not in values
