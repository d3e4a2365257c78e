"""The cells after the name in each built-in kind's table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sandbox.kubernetes.jsontypes import Object, at

__all__ = ["BY_KEY"]

Age = Callable[[str | None], str]
Make = Callable[[Object, Age], list[Any]]


def _age(obj: Object, age: Age) -> str:
    return age(obj["metadata"].get("creationTimestamp"))


def _selector(selector: Object | None) -> str:
    parts = [f"{key}={value}" for key, value in sorted(((selector or {}).get("matchLabels") or {}).items())]
    for item in (selector or {}).get("matchExpressions") or ():
        values = ",".join(item.get("values") or ())
        text = {
            "In": f"{item['key']} in ({values})",
            "NotIn": f"{item['key']} notin ({values})",
            "Exists": item["key"],
        }
        parts.append(text.get(item["operator"], f"!{item['key']}"))
    return ",".join(parts) or "<none>"


def _containers(spec: Object | None) -> list[str]:
    items = (spec or {}).get("containers") or ()
    return [",".join(c["name"] for c in items), ",".join(c.get("image", "") for c in items)]


def _namespace(obj: Object, age: Age) -> list[Any]:
    return [at(obj, "status", "phase"), _age(obj, age)]


def _plain(obj: Object, age: Age) -> list[Any]:
    return [_age(obj, age)]


def _data(obj: Object, age: Age) -> list[Any]:
    return [str(len(obj.get("data") or {}) + len(obj.get("binaryData") or {})), _age(obj, age)]


def _secret(obj: Object, age: Age) -> list[Any]:
    return [obj.get("type", ""), str(len(obj.get("data") or {})), _age(obj, age)]


def _quota(obj: Object, age: Age) -> list[Any]:
    hard, used = at(obj, "status", "hard") or {}, at(obj, "status", "used") or {}
    requests: list[str] = []
    limits: list[str] = []
    for name in sorted(hard):
        target = limits if name.startswith("limits.") else requests
        target.append(f"{name}: {used.get(name, '0')}/{hard[name]}")
    return [", ".join(requests), ", ".join(limits), _age(obj, age)]


def _binding(obj: Object, age: Age) -> list[Any]:
    ref, subjects = obj["roleRef"], obj.get("subjects") or []

    def names(kind: str) -> str:
        return ", ".join(
            f"{s.get('namespace')}/{s['name']}" if kind == "ServiceAccount" else s["name"]
            for s in subjects
            if s["kind"] == kind
        )

    return [
        f"{ref['kind']}/{ref['name']}",
        _age(obj, age),
        names("User"),
        names("Group"),
        names("ServiceAccount"),
    ]


def _policy(obj: Object, age: Age) -> list[Any]:
    return [_selector(at(obj, "spec", "podSelector")), _age(obj, age)]


def _priority(obj: Object, age: Age) -> list[Any]:
    return [obj.get("value", 0), bool(obj.get("globalDefault")), _age(obj, age), obj.get("preemptionPolicy")]


def _pod_status(obj: Object) -> str:
    reason = at(obj, "status", "reason") or at(obj, "status", "phase") or ""
    for condition in at(obj, "status", "conditions") or ():
        if condition["type"] == "PodScheduled" and condition.get("reason") == "SchedulingGated":
            reason = "SchedulingGated"
    if obj["metadata"].get("deletionTimestamp"):
        return "Terminating"
    return str("Completed" if reason == "Succeeded" else reason)


def _pod(obj: Object, age: Age) -> list[Any]:
    statuses = at(obj, "status", "containerStatuses") or []
    ready = sum(bool(status.get("ready")) for status in statuses)
    total = len(at(obj, "spec", "containers") or ())
    restarts = sum(int(status.get("restartCount", 0)) for status in statuses)
    none = "<none>"
    return [
        f"{ready}/{total}",
        _pod_status(obj),
        str(restarts),
        _age(obj, age),
        at(obj, "status", "podIP") or none,
        at(obj, "spec", "nodeName") or none,
        at(obj, "status", "nominatedNodeName") or none,
        none,
    ]


def _node(obj: Object, age: Age) -> list[Any]:
    conditions = {c["type"]: c["status"] for c in at(obj, "status", "conditions") or ()}
    status = (
        "Unknown" if "Ready" not in conditions else "Ready" if conditions["Ready"] == "True" else "NotReady"
    )
    if at(obj, "spec", "unschedulable"):
        status += ",SchedulingDisabled"
    prefix = "node-role.kubernetes.io/"
    labels = obj["metadata"].get("labels") or {}
    roles = sorted(key.removeprefix(prefix) for key in labels if key.startswith(prefix) and key != prefix)
    if labels.get("kubernetes.io/role"):
        roles.append(labels["kubernetes.io/role"])
    addresses = {a["type"]: a["address"] for a in at(obj, "status", "addresses") or ()}
    info = at(obj, "status", "nodeInfo") or {}
    return [
        status,
        ",".join(roles) or "<none>",
        _age(obj, age),
        info.get("kubeletVersion", ""),
        addresses.get("InternalIP", "<none>"),
        addresses.get("ExternalIP", "<none>"),
        info.get("osImage") or "<unknown>",
        info.get("kernelVersion") or "<unknown>",
        info.get("containerRuntimeVersion") or "<unknown>",
    ]


def _deployment(obj: Object, age: Age) -> list[Any]:
    status, spec = obj.get("status") or {}, obj["spec"]
    template = at(spec, "template", "spec")
    return [
        f"{status.get('readyReplicas', 0)}/{spec.get('replicas', 0)}",
        str(status.get("updatedReplicas", 0)),
        str(status.get("availableReplicas", 0)),
        _age(obj, age),
        *_containers(template),
        _selector(spec.get("selector")),
    ]


def _replica_set(obj: Object, age: Age) -> list[Any]:
    status, spec = obj.get("status") or {}, obj["spec"]
    template = at(spec, "template", "spec")
    return [
        spec.get("replicas", 0),
        status.get("replicas", 0),
        status.get("readyReplicas", 0),
        _age(obj, age),
        *_containers(template),
        _selector(spec.get("selector")),
    ]


def _daemon_set(obj: Object, age: Age) -> list[Any]:
    status, spec = obj.get("status") or {}, obj["spec"]
    template = at(spec, "template", "spec")
    selector = _selector({"matchLabels": (template or {}).get("nodeSelector")})
    return [
        status.get("desiredNumberScheduled", 0),
        status.get("currentNumberScheduled", 0),
        status.get("numberReady", 0),
        status.get("updatedNumberScheduled", 0),
        status.get("numberAvailable", 0),
        selector,
        _age(obj, age),
        *_containers(template),
        _selector(spec.get("selector")),
    ]


def _job(obj: Object, age: Age) -> list[Any]:
    status, spec = obj.get("status") or {}, obj["spec"]
    conditions = {c["type"] for c in status.get("conditions") or () if c["status"] == "True"}
    shown = next((name for name in ("Complete", "Failed", "Suspended") if name in conditions), "Running")
    if obj["metadata"].get("deletionTimestamp"):
        shown = "Terminating"
    wanted = spec.get("completions", 1)
    started = age(status["startTime"]) if status.get("startTime") else ""
    template = at(spec, "template", "spec")
    return [
        shown,
        f"{status.get('succeeded', 0)}/{wanted}",
        started,
        _age(obj, age),
        *_containers(template),
        _selector(spec.get("selector")),
    ]


def _service(obj: Object, age: Age) -> list[Any]:
    spec = obj["spec"]
    ports = ",".join(f"{p['port']}/{p.get('protocol', 'TCP')}" for p in spec.get("ports") or ()) or "<none>"
    selector = _selector({"matchLabels": spec.get("selector")})
    return [spec.get("type"), spec.get("clusterIP") or "None", "<none>", ports, _age(obj, age), selector]


def _event(obj: Object, age: Age) -> list[Any]:
    target = obj.get("involvedObject") or {}
    last = obj.get("lastTimestamp") or obj.get("eventTime")
    first = obj.get("firstTimestamp") or obj.get("eventTime")
    source = ", ".join(
        filter(
            None,
            (
                (obj.get("source") or {}).get("component") or obj.get("reportingComponent"),
                (obj.get("source") or {}).get("host"),
            ),
        )
    )
    name = f"{target.get('kind', '').lower()}/{target.get('name', '')}"
    return [
        age(last),
        obj.get("type"),
        obj.get("reason"),
        name,
        target.get("fieldPath", ""),
        source,
        (obj.get("message") or "").strip(),
        age(first),
        str(obj.get("count") or 1),
        obj["metadata"]["name"],
    ]


BY_KEY: dict[str, Make] = {
    "/namespaces": _namespace,
    "/serviceaccounts": _plain,
    "/configmaps": _data,
    "/secrets": _secret,
    "/resourcequotas": _quota,
    "/pods": _pod,
    "/nodes": _node,
    "/services": _service,
    "/events": _event,
    "rbac.authorization.k8s.io/rolebindings": _binding,
    "rbac.authorization.k8s.io/clusterrolebindings": _binding,
    "networking.k8s.io/networkpolicies": _policy,
    "scheduling.k8s.io/priorityclasses": _priority,
    "apps/deployments": _deployment,
    "apps/replicasets": _replica_set,
    "apps/daemonsets": _daemon_set,
    "batch/jobs": _job,
}
