"""What admission writes into a pod template, and how it is taken out again."""

from __future__ import annotations

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.jsontypes import Object, at, clone

__all__ = ["placed_template", "restored_template"]

_GROUP = "kueue.x-k8s.io"
_LABELS = (f"{_GROUP}/podset", f"{_GROUP}/cluster-queue-name", f"{_GROUP}/local-queue-name")
_ANNOTATION = f"{_GROUP}/workload"


def placed_template(cluster: Cluster, template: Object, workload: Object) -> Object:
    """The template with the queue's labels, and the flavors' node labels and tolerations."""
    out: Object = clone(template)
    admission = workload["status"]["admission"]
    assignment = admission["podSetAssignments"][0]
    metadata = out.setdefault("metadata", {})
    metadata["labels"] = {
        **(metadata.get("labels") or {}),
        _LABELS[0]: assignment["name"],
        _LABELS[1]: admission["clusterQueue"],
        _LABELS[2]: workload["spec"]["queueName"],
    }
    metadata["annotations"] = {
        **(metadata.get("annotations") or {}),
        _ANNOTATION: workload["metadata"]["name"],
    }
    spec = out["spec"]
    for name in dict.fromkeys((assignment.get("flavors") or {}).values()):
        flavor = cluster.store.get(f"{_GROUP}/resourceflavors", "", name)
        if labels := at(flavor, "spec", "nodeLabels"):
            spec["nodeSelector"] = {**(spec.get("nodeSelector") or {}), **labels}
        for toleration in at(flavor, "spec", "tolerations") or ():
            if toleration not in (spec.get("tolerations") or ()):
                spec.setdefault("tolerations", []).append(clone(toleration))
    return out


def restored_template(template: Object, original: Object | None) -> Object:
    """The template without what admission wrote; `original` says how the pods' placement was before."""
    out: Object = clone(template)
    metadata = out.get("metadata") or {}
    for key, names in (("labels", _LABELS), ("annotations", (_ANNOTATION,))):
        values = metadata.get(key)
        if values and any(name in values for name in names):
            metadata[key] = {name: value for name, value in values.items() if name not in names}
            if not metadata[key]:
                del metadata[key]
    if original is not None:
        for key in ("nodeSelector", "tolerations"):
            out["spec"].pop(key, None)
            if key in original["spec"]:
                out["spec"][key] = clone(original["spec"][key])
    return out
