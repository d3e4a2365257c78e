"""Defaults of pods and pod templates that depend on other fields."""

from __future__ import annotations

from sandbox.kubernetes import quantities
from sandbox.kubernetes.jsontypes import Object

__all__ = ["default_pod_spec", "default_requests", "default_template", "qos_class"]


def default_template(template: Object) -> None:
    default_pod_spec(template["spec"])


def default_requests(spec: Object) -> None:
    """A limit alone counts as the request; in pods only, never in templates."""
    for container in [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]:
        resources = container.get("resources") or {}
        if limits := resources.get("limits"):
            requests = resources.setdefault("requests", {})
            for name, value in limits.items():
                requests.setdefault(name, value)


def default_pod_spec(spec: Object) -> None:
    for key in ("initContainers", "containers", "ephemeralContainers"):
        for container in spec.get(key) or ():
            _default_container(container)
    for volume in spec.get("volumes") or ():
        if set(volume) == {"name"}:
            volume["emptyDir"] = {}
    if spec.get("serviceAccountName"):
        spec.setdefault("serviceAccount", spec["serviceAccountName"])
    elif spec.get("serviceAccount"):
        spec["serviceAccountName"] = spec["serviceAccount"]
    if spec.get("hostNetwork"):
        for container in spec.get("containers") or ():
            for port in container.get("ports") or ():
                port.setdefault("hostPort", port.get("containerPort"))


def _default_container(container: Object) -> None:
    if "imagePullPolicy" not in container:
        container["imagePullPolicy"] = "Always" if _floating(container.get("image", "")) else "IfNotPresent"
    for probe_name in ("livenessProbe", "readinessProbe", "startupProbe"):
        probe = container.get(probe_name)
        if probe and "httpGet" in probe:
            probe["httpGet"].setdefault("path", "/")


def _floating(image: str) -> bool:
    if "@" in image:
        return False
    tag = image.rpartition("/")[2].partition(":")[2]
    return tag in ("", "latest")


def qos_class(spec: Object) -> str:
    """Guaranteed, Burstable or BestEffort, by cpu and memory only."""
    seen, guaranteed = False, True
    for container in [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]:
        resources = container.get("resources") or {}
        requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
        for name in ("cpu", "memory"):
            request, limit = requests.get(name, "0"), limits.get(name, "0")
            if quantities.parse(request) or quantities.parse(limit):
                seen = True
            if not quantities.parse(limit) or quantities.parse(request) != quantities.parse(limit):
                guaranteed = False
    if not seen:
        return "BestEffort"
    return "Guaranteed" if guaranteed else "Burstable"
