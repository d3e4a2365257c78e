"""Pod Security on namespaces: a stricter level warns of the pods that are there already."""

from __future__ import annotations

from sandbox.kubernetes.admission.pod_security import violations
from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.jsontypes import Object
from sandbox.kubernetes.request import Call

__all__ = ["warn_of_pods"]

_ENFORCE = "pod-security.kubernetes.io/enforce"
_LEVELS = ("privileged", "baseline", "restricted")


def _policy(namespace: Object) -> tuple[str, str]:
    labels = namespace["metadata"].get("labels") or {}
    return labels.get(_ENFORCE, "privileged"), labels.get(f"{_ENFORCE}-version", "latest")


def warn_of_pods(cluster: Cluster, call: Call, new: Object, old: Object) -> None:
    """One line for each set of reasons, with the first pod that has them."""
    (level, version), (before, _) = _policy(new), _policy(old)
    if _policy(new) == _policy(old) or _LEVELS.index(level) < _LEVELS.index(before) or level == "privileged":
        return
    found: dict[str, list[str]] = {}
    name = new["metadata"]["name"]
    for pod in cluster.store.items("/pods", name):
        # The detail in brackets is left out: the text would be too long.
        reasons = [text.partition(" (")[0] for text in violations(pod["spec"], level)]
        if reasons:
            found.setdefault(", ".join(reasons), []).append(pod["metadata"]["name"])
    if not found:
        return
    call.warnings.append(
        f'existing pods in namespace "{name}" violate the new PodSecurity enforce level "{level}:{version}"'
    )
    for reasons_text, pods in sorted(found.items(), key=lambda item: item[1][0]):
        others = len(pods) - 1
        noun = "pod" if others == 1 else "pods"
        more = f" (and {others} other {noun})" if others else ""
        call.warnings.append(f"{pods[0]}{more}: {reasons_text}")
