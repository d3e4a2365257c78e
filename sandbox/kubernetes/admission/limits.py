"""LimitRanger: defaults for containers, and refusals outside of the limits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from sandbox.kubernetes import quantities
from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.errors import forbidden
from sandbox.kubernetes.jsontypes import Object, at

__all__ = ["check", "check_claim", "set_defaults"]

_ANNOTATION = "kubernetes.io/limit-ranger"


def _containers(pod: Object) -> list[tuple[str, Object]]:
    spec = pod["spec"]
    return [("container", c) for c in spec.get("containers") or ()] + [
        ("init container", c) for c in spec.get("initContainers") or ()
    ]


def set_defaults(cluster: Cluster, pod: Object) -> None:
    for limit_range in cluster.items("", "limitranges", pod["metadata"]["namespace"]):
        requests: Object = {}
        limits: Object = {}
        for item in limit_range["spec"].get("limits") or ():
            if item.get("type") == "Container":
                requests = {**requests, **(item.get("defaultRequest") or {})}
                limits = {**limits, **(item.get("default") or {})}
        notes = []
        for kind, container in _containers(pod):
            notes += _merge(kind, container, requests, limits)
        if notes:
            annotations = pod["metadata"].setdefault("annotations", {})
            annotations[_ANNOTATION] = "LimitRanger plugin set: " + "; ".join(notes)


def _merge(kind: str, container: Object, requests: Object, limits: Object) -> list[str]:
    notes = []
    resources = container.setdefault("resources", {})
    for field, text, defaults in (("requests", "request", requests), ("limits", "limit", limits)):
        present = resources.get(field) or {}
        added = {name: value for name, value in defaults.items() if name not in present}
        if added:
            resources[field] = {**present, **added}
            notes.append(f"{', '.join(sorted(added))} {text} for {kind} {container['name']}")
    return notes


def _total(pod: Object, field: str, name: str) -> tuple[str, bool]:
    """The pod's amount, and whether every container states one."""
    total, stated = "0", True
    for container in pod["spec"].get("containers") or ():
        value = at(container, "resources", field, name)
        if value is None:
            stated = False
        else:
            total = quantities.add(total, value)
    for container in pod["spec"].get("initContainers") or ():
        value = at(container, "resources", field, name)
        if value is not None and quantities.parse(value) > quantities.parse(total):
            total = value
    return total, stated or total != "0"


def check(cluster: Cluster, pod: Object) -> None:
    """Raises ApiError: one 403 that lists what is outside."""
    for limit_range in cluster.items("", "limitranges", pod["metadata"]["namespace"]):
        problems: list[str] = []
        for item in limit_range["spec"].get("limits") or ():
            if item.get("type") == "Container":
                for _, container in _containers(pod):
                    resources = container.get("resources") or {}
                    problems += _problems("Container", item, partial(_container_amount, resources))
            elif item.get("type") == "Pod":
                problems += _problems("Pod", item, partial(_pod_amount, pod))
        if problems:
            joined = problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]"
            raise forbidden("", "pods", pod["metadata"]["name"], joined)


def _container_amount(resources: Object, field: str, name: str) -> str | None:
    value = (resources.get(field) or {}).get(name)
    return None if value is None else str(value)


def _pod_amount(pod: Object, field: str, name: str) -> str | None:
    total, stated = _total(pod, field, name)
    return total if stated and total != "0" else None


def _problems(kind: str, item: Object, get: Callable[[str, str], str | None]) -> list[str]:
    out = []
    for name, bound in (item.get("min") or {}).items():
        request, limit = get("requests", name), get("limits", name)
        if request is None:
            out.append(f"minimum {name} usage per {kind} is {bound}.  No request is specified")
        elif quantities.parse(request) < quantities.parse(bound):
            out.append(f"minimum {name} usage per {kind} is {bound}, but request is {request}")
        elif limit is not None and quantities.parse(limit) < quantities.parse(bound):
            out.append(f"minimum {name} usage per {kind} is {bound}, but limit is {limit}")
    for name, bound in (item.get("max") or {}).items():
        request, limit = get("requests", name), get("limits", name)
        if limit is None:
            out.append(f"maximum {name} usage per {kind} is {bound}.  No limit is specified")
        elif quantities.parse(limit) > quantities.parse(bound):
            out.append(f"maximum {name} usage per {kind} is {bound}, but limit is {limit}")
        elif request is not None and quantities.parse(request) > quantities.parse(bound):
            out.append(f"maximum {name} usage per {kind} is {bound}, but request is {request}")
    for name, bound in (item.get("maxLimitRequestRatio") or {}).items():
        out += _ratio_problem(kind, name, bound, get("requests", name), get("limits", name))
    return out


def _ratio_problem(kind: str, name: str, bound: str, request: str | None, limit: str | None) -> list[str]:
    start = f"{name} max limit to request ratio per {kind} is {bound}"
    if request is None or not quantities.parse(request):
        return [f"{start}, but no request is specified or request is 0"]
    if limit is None or not quantities.parse(limit):
        return [f"{start}, but no limit is specified or limit is 0"]
    actual = float(quantities.parse(limit) / quantities.parse(request))
    if actual > float(quantities.parse(bound)):
        return [f"{start}, but provided ratio is {actual:f}"]
    return []


def check_claim(cluster: Cluster, claim: Object) -> None:
    asked = at(claim, "spec", "resources", "requests", "storage")
    for limit_range in cluster.items("", "limitranges", claim["metadata"]["namespace"]):
        problems = []
        for item in limit_range["spec"].get("limits") or ():
            if item.get("type") != "PersistentVolumeClaim":
                continue
            low, high = (item.get("min") or {}).get("storage"), (item.get("max") or {}).get("storage")
            if low and asked and quantities.parse(asked) < quantities.parse(low):
                problems.append(
                    f"minimum storage usage per PersistentVolumeClaim is {low}, but request is {asked}"
                )
            if high and asked and quantities.parse(asked) > quantities.parse(high):
                problems.append(
                    f"maximum storage usage per PersistentVolumeClaim is {high}, but request is {asked}"
                )
        if problems:
            joined = problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]"
            raise forbidden("", "persistentvolumeclaims", claim["metadata"]["name"], joined)
